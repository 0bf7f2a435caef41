package resolve

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// admitPrereleases decides which pre-releases a first installation may use. It is called with those that only prereleaseRule refuses. It
// first determines the version that would be installed without them. It admits the pre-releases to which an operator at that version could
// be upgraded, because edges of the author lead there, and refuses the others. Otherwise the operator would be installed at an older
// version and then immediately upgraded step by step.
func (e *Evaluation) admitPrereleases(prereleases []*Option) {
	admitted := map[*Option]bool{}
	if paths := e.pathsAfterInstallation(prereleases); paths != nil {
		for _, o := range prereleases {
			if _, cause := paths.whyUnreachable(o); cause == nil && o.priority == e.fitting[0].priority {
				admitted[o] = true
			}
		}
	}
	for _, o := range prereleases {
		if !admitted[o] {
			e.refused = append(e.refused, Refusal{Candidate: o.Candidate, Rule: o.rule, Cause: o.cause})
		}
	}
	if len(admitted) == 0 {
		return
	}
	for _, o := range e.fitting {
		admitted[o] = true
	}
	e.fitting = slices.DeleteFunc(slices.Clone(e.Options), func(o *Option) bool { return !admitted[o] })
}

// pathsAfterInstallation returns the upgrade paths that would start at the best fitting version after its installation. It returns nil if
// no version fits, if no pre-release is newer, or if upgrades need approval.
func (e *Evaluation) pathsAfterInstallation(prereleases []*Option) *upgradePaths {
	if len(e.fitting) == 0 || e.query.request.Manual { // an upgrade would need approval
		return nil
	}
	best := slices.MinFunc(e.fitting, preferred)
	isNewer := func(o *Option) bool { return o.priority == best.priority && o.Version.Compare(best.Version) > 0 }
	if !slices.ContainsFunc(prereleases, isNewer) {
		return nil
	}
	after := *e.query
	after.installed, after.ready = best.Version, []upgrade.Version{best.Version}
	after.request.InstalledBundle = best.Bundle.Name
	after.request.InstalledVersion, after.request.InstalledRelease = best.Bundle.Version, best.Bundle.Release
	return after.newUpgradePaths(e.selection, tierOf(e.Options, e.fitting))
}
