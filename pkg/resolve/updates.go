package resolve

import (
	"slices"
	"strings"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Update is a version above the installed one.
type Update struct {
	Candidate
	// Reachable reports whether a path of upgrade steps leads to the version. A reachable version may still be blocked, for example because
	// it is outside the range. In that case, the path is the one that would exist if the range permitted the version.
	Reachable bool
	// Path lists the versions on the path, up to and including this one. It is nil if there is no path, and for versions that status does
	// not list.
	Path []string
	// Reason and Cause are the reason why the version is blocked; empty and nil if it is not blocked. Cause is detailed only for the
	// versions in status, for the newest version with each reason, and for versions that the upgrade gate may name.
	Reason platformv1alpha1.BlockedReason
	Cause  reason.Reason
	// Fits reports whether the cluster can run the version.
	Fits bool
	// NotRequested reports whether the version is outside spec.package.version, or in none of the permitted channels.
	NotRequested bool
}

// Why returns a clause that completes a sentence beginning with the version; empty if the version is not blocked.
func (u Update) Why() string { return reason.Text(u.Cause) }

// blockedReasons maps each rule that can refuse a version to the reason in status.
var blockedReasons = map[string]platformv1alpha1.BlockedReason{
	RuleChannel:                    platformv1alpha1.BlockedChannel,
	RuleVersion:                    platformv1alpha1.BlockedUnfit,
	RuleImage:                      platformv1alpha1.BlockedUnfit,
	RuleFormat:                     platformv1alpha1.BlockedUnfit,
	RuleRange:                      platformv1alpha1.BlockedRange,
	RulePrerelease:                 platformv1alpha1.BlockedPrerelease,
	RuleDowngrade:                  platformv1alpha1.BlockedDowngrade,
	RuleApproval:                   platformv1alpha1.BlockedAwaitingApproval,
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

// updates returns every version above the installed one, newest first and without duplicates. If several catalogs contain a version, the
// result contains an available candidate for it, or, if there is none, the refused candidate that sorts first. It returns nil if nothing is
// installed.
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
		update, version := Update{Candidate: o.Candidate, Fits: o.unfit == nil}, o.Version.String()
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

// approvedTarget returns the option to upgrade to. Without manual approval, and for a first installation, it is best. Otherwise it is the
// approved version, or the installed one if the approved version does not fit. ok is false if neither of them is among the fitting options.
// The function also sets Awaiting and ApprovalProblem of the decision.
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
		decision.ApprovalProblem = q.whyNotApproved(decision.Refused)
	}
	if best.Version.Compare(q.installed) == 0 {
		return best, true
	}
	decision.Awaiting = &best.Candidate
	return target, ok
}

// hasPendingApproval reports whether the approved version is above the installed one, or invalid. A valid approved version that is not
// above the installed one was installed or skipped earlier.
func (q *query) hasPendingApproval() bool {
	text, release, _ := strings.Cut(strings.TrimSuffix(q.request.Approved, ")"), " (release ")
	version, err := upgrade.ParseVersion(text, release)
	return q.request.Approved != "" && (err != nil || version.Compare(q.installed) > 0)
}

// whyNotApproved returns a clause that says why the approved version is not installed.
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
