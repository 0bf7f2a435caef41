package platformoperator

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
)

const conditionsExposition = `# HELP platform_operators_condition [ALPHA] Conditions of PlatformOperators, as they are written there: 1 for the status and reason that each has.
# TYPE platform_operators_condition gauge
platform_operators_condition{condition="Healthy",platformoperator="sick",reason="Unhealthy",status="False"} 1
platform_operators_condition{condition="Installed",platformoperator="sick",reason="InstallSuccessful",status="True"} 1
platform_operators_condition{condition="Progressing",platformoperator="typo",reason="Blocked",status="False"} 1
`

func TestConditionsAreMeasuredAsTheyAreWritten(t *testing.T) {
	operators := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	registry := metrics.NewKubeRegistry()
	if err := registerConditionMetrics(platformlisters.NewPlatformOperatorLister(operators), registry.CustomRegister); err != nil {
		t.Fatal(err)
	}
	having := func(name string, conditions ...metav1.Condition) *platformv1alpha1.PlatformOperator {
		operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
		operator.Status.Conditions = conditions
		if err := operators.Add(operator); err != nil {
			t.Fatal(err)
		}
		return operator
	}
	sick := having("sick", metav1.Condition{Type: "Installed", Status: "True", Reason: "InstallSuccessful"}, metav1.Condition{Type: "Healthy", Status: "False", Reason: "Unhealthy"},
		metav1.Condition{Type: "example.com/Mine", Status: "True", Reason: "Whatever"})
	typo := having("typo", metav1.Condition{Type: "Progressing", Status: "False", Reason: "Blocked"})
	having("new")
	if err := testutil.GatherAndCompare(registry, strings.NewReader(conditionsExposition)); err != nil {
		t.Error(err)
	}
	wantLinted(t, conditionsExposition)

	for _, gone := range []*platformv1alpha1.PlatformOperator{sick, typo} {
		if err := operators.Delete(gone); err != nil {
			t.Fatal(err)
		}
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader("")); err != nil {
		t.Errorf("operators that are gone leave series behind: %v", err)
	}
}

func TestStepsAreMeasuredByTheirTrigger(t *testing.T) {
	registry, measured := metrics.NewKubeRegistry(), newStepMetrics()
	if err := measured.register(registry.Register); err != nil {
		t.Fatal(err)
	}
	started := metav1.Unix(1000, 0)
	for _, each := range []struct {
		trigger platformv1alpha1.Trigger
		took    int64
	}{{platformv1alpha1.TriggerInstallation, 8}, {platformv1alpha1.TriggerInstallation, 4000}, {platformv1alpha1.TriggerAutomatic, -3}} {
		measured.observe(&platformv1alpha1.HistoryEntry{Trigger: each.trigger, StartedTime: started, ReadyTime: ptr.To(metav1.Unix(1000+each.took, 0))})
	}
	const want = `# HELP platform_operators_hop_duration_seconds [ALPHA] Durations of upgrade steps, from the start until the version was complete and healthy, in seconds, by trigger.
# TYPE platform_operators_hop_duration_seconds histogram
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="5"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="10"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="30"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="60"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="120"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="300"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="600"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="1200"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="1800"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="3600"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Automatic",le="+Inf"} 1
platform_operators_hop_duration_seconds_sum{trigger="Automatic"} 0
platform_operators_hop_duration_seconds_count{trigger="Automatic"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="5"} 0
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="10"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="30"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="60"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="120"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="300"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="600"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="1200"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="1800"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="3600"} 1
platform_operators_hop_duration_seconds_bucket{trigger="Installation",le="+Inf"} 2
platform_operators_hop_duration_seconds_sum{trigger="Installation"} 4008
platform_operators_hop_duration_seconds_count{trigger="Installation"} 2
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	wantLinted(t, want)
}

func TestAStepIsMeasuredOnceWhenItsVersionIsReady(t *testing.T) {
	registry, measured := metrics.NewKubeRegistry(), newStepMetrics()
	if err := measured.register(registry.Register); err != nil {
		t.Fatal(err)
	}
	started, ready := metav1.Unix(1000, 0), ptr.To(metav1.Unix(1020, 0))
	entry := func(state platformv1alpha1.HistoryState, at *metav1.Time) *platformv1alpha1.PlatformOperator {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Status.History = []platformv1alpha1.HistoryEntry{{Bundle: "a.v1", StartedTime: started, State: state, ReadyTime: at, Trigger: platformv1alpha1.TriggerApproved}}
		return operator
	}
	installing, done := entry(platformv1alpha1.HistoryInstalling, nil), entry(platformv1alpha1.HistoryReady, ready)
	for _, step := range [][2]*platformv1alpha1.PlatformOperator{{entry("", nil), installing}, {installing, installing}, {installing, done}, {done, done}} {
		c := &controller{stepMetrics: measured, events: record.NewFakeRecorder(10), clock: clocktesting.NewFakePassiveClock(started.Time)}
		c.publish(&reconciliation{operator: step[0]}, step[1])
	}
	count, err := testutil.GetHistogramMetricCount(measured.duration.WithLabelValues(string(platformv1alpha1.TriggerApproved)))
	if err != nil || count != 1 {
		t.Errorf("measured %d times, %v; want once", count, err)
	}
	if sum, err := testutil.GetHistogramMetricValue(measured.duration.WithLabelValues(string(platformv1alpha1.TriggerApproved))); err != nil || sum != (20*time.Second).Seconds() {
		t.Errorf("measured %v s, %v; want 20", sum, err)
	}
}

func wantLinted(t *testing.T, exposition string) {
	t.Helper()
	problems, err := testutil.NewPromLinter(strings.NewReader(exposition)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the linter of metrics reports %v, %v", problems, err)
	}
}
