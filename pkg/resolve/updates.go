package resolve

import (
	"slices"
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Update is a version above what is installed.
type Update struct {
	Candidate
	// Reachable says that there is a way there. There may be one, and something else against it, such as the range: then it is the way
	// if the range went on to there.
	Reachable bool
	// Path are the versions on the way there, itself the last; none when there is no way, and for what status does not show.
	Path []string
	// Reason and Cause say what is in the way; empty and nil if nothing is. Cause has details for what status shows, for the newest
	// version of each reason, and for what an upgrade of the cluster may ask for.
	Reason platformv1alpha1.BlockedReason
	Cause  reason.Reason
	// NotRequested says that it is outside spec.package.version, or in none of the channels to choose from.
	NotRequested bool
}

// Why is the rest of a sentence that begins with the version; empty if nothing is in the way.
func (u Update) Why() string { return reason.Text(u.Cause) }

// blockedReasons are what status says of a version that a rule refused.
var blockedReasons = map[string]platformv1alpha1.BlockedReason{
	RuleChannel:                    platformv1alpha1.BlockedChannel,
	RuleVersion:                    platformv1alpha1.BlockedUnfit,
	RuleImage:                      platformv1alpha1.BlockedUnfit,
	RuleFormat:                     platformv1alpha1.BlockedUnfit,
	RuleRange:                      platformv1alpha1.BlockedRange,
	RulePrerelease:                 platformv1alpha1.BlockedPrerelease,
	RuleDowngrade:                  platformv1alpha1.BlockedDowngrade,
	RuleMaxOpenShift:               platformv1alpha1.BlockedUnfit,
	RuleMinKube:                    platformv1alpha1.BlockedUnfit,
	RuleInstallModes:               platformv1alpha1.BlockedUnfit,
	RuleNotAllowed:                 platformv1alpha1.BlockedNotAllowed,
	RulePriority:                   platformv1alpha1.BlockedPriority,
	RulePath:                       platformv1alpha1.BlockedRange,
	RuleAPIServices:                platformv1alpha1.BlockedUnfit,
	RuleExternallyManaged:          platformv1alpha1.BlockedConflict,
	RuleRequirement:                platformv1alpha1.BlockedRequirement,
	RuleConflict:                   platformv1alpha1.BlockedConflict,
	string(upgrade.RulesInvalid):   platformv1alpha1.BlockedRulesInvalid,
	string(upgrade.Downgrade):      platformv1alpha1.BlockedDowngrade,
	string(upgrade.Unfit):          platformv1alpha1.BlockedUnfit,
	string(upgrade.BlockedBySteps): platformv1alpha1.BlockedStep,
	string(upgrade.NoEdge):         platformv1alpha1.BlockedNoEdge,

	string(upgrade.SearchLimit): platformv1alpha1.BlockedSearchLimit,
}

// updates lists every version above what is installed. Where several catalogs have one, what can be moved to is listed, else
// what is in the way of the one that counts most.
func (q *query) updates(options []*Option, decision Decision, paths *upgradePaths) []Update {
	if q.installed.IsZero() {
		return nil
	}
	available, refused := make(map[string]bool, len(decision.Available)), make(map[string]*Refusal, len(decision.Refused))
	key := keyOf
	for _, c := range decision.Available {
		available[key(c)] = true
	}
	for i := range decision.Refused {
		refused[key(decision.Refused[i].Candidate)] = &decision.Refused[i]
	}
	higher := slices.DeleteFunc(slices.Clone(options), func(o *Option) bool { return o.Version.IsZero() || o.Version.Compare(q.installed) <= 0 })
	if len(higher) == 0 {
		return nil
	}
	updates, at := make([]Update, 0, len(higher)), make(map[string]int, len(higher))
	for _, o := range higher {
		update, version := Update{Candidate: o.Candidate}, o.Version.String()
		update.Reachable = paths.isReachable(o)
		if _, known := at[version]; (known || len(updates) < platformv1alpha1.MaxAvailableUpdates) && update.Reachable {
			update.Path = paths.versionsTo(o)
		}
		refusal, blocked := refused[key(o.Candidate)]
		switch {
		case available[key(o.Candidate)]:
			if problem := paths.ambiguity(o); problem != nil {
				update.Reason, update.Cause = platformv1alpha1.BlockedAmbiguous, reason.Immovable{Problem: problem}
			} else if q.request.Manual && version != q.request.Approved {
				update.Reason = platformv1alpha1.BlockedAwaitingApproval
				update.Cause = reason.AwaitingApproval{Version: version}
			}
		case blocked:
			update.Reason, update.Cause = blockedReasons[refusal.Rule], refusal.Cause
			update.NotRequested = refusal.Rule == RuleRange || refusal.Rule == RuleChannel
		}
		if before, known := at[version]; known {
			if !available[key(updates[before].Candidate)] && available[key(o.Candidate)] {
				updates[before] = update
			}
			continue
		}
		at[version] = len(updates)
		updates = append(updates, update)
	}
	return updates
}

// approvedTarget is what may be moved to: the best there is, or with manual approval the approved version, else what is installed; ok
// is false where no catalog has that any more.
func (q *query) approvedTarget(fitting []*Option, best *Option, decision *Decision) (target *Option, ok bool) {
	if !q.request.Manual || q.installed.IsZero() {
		return best, true
	}
	for _, o := range fitting {
		if o.Version.Compare(q.installed) == 0 {
			target, ok = o, true
		} else if o.Version.String() == q.request.Approved {
			return o, true
		}
	}
	if q.hasPendingApproval() {
		decision.AwaitingWhy = q.whyNotApproved(decision.Refused)
	}
	if best.Version.Compare(q.installed) == 0 {
		return best, true
	}
	decision.Awaiting = &best.Candidate
	return target, ok
}

// hasPendingApproval returns whether the approved version is still to be moved to. What is installed has been, and what is older was,
// or has been passed over.
func (q *query) hasPendingApproval() bool {
	text, release, _ := strings.Cut(strings.TrimSuffix(q.request.Approved, ")"), " (release ")
	version, err := upgrade.ParseVersion(text, release)
	return q.request.Approved != "" && (err != nil || version.Compare(q.installed) > 0)
}

// whyNotApproved says why the approved version is not moved to.
func (q *query) whyNotApproved(refusals []Refusal) string {
	refused := reason.ApprovedRefused{Version: q.request.Approved}
	for _, r := range refusals {
		if r.Version.String() == q.request.Approved {
			refused.Why = r.Cause
			break
		}
	}
	return reason.Text(refused)
}
