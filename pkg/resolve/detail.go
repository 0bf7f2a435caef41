package resolve

import (
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// maxDeclared is of how many different values of olm.maxOpenShiftVersion the lowest version is explained in detail.
const maxDeclared = 32

// detail explains the refusals that somebody reads: which bundles and steps are in the way of a version takes searches of its own, which
// would be too many for every version of a large package.
func (s *study) detail(decision *Decision) {
	if len(s.closedIn) == 0 {
		return
	}
	read := s.readVersions(decision)
	why := map[string]string{}
	for i := range decision.Refused {
		refused := &decision.Refused[i]
		journey := s.closedIn[keyOf(refused.Candidate)]
		if journey == nil || !read[refused.Version.String()] {
			continue
		}
		if at, ok := journey.at[node{refused.Bundle.Name, refused.Version.String()}]; ok && !journey.reach.Reached(at) {
			refused.Why = journey.reach.Refusal(at).Why
			why[keyOf(refused.Candidate)] = refused.Why
		}
	}
	for i := range decision.Updates {
		update := &decision.Updates[i]
		if text, detailed := why[keyOf(update.Candidate)]; detailed {
			update.Why = text
		}
	}
}

// readVersions are the versions whose refusal is read: those that status shows, the newest for each reason and each rule, which conditions
// tell, the approved one, and the lowest above what is installed for each olm.maxOpenShiftVersion, one of which the upgrade gate names.
func (s *study) readVersions(decision *Decision) map[string]bool {
	type kind struct {
		reason  platformv1alpha1.BlockedReason
		unasked bool
	}
	read, kinds, rules, lowest := map[string]bool{s.ask.Approved: true}, map[kind]bool{}, map[string]bool{}, map[string]upgrade.Version{}
	for i, update := range decision.Updates {
		if of := (kind{update.Reason, update.Unasked}); i < platformv1alpha1.MaxAvailableUpdates || !kinds[of] {
			kinds[of] = true
			read[update.Version.String()] = true
		}
	}
	for _, refused := range decision.Refused {
		if !rules[refused.Rule] {
			rules[refused.Rule] = true
			read[refused.Version.String()] = true
		}
		if declared := strings.Join(refused.Bundle.MaxOpenShiftVersions, "\x00"); refused.Version.Compare(s.ask.installed) >= 0 {
			if _, known := lowest[declared]; known || len(lowest) < maxDeclared {
				lowest[declared] = refused.Version // they come newest first
			}
		}
	}
	for _, version := range lowest {
		read[version.String()] = true
	}
	return read
}
