package simulate

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalog/severity"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Change is how the planned rules change an outcome.
type Change string

// The changes.
const (
	Unchanged Change = "Unchanged"
	// NewlyBlocked means that the operator reaches the head only without the planned rules. Unblocked means that it reaches the head only
	// with the planned rules.
	NewlyBlocked Change = "NewlyBlocked"
	Unblocked    Change = "Unblocked"
	// OtherTarget means that the path ends at a different version. OtherPath means that the path ends at the same version, but passes
	// through different ones.
	OtherTarget Change = "OtherTarget"
	OtherPath   Change = "OtherPath"
	// OtherReason means that the operator stays blocked, but for a different reason.
	OtherReason Change = "OtherReason"
)

// simulate returns the outcomes for the versions of a package: with the rules in the catalog and, if there are any, with the planned rules.
func (in Input) simulate(from *catalog.Package) Package {
	pkg, findings := upgrade.FromCatalog(from)
	pkg.Limit.Done = in.Done
	planned, isPlanned := in.Planned[pkg.Name]
	simulated := Package{Name: pkg.Name, Problems: in.problems(pkg, planned, findings), Versions: []Version{}}
	in.setUnfit(&pkg, from)
	current := upgrade.Simulate(pkg)
	if current.Head >= 0 {
		simulated.Head = current.Bundles[current.Head].Version.String()
	}
	results := in.selected(&pkg, current)
	var plannedResults []upgrade.SemanticsResult
	if isPlanned {
		pkg.Rules, pkg.Unreadable = []upgrade.Rules{planned}, nil
		plannedResults = in.selected(&pkg, upgrade.Simulate(pkg))
	}
	for i, result := range results {
		for at, bundle := range current.Bundles {
			if !in.From.IsZero() && in.From.Semver().Original() != bundle.Version.Semver().Original() {
				continue
			}
			version := Version{Version: bundle.Version.String(), Bundle: bundle.Name, Outcome: newOutcome(current, result, at)}
			if isPlanned {
				outcome := newOutcome(current, plannedResults[i], at)
				version.Planned, version.Change = &outcome, changeOf(version.Outcome, outcome)
			}
			simulated.Versions = append(simulated.Versions, version)
		}
	}
	return simulated
}

// problems returns the errors that the command lint would report for the package. If the package has planned rules, they take the place of
// the rules in the catalog.
func (in Input) problems(pkg upgrade.Package, planned upgrade.Rules, findings []upgrade.Finding) (problems []string) {
	if _, isPlanned := in.Planned[pkg.Name]; isPlanned {
		pkg.Rules, pkg.Unreadable = []upgrade.Rules{planned}, nil
	}
	for _, finding := range append(findings, upgrade.Lint(pkg)...) {
		isSelected := finding.Semantics == "" || in.Semantics.Includes(finding.Semantics, pkg.EffectiveSemantics())
		if isSelected && severity.Of(finding.Kind) == severity.Error {
			problems = append(problems, finding.Subject+" "+finding.Problem)
		}
	}
	return problems
}

// selected returns the results under the selected semantics. These are either the results under one of the semantics or those under all of
// them, so a simulation with planned rules has the same number of results as one without.
func (in Input) selected(pkg *upgrade.Package, simulation upgrade.Simulation) []upgrade.SemanticsResult {
	return slices.DeleteFunc(simulation.Results, func(result upgrade.SemanticsResult) bool {
		return !in.Semantics.Includes(result.Semantics, pkg.EffectiveSemantics())
	})
}

// setUnfit marks the bundles that do not support the OpenShift version of the cluster, by the same rule as the manager. Unlike the manager,
// it does not check minKubeVersion and the kinds that the cluster serves, which are not known without a cluster.
func (in Input) setUnfit(pkg *upgrade.Package, from *catalog.Package) {
	if in.Cluster == nil {
		return
	}
	for i := range pkg.Bundles {
		bundle, _ := from.Bundle(pkg.Bundles[i].Name)
		permitted, err := compat.ReadMax(bundle.MaxOpenShiftVersions)
		switch {
		case err != nil:
			pkg.Bundles[i].Unfit = reason.Text(reason.UnreadableMaxOpenShift{Err: err.Error()})
		case permitted != nil && permitted.Compare(*in.Cluster) < 0:
			pkg.Bundles[i].Unfit = reason.Text(reason.MaxOpenShift{Max: *permitted, Cluster: in.Cluster.String()})
		}
	}
}

// newOutcome returns the outcome for an operator at the bundle with index at in simulation.Bundles.
func newOutcome(simulation upgrade.Simulation, result upgrade.SemanticsResult, at int) Outcome {
	from := result.Outcomes[at]
	outcome := Outcome{Semantics: result.Semantics, Stranded: from.Stranded, CutOff: from.CutOff}
	for _, next := range from.Path {
		outcome.Path = append(outcome.Path, simulation.Bundles[next].Version.String())
	}
	if from.Target >= 0 {
		outcome.Target = simulation.Bundles[from.Target].Version.String()
	}
	if from.Refusal.Reason != "" {
		goal := simulation.Head
		if simulation.Bundles[at].Version.Compare(simulation.Bundles[goal].Version) > 0 {
			goal = len(simulation.Bundles) - 1
		}
		outcome.Blocked = &Blocked{
			Version: simulation.Bundles[goal].Version.String(), Reason: from.Refusal.Reason, Message: from.Refusal.Message,
		}
	}
	return outcome
}

func changeOf(before, planned Outcome) Change {
	switch {
	case before.Blocked == nil && planned.Blocked != nil:
		return NewlyBlocked
	case before.Blocked != nil && planned.Blocked == nil:
		return Unblocked
	case before.Target != planned.Target:
		return OtherTarget
	case !slices.Equal(before.Path, planned.Path):
		return OtherPath
	case before.Blocked != nil && before.Blocked.Reason != planned.Blocked.Reason:
		return OtherReason
	}
	return Unchanged
}
