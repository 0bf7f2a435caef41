package operatorstatus

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestWhatIsListedAsBlockedCounts(t *testing.T) {
	sum := summarize([]resolve.Update{created("1.1.0", "2026-01-02", "")}, []platformv1alpha1.AvailableUpdate{{BlockedReason: platformv1alpha1.BlockedFailed}})
	if sum.Blocked[platformv1alpha1.BlockedFailed] != 1 || sum.Since.IsZero() {
		t.Errorf("got %+v", sum)
	}
}
