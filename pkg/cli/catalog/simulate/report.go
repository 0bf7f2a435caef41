// Package simulate implements the command "catalog simulate": it reports to which version, and by which path, an operator is upgraded from
// each version in a catalog, what blocks it, and what planned rules would change. The report is a pure function of the catalog's packages
// and the rules. pkg/upgrade searches the paths; package simulate selects, compares and prints them.
package simulate

import (
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalog/semantics"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	// Catalog is the directory or the reference of the image.
	Catalog string `json:"catalog"`
	// OpenShift is the minor version of the cluster; empty if versions are not checked against a cluster.
	OpenShift string    `json:"openShiftVersion,omitempty"`
	Summary   Summary   `json:"summary"`
	Packages  []Package `json:"packages"`
}

// Summary has the totals of a report.
type Summary struct {
	Packages int `json:"packageCount"`
	// Versions is the number of versions in the report, and Blocked is the number of those that do not reach the head under at least one of
	// the selected semantics.
	Versions int `json:"versionCount"`
	Blocked  int `json:"blockedCount"`
	// Planned holds the totals under the planned rules; nil without planned rules.
	Planned *PlannedSummary `json:"plannedCounts,omitempty"`
	// BySemantics holds the totals under each of the semantics if the report has each version under all of them; else it is empty.
	BySemantics []SemanticsSummary `json:"bySemantics,omitempty"`
}

// SemanticsSummary holds the totals under one of the semantics.
type SemanticsSummary struct {
	Semantics upgrade.Semantics `json:"semantics"`
	// Blocked is the number of versions that do not reach the head.
	Blocked int `json:"blockedCount"`
	// Planned holds the totals under the planned rules; nil without planned rules.
	Planned *PlannedSummary `json:"plannedCounts,omitempty"`
}

// PlannedSummary holds the totals under the planned rules.
type PlannedSummary struct {
	// Blocked is the number of versions that do not reach the head, and Changed is the number of versions whose outcome differs.
	Blocked int `json:"blockedCount"`
	Changed int `json:"changedCount"`
}

// Package is one package of the catalog.
type Package struct {
	Name string `json:"name"`
	// Head is the version that all others should reach; empty if no version is semantic.
	Head string `json:"head,omitempty"`
	// Problems are the errors that the command lint reports for the package, under the planned rules if there are any.
	Problems []string `json:"problems,omitempty"`
	// Versions has an entry for each version under each of the selected semantics. It is ordered by semantics, then by ascending version.
	Versions []Version `json:"versions"`
}

// Version describes what happens to an operator at one version under one of the semantics.
type Version struct {
	Version string  `json:"version"`
	Bundle  string  `json:"bundle"`
	Outcome Outcome `json:"current"`
	// Planned is the outcome under the planned rules, and Change is how it differs. Without planned rules, they are nil and empty.
	Planned *Outcome `json:"planned,omitempty"`
	Change  Change   `json:"change,omitempty"`
}

// Outcome is how far an operator is upgraded without intervention.
type Outcome struct {
	Semantics upgrade.Semantics `json:"semantics"`
	// Target is the last version of the path; empty if the operator stays.
	Target string `json:"target,omitempty"`
	// Path holds the versions that the operator is upgraded to, in order.
	Path []string `json:"path,omitempty"`
	// Stranded means that the version is not the head and has no successor. CutOff means that its successors do not lead to the head.
	// Neither depends on step rules or the cluster.
	Stranded bool `json:"stranded,omitempty"`
	CutOff   bool `json:"cutOff,omitempty"`
	// Blocked is why the operator does not reach the head; nil if it does.
	*Blocked `json:",inline"`
}

// Blocked is why an operator does not reach a version.
type Blocked struct {
	// Version is the version that is not reached: the head or, for versions above the head, the newest version.
	Version string `json:"blockedVersion"`
	// Reason is one of the reasons in docs/upgrade-rules.md.
	Reason upgrade.Reason `json:"blockedReason"`
	// Message says why, as a clause that follows Version in a sentence.
	Message string `json:"blockedMessage"`
}

// Input is what a report is made from.
type Input struct {
	// Catalog names the catalog. Packages are its packages to simulate.
	Catalog  string
	Packages []catalog.Package
	// Cluster is the minor version of OpenShift that versions must support; nil if versions are not checked against a cluster.
	Cluster   *compat.Minor
	Semantics semantics.Selection
	// From is the only version to report; the zero Version means all.
	From upgrade.Version
	// Planned holds the planned rules, keyed by package; nil for a report without a comparison. If it is set, packages without planned
	// rules are not reported.
	Planned map[string]upgrade.Rules
	// Done stops the work early when it is closed; the report is then incomplete.
	Done <-chan struct{}
}

// NewReport returns the report. It omits packages that do not have the version From.
func NewReport(in Input) Report {
	report := Report{Type: printer.TypeOf("CatalogSimulation"), Catalog: in.Catalog, Packages: []Package{}}
	if in.Cluster != nil {
		report.OpenShift = in.Cluster.String()
	}
	report.Summary.Planned = in.plannedSummary()
	if in.Semantics == semantics.All {
		for _, each := range []upgrade.Semantics{upgrade.Channel, upgrade.Semver, upgrade.Both} {
			report.Summary.BySemantics = append(report.Summary.BySemantics, SemanticsSummary{Semantics: each, Planned: in.plannedSummary()})
		}
	}
	for i := range in.Packages {
		if _, isPlanned := in.Planned[in.Packages[i].Name]; in.Planned != nil && !isPlanned {
			continue
		}
		simulated := in.simulate(&in.Packages[i])
		if len(simulated.Versions) == 0 && !in.From.IsZero() {
			continue
		}
		report.Packages = append(report.Packages, simulated)
		report.Summary.add(simulated)
	}
	return report
}

// plannedSummary returns empty totals; nil without planned rules.
func (in Input) plannedSummary() *PlannedSummary {
	if in.Planned == nil {
		return nil
	}
	return &PlannedSummary{}
}

// add adds the outcomes of a package. A version is counted once, although the package may have outcomes for it under several semantics.
func (s *Summary) add(p Package) {
	type counted struct{ blocked, blockedAsPlanned, changed bool }
	versions := map[string]*counted{} // keyed by bundle and version
	for _, version := range p.Versions {
		key := version.Bundle + "/" + version.Version
		if versions[key] == nil {
			versions[key] = &counted{}
		}
		of := versions[key]
		of.blocked = of.blocked || version.Outcome.Blocked != nil
		if version.Planned != nil {
			of.blockedAsPlanned = of.blockedAsPlanned || version.Planned.Blocked != nil
			of.changed = of.changed || version.Change != Unchanged
		}
	}
	s.Packages++
	s.Versions += len(versions)
	for _, of := range versions {
		s.Blocked += count(of.blocked)
		if s.Planned != nil {
			s.Planned.Blocked += count(of.blockedAsPlanned)
			s.Planned.Changed += count(of.changed)
		}
	}
	for i := range s.BySemantics {
		s.BySemantics[i].add(p)
	}
}

func (s *SemanticsSummary) add(p Package) {
	for _, version := range p.Versions {
		if version.Outcome.Semantics != s.Semantics {
			continue
		}
		s.Blocked += count(version.Outcome.Blocked != nil)
		if s.Planned != nil && version.Planned != nil {
			s.Planned.Blocked += count(version.Planned.Blocked != nil)
			s.Planned.Changed += count(version.Change != Unchanged)
		}
	}
}

func count(applies bool) int {
	if applies {
		return 1
	}
	return 0
}
