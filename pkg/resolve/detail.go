package resolve

import (
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// maxDeclared is the maximum number of different values of olm.maxOpenShiftVersion for which the lowest refused version gets a detailed
// reason.
const maxDeclared = 32

// addDetails gives detailed reasons to those unreachable versions that detailedVersions selects. A detailed reason, such as the bundles
// that block a path, takes its own search, which is too slow for every version of a large package.
func (e *Evaluation) addDetails(decision *Decision) {
	if len(e.unreachableIn) == 0 {
		return
	}
	read := e.detailedVersions(decision)
	detailed := map[string]reason.Reason{}
	for i := range decision.Refused {
		refused := &decision.Refused[i]
		paths := e.unreachableIn[keyOf(refused.Candidate)]
		if paths == nil || !read[refused.Version.String()] {
			continue
		}
		if at, ok := paths.positions[node{refused.Bundle.Name, refused.Version.String()}]; ok && !paths.reach.IsReachable(at) {
			refused.Cause = reason.Rendered(paths.reach.Refusal(at).Message)
			detailed[keyOf(refused.Candidate)] = refused.Cause
		}
	}
	for i := range decision.Updates {
		update := &decision.Updates[i]
		if cause, isDetailed := detailed[keyOf(update.Candidate)]; isDetailed {
			update.Cause = cause
		}
	}
}

// detailedVersions returns the versions whose refusals are shown to users: those in status, the newest one for each reason and rule, and
// the approved one. For each value of olm.maxOpenShiftVersion, it also returns the lowest version that is not below the installed one,
// because the upgrade gate may name that version.
func (e *Evaluation) detailedVersions(decision *Decision) map[string]bool {
	type kind struct {
		reason       platformv1alpha1.BlockedReason
		notRequested bool
	}
	read, kinds, rules, lowest := map[string]bool{e.query.request.Approved: true}, map[kind]bool{}, map[string]bool{}, map[string]upgrade.Version{}
	for i, update := range decision.Updates {
		if of := (kind{update.Reason, update.NotRequested}); i < platformv1alpha1.MaxAvailableUpdates || !kinds[of] {
			kinds[of] = true
			read[update.Version.String()] = true
		}
	}
	for _, refused := range decision.Refused {
		if !rules[refused.Rule] {
			rules[refused.Rule] = true
			read[refused.Version.String()] = true
		}
		if declared := strings.Join(refused.Bundle.MaxOpenShiftVersions, "\x00"); refused.Version.Compare(e.query.installed) >= 0 {
			if _, known := lowest[declared]; known || len(lowest) < maxDeclared {
				lowest[declared] = refused.Version // refusals are sorted, newest first
			}
		}
	}
	for _, version := range lowest {
		read[version.String()] = true
	}
	return read
}
