package platformoperator

import (
	"strings"
	"testing"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	clocktesting "k8s.io/utils/clock/testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// created is an update whose bundle was created then.
func created(version, at string, reason platformv1alpha1.BlockedReason) resolve.Update {
	update := resolve.Update{Candidate: candidate(version), Reason: reason}
	update.Bundle.CreatedAt = at
	return update
}

func TestMetricsOfWhatIsAvailable(t *testing.T) {
	registry := metrics.NewKubeRegistry()
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 11, 12, 0, 0, 0, time.UTC))
	o, err := newOutlooks(clock, registry.CustomRegister)
	if err != nil {
		t.Fatal(err)
	}
	o.set("behind", outlookOf([]resolve.Update{
		created("1.4.0", "2026-01-10T00:00:00Z", ""),
		created("1.3.0", "2026-01-02", platformv1alpha1.BlockedAwaitingApproval),
		created("1.2.0", "2025-01-01", platformv1alpha1.BlockedUnfit), // nobody could have moved there
		created("1.1.0", "once upon a time", platformv1alpha1.BlockedRange),
	}, nil))
	o.set("newest", outlook{})
	o.set("gone", outlookOf([]resolve.Update{created("1.4.0", "2026-01-10", "")}, nil))
	o.forget("gone")
	want := `
# HELP platform_operators_blocked_updates [ALPHA] Versions above the installed one that are not moved to, by what is in the way.
# TYPE platform_operators_blocked_updates gauge
platform_operators_blocked_updates{platformoperator="behind",reason="AwaitingApproval"} 1
platform_operators_blocked_updates{platformoperator="behind",reason="Range"} 1
platform_operators_blocked_updates{platformoperator="behind",reason="Unfit"} 1
# HELP platform_operators_behind_seconds [ALPHA] For how long there has been a version above the installed one that may be moved to or is merely held up, by its bundle's createdAt.
# TYPE platform_operators_behind_seconds gauge
platform_operators_behind_seconds{platformoperator="behind"} 820800
platform_operators_behind_seconds{platformoperator="newest"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	clock.SetTime(clock.Now().Add(24 * time.Hour))
	if err := testutil.GatherAndCompare(registry, strings.NewReader(strings.Replace(want, "820800", "907200", 1))); err != nil {
		t.Errorf("a day later, without another look: %v", err)
	}
}

func TestWhatIsListedAsBlockedCounts(t *testing.T) {
	sum := outlookOf([]resolve.Update{created("1.1.0", "2026-01-02", "")}, []platformv1alpha1.AvailableUpdate{{BlockedReason: platformv1alpha1.BlockedFailed}})
	if sum.blocked[platformv1alpha1.BlockedFailed] != 1 || sum.since.IsZero() {
		t.Errorf("got %+v", sum)
	}
}
