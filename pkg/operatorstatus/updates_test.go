package operatorstatus

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/test/steptest"
)

// created returns an update with the version's candidate, the time of creation (at, as in the CSV) and the reason why it is blocked.
func created(version, at string, reason platformv1alpha1.BlockedReason) resolve.Update {
	update := resolve.Update{Candidate: steptest.Candidate(version), Reason: reason}
	update.Bundle.CreatedAt = at
	return update
}

func TestSummaryOfUpdates(t *testing.T) {
	for name, test := range map[string]struct {
		updates []resolve.Update
		want    UpdateSummary
	}{
		"several": {[]resolve.Update{
			created("1.4.0", "2026-01-10T00:00:00Z", ""),
			created("1.3.0", "2026-01-02", platformv1alpha1.BlockedAwaitingApproval),
			created("1.2.0", "2025-01-01", platformv1alpha1.BlockedUnfit), // it could not have been moved to
			created("1.1.0", "once upon a time", platformv1alpha1.BlockedRange),
		}, UpdateSummary{Since: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Blocked: map[platformv1alpha1.BlockedReason]int{
			platformv1alpha1.BlockedAwaitingApproval: 1, platformv1alpha1.BlockedUnfit: 1, platformv1alpha1.BlockedRange: 1}}},
		"one that nothing blocks": {[]resolve.Update{created("1.4.0", "2026-01-10", "")},
			UpdateSummary{Since: time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC), Blocked: map[platformv1alpha1.BlockedReason]int{}}},
		"none": {nil, UpdateSummary{Blocked: map[platformv1alpha1.BlockedReason]int{}}},
	} {
		if diff := cmp.Diff(&test.want, summarize(test.updates, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// HRD-T9: status.availableUpdates names the updates that wait for the approval of a plan.
func TestHRD_T9_UpdatesThatWaitForThePlanOfTheNextVersion(t *testing.T) {
	awaiting := steptest.Deployment("HasValidBundle=True", "Installed=True", "Healthy=True", "Progressing=False")
	awaiting.Status.Conditions[3].Reason = corev1alpha2.ReasonAwaitingApproval
	update := func(version string, reason platformv1alpha1.BlockedReason, path ...string) resolve.Update {
		return resolve.Update{Candidate: steptest.Candidate(version), Path: path, Reason: reason}
	}
	decision := steptest.Choosing("1.0.0", "1.2.0")
	decision.Updates = []resolve.Update{
		update("1.4.0", platformv1alpha1.BlockedAwaitingApproval, "1.1.0", "1.4.0"), update("1.3.0", "", "1.3.0"),
		update("1.2.0", "", "1.1.0", "1.2.0"), update("1.1.0", "", "1.1.0"),
	}
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		recorded   string
		want       []platformv1alpha1.BlockedReason
	}{
		"while the next version waits": {awaiting, "1.1.0", []platformv1alpha1.BlockedReason{
			platformv1alpha1.BlockedAwaitingApproval, "", platformv1alpha1.BlockedAwaitingPlanApproval, platformv1alpha1.BlockedAwaitingPlanApproval}},
		"while settings of the installed version wait": {awaiting, "1.0.0", []platformv1alpha1.BlockedReason{platformv1alpha1.BlockedAwaitingApproval, "", "", ""}},
		"while the next version rolls out":             {steptest.Unhealthy(), "1.1.0", []platformv1alpha1.BlockedReason{platformv1alpha1.BlockedAwaitingApproval, "", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			status := Compute(running(movesTo(test.recorded), becomes(test.deployment), decided(decision))).Status
			var got []platformv1alpha1.BlockedReason
			for _, each := range status.AvailableUpdates {
				got = append(got, each.BlockedReason)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsListedAsBlockedCounts(t *testing.T) {
	sum := summarize([]resolve.Update{created("1.1.0", "2026-01-02", "")}, []platformv1alpha1.AvailableUpdate{{BlockedReason: platformv1alpha1.BlockedFailed}})
	if sum.Blocked[platformv1alpha1.BlockedFailed] != 1 || sum.Since.IsZero() {
		t.Errorf("got %+v", sum)
	}
}
