package operatorstatus

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// Event is an Event to send on a PlatformOperator.
type Event struct{ Type, Reason, Message string }

// Events returns the Events for the differences between two statuses of a PlatformOperator: a step whose outcome is new, an approval that
// is needed, and an override that came into effect or expired. deployment is the BundleDeployment; nil if none exists.
func Events(before, after *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment, now time.Time) (events []Event) {
	if entry := newOutcome(before, after); entry != nil {
		events = append(events, outcomeEvents(after, *entry, deployment)...)
	}
	if message := newApprovalMessage(before.Status, after.Status); message != "" {
		events = append(events, Event{corev1.EventTypeNormal, platformv1alpha1.EventApprovalNeeded, fmt.Sprintf("PlatformOperator %q: %s", after.Name, message)})
	}
	return append(events, overrideEvents(before, after, now)...)
}

// NewlyReady returns the newest entry of history if its version became ready between two statuses of a PlatformOperator; nil otherwise.
func NewlyReady(before, after *platformv1alpha1.PlatformOperator) *platformv1alpha1.HistoryEntry {
	if entry := newOutcome(before, after); entry != nil && entry.State == platformv1alpha1.HistoryReady {
		return entry
	}
	return nil
}

// newOutcome returns the newest entry of history if the entry is new or its state has changed; nil otherwise.
func newOutcome(before, after *platformv1alpha1.PlatformOperator) *platformv1alpha1.HistoryEntry {
	if len(after.Status.History) == 0 {
		return nil
	}
	newest := &after.Status.History[0]
	if len(before.Status.History) > 0 {
		old := before.Status.History[0]
		if old.Bundle == newest.Bundle && old.StartedTime.Equal(&newest.StartedTime) && old.State == newest.State {
			return nil
		}
	}
	return newest
}

func outcomeEvents(operator *platformv1alpha1.PlatformOperator, entry platformv1alpha1.HistoryEntry, deployment *corev1alpha2.BundleDeployment) []Event {
	switch entry.State {
	case platformv1alpha1.HistoryReady:
		reason, what := success(operator, entry)
		return []Event{{corev1.EventTypeNormal, reason, fmt.Sprintf("PlatformOperator %q %s version %s, which is complete and healthy, %s after the start",
			operator.Name, what, entry.Version, entry.ReadyTime.Sub(entry.StartedTime.Time))}}
	case platformv1alpha1.HistoryRolledBack:
		return []Event{{corev1.EventTypeWarning, platformv1alpha1.EventUpgradeFailed, fmt.Sprintf("PlatformOperator %q: %s missed its deadline and was rolled back to %s; the Progressing condition says why, and when it is tried again",
			operator.Name, attempted(entry), formerOf(operator, entry))}}
	case platformv1alpha1.HistoryFailed:
		what := "missed its deadline and is held; the Progressing condition says why"
		if installation := upgradestep.InstallationOf(deployment); installation.NeedsAction() {
			what = "cannot be installed: " + installation.Message
		}
		return []Event{{corev1.EventTypeWarning, failedReason(operator), fmt.Sprintf("PlatformOperator %q: %s %s", operator.Name, attempted(entry), what)}}
	}
	return nil
}

// success returns the reason of the Event for a completed step, and the words that precede the version in its message. If no version was
// ready before, the Event reports an installation, however often the installation was tried.
func success(operator *platformv1alpha1.PlatformOperator, entry platformv1alpha1.HistoryEntry) (reason, what string) {
	switch {
	case entry.Trigger == platformv1alpha1.TriggerRestored, !wasReadyBefore(operator):
		return platformv1alpha1.EventInstallSucceeded, "is installed at"
	case entry.Trigger == platformv1alpha1.TriggerInstallChange:
		return platformv1alpha1.EventUpgradeSucceeded, "is installed with the changed spec.install at"
	case entry.Trigger == platformv1alpha1.TriggerRetry:
		return platformv1alpha1.EventUpgradeSucceeded, "is upgraded in another attempt to"
	}
	return platformv1alpha1.EventUpgradeSucceeded, "is upgraded to"
}

// failedReason returns the reason of the Event for a failed step.
func failedReason(operator *platformv1alpha1.PlatformOperator) string {
	if wasReadyBefore(operator) {
		return platformv1alpha1.EventUpgradeFailed
	}
	return platformv1alpha1.EventInstallFailed
}

// wasReadyBefore reports whether a version was ready before the newest step. It is true for a full history, because the oldest entries are
// lost.
func wasReadyBefore(operator *platformv1alpha1.PlatformOperator) bool {
	return len(operator.Status.History) == platformv1alpha1.MaxHistory ||
		slices.ContainsFunc(operator.Status.History[1:], func(each platformv1alpha1.HistoryEntry) bool { return each.ReadyTime != nil })
}

// attempted returns a phrase for what a step tried to install.
func attempted(entry platformv1alpha1.HistoryEntry) string {
	if entry.Trigger == platformv1alpha1.TriggerInstallChange {
		return fmt.Sprintf("the changed spec.install of version %s", entry.Version)
	}
	return "version " + entry.Version
}

// formerOf returns a phrase for what a step was rolled back to.
func formerOf(operator *platformv1alpha1.PlatformOperator, entry platformv1alpha1.HistoryEntry) string {
	installed := VersionOf(operator.Status.Installed)
	if installed == entry.Version {
		return "the former one"
	}
	return "version " + installed
}

// VersionOf returns the version of a bundle for a message; "unknown" if the bundle is nil.
func VersionOf(bundle *platformv1alpha1.InstalledBundle) string {
	if bundle == nil {
		return "unknown"
	}
	return bundle.Version
}

// newApprovalMessage returns the message of the Progressing condition if it asks for an approval and differs from the previous message;
// empty otherwise.
func newApprovalMessage(before, after platformv1alpha1.PlatformOperatorStatus) string {
	condition := meta.FindStatusCondition(after.Conditions, platformv1alpha1.ConditionProgressing)
	old := meta.FindStatusCondition(before.Conditions, platformv1alpha1.ConditionProgressing)
	if condition == nil || condition.Reason != platformv1alpha1.ReasonAwaitingApproval || old != nil && old.Message == condition.Message {
		return ""
	}
	return condition.Message
}

// overrideEvents returns an Event if an override has come into effect, or if the one that was in effect has expired.
func overrideEvents(before, after *platformv1alpha1.PlatformOperator, now time.Time) []Event {
	override, old := overrideInEffect(after.Status), overrideInEffect(before.Status)
	switch {
	case override != nil && (old == nil || old.OpenShiftVersion != override.OpenShiftVersion):
		return []Event{{corev1.EventTypeWarning, platformv1alpha1.EventOverrideAcknowledged, fmt.Sprintf("PlatformOperator %q does not permit an upgrade of the cluster to OpenShift %s, and does not block it until %s, at an acknowledged risk: %s",
			after.Name, override.OpenShiftVersion, override.Expires.UTC().Format(time.RFC3339), override.Reason)}}
	case override == nil && old != nil && old.Expires != nil && !now.Before(old.Expires.Time):
		return []Event{{corev1.EventTypeWarning, platformv1alpha1.EventOverrideExpired, fmt.Sprintf("PlatformOperator %q: the compatibility override for OpenShift %s expired at %s; the Upgradeable condition says whether the operator blocks an upgrade of the cluster now",
			after.Name, old.OpenShiftVersion, old.Expires.UTC().Format(time.RFC3339))}}
	}
	return nil
}
