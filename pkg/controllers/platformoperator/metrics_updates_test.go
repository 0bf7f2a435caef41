package platformoperator

import (
	"strings"
	"testing"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	clocktesting "k8s.io/utils/clock/testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
)

func TestMetricsOfWhatIsAvailable(t *testing.T) {
	registry := metrics.NewKubeRegistry()
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 11, 12, 0, 0, 0, time.UTC))
	o := newUpdateMetrics(clock)
	if err := o.register(registry.CustomRegister); err != nil {
		t.Fatal(err)
	}
	day := func(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }
	o.set("behind", operatorstatus.UpdateSummary{Since: day(2), Blocked: map[platformv1alpha1.BlockedReason]int{
		platformv1alpha1.BlockedAwaitingApproval: 1, platformv1alpha1.BlockedUnfit: 1, platformv1alpha1.BlockedRange: 1}})
	o.set("newest", operatorstatus.UpdateSummary{})
	o.set("gone", operatorstatus.UpdateSummary{Since: day(10)})
	o.forget("gone")
	want := `
# HELP platform_operators_blocked_updates [ALPHA] Versions above the installed one that are not installed now, by the reason that blocks them.
# TYPE platform_operators_blocked_updates gauge
platform_operators_blocked_updates{platformoperator="behind",reason="AwaitingApproval"} 1
platform_operators_blocked_updates{platformoperator="behind",reason="Range"} 1
platform_operators_blocked_updates{platformoperator="behind",reason="Unfit"} 1
# HELP platform_operators_behind_seconds [ALPHA] For how long there has been a version above the installed one that may be installed or only waits, by its bundle's createdAt.
# TYPE platform_operators_behind_seconds gauge
platform_operators_behind_seconds{platformoperator="behind"} 820800
platform_operators_behind_seconds{platformoperator="newest"} 0
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	clock.SetTime(clock.Now().Add(24 * time.Hour))
	if err := testutil.GatherAndCompare(registry, strings.NewReader(strings.Replace(want, "820800", "907200", 1))); err != nil {
		t.Errorf("a day later, without another sync: %v", err)
	}
}
