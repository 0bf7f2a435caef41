package deploymentmetrics

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const exposition = `# HELP platform_operators_drift_repairs_total [ALPHA] Objects that the manager restored after others had changed or deleted them.
# TYPE platform_operators_drift_repairs_total counter
platform_operators_drift_repairs_total{bundledeployment="memo"} 3
# HELP platform_operators_drifted [ALPHA] BundleDeployments with drift that the manager does not revert, by the reason of the Drifted condition.
# TYPE platform_operators_drifted gauge
platform_operators_drifted{bundledeployment="memo",reason="DriftContested"} 1
# HELP platform_operators_last_rollout_duration_seconds [ALPHA] Duration of the rollout of the last revision that became active, in seconds.
# TYPE platform_operators_last_rollout_duration_seconds gauge
platform_operators_last_rollout_duration_seconds{bundledeployment="memo"} 12
# HELP platform_operators_rollouts_total [ALPHA] Revisions that became active (succeeded) or missed their deadline (deadline_exceeded).
# TYPE platform_operators_rollouts_total counter
platform_operators_rollouts_total{bundledeployment="memo",outcome="deadline_exceeded"} 1
platform_operators_rollouts_total{bundledeployment="memo",outcome="succeeded"} 1
`

func TestMetrics(t *testing.T) {
	known := metrics.NewKubeRegistry()
	m, err := New(known.Register)
	if err != nil {
		t.Fatal(err)
	}
	started := metav1.Unix(1000, 0)
	m.Repaired("memo", 3)
	m.Repaired("memo", 0)
	m.setDrift("memo", corev1alpha2.ReasonDriftReported)
	m.setDrift("memo", corev1alpha2.ReasonDriftContested)
	m.setDrift("other", corev1alpha2.ReasonDriftReported)
	m.SetDrift("other", corev1alpha2.BundleDeploymentStatus{})
	m.Failed("memo")
	m.Succeeded("memo", &started, time.Unix(1012, 0))
	if err := testutil.GatherAndCompare(known, strings.NewReader(exposition)); err != nil {
		t.Error(err)
	}
	problems, err := testutil.NewPromLinter(strings.NewReader(exposition)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the Prometheus linter returned problems %v and error %v", problems, err)
	}
	m.Forget("memo")
	if err := testutil.GatherAndCompare(known, strings.NewReader("")); err != nil {
		t.Errorf("Forget did not delete all series: %v", err)
	}
}

func TestSetDrift(t *testing.T) {
	for name, test := range map[string]struct {
		condition metav1.Condition
		want      string
	}{
		"contested":         {metav1.Condition{Type: corev1alpha2.ConditionDrifted, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonDriftContested}, corev1alpha2.ReasonDriftContested},
		"reported":          {metav1.Condition{Type: corev1alpha2.ConditionDrifted, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonDriftReported}, corev1alpha2.ReasonDriftReported},
		"ignored":           {metav1.Condition{Type: corev1alpha2.ConditionDrifted, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonDriftIgnored}, ""},
		"another condition": {metav1.Condition{Type: corev1alpha2.ConditionHealthy, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonDriftContested}, ""},
	} {
		if got := drifted(corev1alpha2.BundleDeploymentStatus{Conditions: []metav1.Condition{test.condition}}); got != test.want {
			t.Errorf("%s: drifted() = %q, want %q", name, got, test.want)
		}
	}
}
