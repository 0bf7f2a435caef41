// Package lint implements the command "catalog lint": it reports the problems of a file-based catalog that its author can correct, and
// which upgrades its rules forbid. The report is a pure function of the catalog's packages. pkg/upgrade finds the problems; package lint
// selects, counts and prints them.
package lint

import (
	"cmp"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalog/semantics"
	"github.com/openshift/platform-operators/pkg/cli/catalog/severity"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	// Catalog is the directory or the reference of the image.
	Catalog string  `json:"catalog"`
	Summary Summary `json:"summary"`
	// Findings are sorted by package. Within a package, they are in the order of pkg/upgrade.
	Findings []Finding `json:"findings"`
	// Packages are all packages that were checked, sorted by name.
	Packages []Package `json:"packages"`
}

// Summary has the totals of a report.
type Summary struct {
	Packages int `json:"packageCount"`
	Versions int `json:"versionCount"`
	Errors   int `json:"errorCount"`
	Warnings int `json:"warningCount"`
	// Infos is the number of findings that are not problems.
	Infos int `json:"infoCount"`
}

// Finding is one finding about a package.
type Finding struct {
	Package  string            `json:"package"`
	Severity severity.Severity `json:"severity"`
	// Kind is one of the findings in docs/upgrade-rules.md.
	Kind upgrade.FindingKind `json:"kind"`
	// Semantics are the edge semantics under which the problem exists; empty if the problem does not depend on the semantics.
	Semantics upgrade.Semantics `json:"semantics,omitempty"`
	// Subject is the version, channel, entry or step rule that has the problem.
	Subject string `json:"subject"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedyText,omitempty"`
}

// Package describes one package: the number of its versions, and its counts of edges and problems under each of the semantics.
type Package struct {
	Name string `json:"name"`
	// Semantics are the edge semantics that the package selects.
	Semantics upgrade.Semantics `json:"semantics"`
	Versions  int               `json:"versionCount"`
	// Head is the version that all others should reach; empty if no version is semantic.
	Head  string `json:"head,omitempty"`
	Edges Edges  `json:"edgeCounts"`
	// Stranded is the number of versions that are not the head and have no successor. CutOff is the number of versions whose successors do
	// not lead to the head.
	Stranded Counts `json:"strandedCounts"`
	CutOff   Counts `json:"cutOffCounts"`
}

// Counts holds one number for each of the semantics.
type Counts struct {
	Channel int `json:"underChannel"`
	Semver  int `json:"underSemver"`
	Both    int `json:"underBoth"`
}

// NewReport returns the report about the packages of the catalog name. The report contains the findings under the selected semantics and
// the findings that do not depend on the semantics. Closing done stops the work early; the report is then incomplete.
func NewReport(name string, packages []catalog.Package, selected semantics.Selection, done <-chan struct{}) Report {
	report := Report{Type: printer.TypeOf("CatalogLint"), Catalog: name, Findings: []Finding{}, Packages: []Package{}}
	for i := range packages {
		checked, findings := check(&packages[i], done)
		report.Packages = append(report.Packages, checked)
		report.Summary.Packages++
		report.Summary.Versions += checked.Versions
		for _, finding := range findings {
			if finding.Semantics == "" || selected.Includes(finding.Semantics, checked.Semantics) {
				report.Findings = append(report.Findings, newFinding(checked.Name, finding))
			}
		}
	}
	slices.SortStableFunc(report.Findings, func(a, b Finding) int { return cmp.Compare(a.Package, b.Package) })
	slices.SortFunc(report.Packages, func(a, b Package) int { return cmp.Compare(a.Name, b.Name) })
	for _, finding := range report.Findings {
		report.Summary.add(finding.Severity)
	}
	return report
}

func newFinding(pkg string, from upgrade.Finding) Finding {
	return Finding{
		Package: pkg, Severity: severity.Of(from.Kind), Kind: from.Kind, Semantics: from.Semantics, Subject: from.Subject, Problem: from.Problem,
		Remedy: from.Remedy,
	}
}

func (s *Summary) add(of severity.Severity) {
	switch of {
	case severity.Error:
		s.Errors++
	case severity.Warning:
		s.Warnings++
	case severity.Info:
		s.Infos++
	}
}
