package operatorstatus

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestEventsOfWhatIsNew(t *testing.T) {
	type status = platformv1alpha1.PlatformOperatorStatus
	entry := func(state platformv1alpha1.HistoryState, trigger platformv1alpha1.Trigger) status {
		entry := platformv1alpha1.HistoryEntry{Version: "1.1.0", Bundle: "op.v1.1.0", State: state, Trigger: trigger, StartedTime: metav1.NewTime(noon)}
		if state == platformv1alpha1.HistoryReady {
			entry.ReadyTime = &metav1.Time{Time: noon.Add(time.Minute)}
		}
		return status{Installed: steptest.Bundle("1.0.0"), History: []platformv1alpha1.HistoryEntry{entry}}
	}
	later := func(state platformv1alpha1.HistoryState, trigger platformv1alpha1.Trigger) status {
		status := entry(state, trigger)
		status.History = append(status.History, platformv1alpha1.HistoryEntry{Version: "1.0.0", State: platformv1alpha1.HistoryReady, ReadyTime: &metav1.Time{Time: noon.Add(-time.Hour)}})
		return status
	}
	awaiting := func(message string) status {
		return status{Conditions: []metav1.Condition{{Type: platformv1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonAwaitingApproval, Message: message}}}
	}
	acknowledged := func(version string, expires time.Time) status {
		return status{Compatibility: &platformv1alpha1.Compatibility{Acknowledged: &corev1alpha2.CompatibilityOverride{OpenShiftVersion: version, Reason: "Ada", Expires: &metav1.Time{Time: expires}}}}
	}
	failed := steptest.Deployment("Unpacked=False")
	failed.Status.Conditions[0].Reason = corev1alpha2.ReasonUnpackFailed
	installing := entry(platformv1alpha1.HistoryInstalling, platformv1alpha1.TriggerAutomatic)
	for name, test := range map[string]struct {
		before, after status
		deployment    *corev1alpha2.BundleDeployment
		want          []Event
	}{
		"nothing":        {status{}, status{}, nil, nil},
		"a step started": {status{}, installing, steptest.Stale(), nil},
		"a first installation is ready": {installing, entry(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerInstallation), steptest.Healthy(), []Event{
			{"Normal", platformv1alpha1.EventInstallSucceeded, `PlatformOperator "op" is installed at version 1.1.0, which is complete and healthy, 1m0s after the start`}}},
		"a restoration is ready": {installing, entry(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerRestored), steptest.Healthy(), []Event{
			{"Normal", platformv1alpha1.EventInstallSucceeded, `PlatformOperator "op" is installed at version 1.1.0, which is complete and healthy, 1m0s after the start`}}},
		"an upgrade is ready": {installing, later(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerApproved), steptest.Healthy(), []Event{
			{"Normal", platformv1alpha1.EventUpgradeSucceeded, `PlatformOperator "op" is upgraded to version 1.1.0, which is complete and healthy, 1m0s after the start`}}},
		"an upgrade is ready, as it was": {entry(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerApproved), entry(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerApproved), steptest.Healthy(), nil},
		"rolled back": {installing, entry(platformv1alpha1.HistoryRolledBack, platformv1alpha1.TriggerAutomatic), steptest.RolledBack(), []Event{
			{"Warning", platformv1alpha1.EventUpgradeFailed, `PlatformOperator "op": version 1.1.0 missed its deadline and was rolled back to version 1.0.0; the Progressing condition says why, and when it is tried again`}}},
		"another configuration, rolled back": {installing, entry(platformv1alpha1.HistoryRolledBack, platformv1alpha1.TriggerInstallChange), steptest.RolledBack(), []Event{
			{"Warning", platformv1alpha1.EventUpgradeFailed, `PlatformOperator "op": the changed spec.install of version 1.1.0 missed its deadline and was rolled back to version 1.0.0; the Progressing condition says why, and when it is tried again`}}},
		"another configuration is ready": {installing, later(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerInstallChange), steptest.Healthy(), []Event{
			{"Normal", platformv1alpha1.EventUpgradeSucceeded, `PlatformOperator "op" is installed with the changed spec.install at version 1.1.0, which is complete and healthy, 1m0s after the start`}}},
		"another attempt is ready": {installing, later(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerRetry), steptest.Healthy(), []Event{
			{"Normal", platformv1alpha1.EventUpgradeSucceeded, `PlatformOperator "op" is upgraded in another attempt to version 1.1.0, which is complete and healthy, 1m0s after the start`}}},
		"another attempt of a first installation is ready": {installing, entry(platformv1alpha1.HistoryReady, platformv1alpha1.TriggerRetry), steptest.Healthy(), []Event{
			{"Normal", platformv1alpha1.EventInstallSucceeded, `PlatformOperator "op" is installed at version 1.1.0, which is complete and healthy, 1m0s after the start`}}},
		"held": {installing, entry(platformv1alpha1.HistoryFailed, platformv1alpha1.TriggerAutomatic), steptest.Overdue(), []Event{
			{"Warning", platformv1alpha1.EventInstallFailed, `PlatformOperator "op": version 1.1.0 missed its deadline and is held; the Progressing condition says why`}}},
		"an upgrade is held": {installing, later(platformv1alpha1.HistoryFailed, platformv1alpha1.TriggerAutomatic), steptest.Overdue(), []Event{
			{"Warning", platformv1alpha1.EventUpgradeFailed, `PlatformOperator "op": version 1.1.0 missed its deadline and is held; the Progressing condition says why`}}},
		"cannot be installed": {installing, entry(platformv1alpha1.HistoryFailed, platformv1alpha1.TriggerAutomatic), failed, []Event{
			{"Warning", platformv1alpha1.EventInstallFailed, `PlatformOperator "op": version 1.1.0 cannot be installed: Unpacked is False.`}}},
		"a version awaits approval": {status{}, awaiting("Approve 1.1.0."), nil, []Event{
			{"Normal", platformv1alpha1.EventApprovalNeeded, `PlatformOperator "op": Approve 1.1.0.`}}},
		"the same version does":   {awaiting("Approve 1.1.0."), awaiting("Approve 1.1.0."), nil, nil},
		"another version does":    {awaiting("Approve 1.1.0."), awaiting("Approve 1.2.0."), nil, []Event{{"Normal", platformv1alpha1.EventApprovalNeeded, `PlatformOperator "op": Approve 1.2.0.`}}},
		"an override is the same": {acknowledged("4.22", noon.Add(time.Hour)), acknowledged("4.22", noon.Add(time.Hour)), nil, nil},
		"an override takes effect": {status{}, acknowledged("4.22", noon.Add(time.Hour)), nil, []Event{
			{"Warning", platformv1alpha1.EventOverrideAcknowledged, `PlatformOperator "op" does not permit an upgrade of the cluster to OpenShift 4.22, and does not block it until 2026-01-01T13:00:00Z, at an acknowledged risk: Ada`}}},
		"an override expired": {acknowledged("4.22", noon), status{}, nil, []Event{
			{"Warning", platformv1alpha1.EventOverrideExpired, `PlatformOperator "op": the compatibility override for OpenShift 4.22 expired at 2026-01-01T12:00:00Z; the Upgradeable condition says whether the operator blocks an upgrade of the cluster now`}}},
		"an override is taken back": {acknowledged("4.22", noon.Add(time.Hour)), status{}, nil, nil},
	} {
		before, after := &platformv1alpha1.PlatformOperator{}, &platformv1alpha1.PlatformOperator{}
		before.Name, after.Name, before.Status, after.Status = "op", "op", test.before, test.after
		got := Events(before, after, test.deployment, noon)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		isReady := len(got) > 0 && strings.HasSuffix(got[0].Reason, "Succeeded")
		if newly := NewlyReady(before, after); (newly != nil) != isReady {
			t.Errorf("%s: newly ready is %+v", name, newly)
		}
	}
}
