package upgradegate

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1 "github.com/openshift/api/operator/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
)

func TestHRD_G2_BundleDeploymentMadeByHandCounts(t *testing.T) {
	g := gateOf(t)
	g.clusterVersion(t, "4.21.0")
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "byhand", Finalizers: []string{corev1alpha2.Finalizer}}}
	set := func(presence corev1alpha2.Presence, most ...string) {
		t.Helper()
		deployment = deployment.DeepCopy()
		deployment.Status.Revisions = []corev1alpha2.Revision{{Number: 1, State: corev1alpha2.RevisionRollingOut, Version: "1.0.0", Presence: presence, MaxOpenShiftVersions: most}}
		if err := g.deployed.Add(deployment); err != nil {
			t.Fatal(err)
		}
	}
	set(corev1alpha2.Absent, `"4.21"`)
	g.want(t, "before its first write", operatorv1.ConditionTrue, compat.ReasonAsExpected, "no installed PlatformOperator can block")
	set(corev1alpha2.Present)
	g.want(t, "without a maximum", operatorv1.ConditionTrue, compat.ReasonAsExpected, "1 BundleDeployment permits OpenShift 4.22; it declares no")
	set(corev1alpha2.Present, `"4.21"`)
	g.want(t, "with one that is too low", operatorv1.ConditionFalse, compat.ReasonIncompatible,
		"- BundleDeployment byhand 1.0.0 allows at most 4.21: set its spec.source to a version that allows 4.22")
	deployment.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{{OpenShiftVersion: "4.22", Reason: "Ada"}}
	set(corev1alpha2.Present, `"4.21"`)
	g.want(t, "with an override that does not count", operatorv1.ConditionFalse, compat.ReasonIncompatible, "is ignored: set its expires")
	deployment.Spec.CompatibilityOverrides[0].Expires = &metav1.Time{Time: start.Add(time.Minute)}
	set(corev1alpha2.Present, `"4.21"`)
	g.want(t, "with one that does", operatorv1.ConditionTrue, compat.ReasonAsExpected, "overridden until 2026-03-01T12:01:00Z: Ada")
	g.time.SetTime(start.Add(time.Minute))
	g.want(t, "when that has ended", operatorv1.ConditionFalse, compat.ReasonIncompatible, "it expired at")
	deployment.DeletionTimestamp = &metav1.Time{Time: start}
	set(corev1alpha2.Present, `"4.21"`)
	g.want(t, "while it is taken down", operatorv1.ConditionFalse, compat.ReasonIncompatible, "BundleDeployment byhand")
	deployment.Finalizers = []string{"example.com/backup"}
	set(corev1alpha2.Present, `"4.21"`)
	g.want(t, "when others hold it", operatorv1.ConditionTrue, compat.ReasonAsExpected, "no installed PlatformOperator can block")
}

// HRD-G2: a bundle that a tenant installs with a ServiceAccount causes a warning and does not block.
func TestHRD_G2_AServiceAccountOfABundleDeploymentReachesTheGate(t *testing.T) {
	g := gateOf(t)
	g.clusterVersion(t, "4.21.0")
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "scoped", Finalizers: []string{corev1alpha2.Finalizer}}}
	deployment.Spec.InstallNamespace, deployment.Spec.ServiceAccountName = "tenant-a", "deployer"
	deployment.Status.Revisions = []corev1alpha2.Revision{{Number: 1, State: corev1alpha2.RevisionActive, Version: "1.0.0", Presence: corev1alpha2.Present, MaxOpenShiftVersions: []string{`"4.21"`}}}
	if err := g.deployed.Add(deployment); err != nil {
		t.Fatal(err)
	}
	g.want(t, "as a ServiceAccount", operatorv1.ConditionTrue, compat.ReasonAsExpected, "scoped")
}

func TestHRD_T9_PlanOfAnOperatorReachesTheRemedy(t *testing.T) {
	on := resolve.Cluster{Version: "4.21.0", KubeVersion: "v1.36.3"}
	c := &controller{catalogs: twoVersions{}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
	blocked := compass("", "4.21", "none")
	in := input{cluster: on, operators: []*platformv1alpha1.PlatformOperator{blocked}, deployments: deploymentsOf(blocked)}
	found := c.queryFor(in).run(&joint.Cache{}, nil)
	status := &in.deployments["compass"].Status
	status.Plan = &corev1alpha2.Plan{Revision: 2, Digest: "sha256:2000"}
	status.Revisions = append(status.Revisions, corev1alpha2.Revision{Number: 2, State: corev1alpha2.RevisionRollingOut, Version: "1.1.0", Presence: corev1alpha2.Absent})
	for reason, want := range map[string]string{
		corev1alpha2.ReasonAwaitingApproval: "update to >=1.1.0 (allows 4.22); approve the plan of version 1.1.0",
		corev1alpha2.ReasonAsExpected:       "update to >=1.1.0 (allows 4.22)",
	} {
		status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: reason}}
		verdict, err := compat.Evaluate(on.Version, c.bundlesOf(blocked, in, &found), start)
		if err != nil || len(verdict.Blockers) != 1 {
			t.Fatalf("%d blockers, %v: %s", len(verdict.Blockers), err, verdict.Message)
		}
		isAwaiting := reason == corev1alpha2.ReasonAwaitingApproval
		if got := verdict.Blockers[0]; !strings.HasPrefix(got.Remedy, want) || got.AwaitsApproval != isAwaiting || strings.Contains(got.Remedy, "plan") != isAwaiting {
			t.Errorf("%s: the remedy is %q, by an approval: %t", reason, got.Remedy, got.AwaitsApproval)
		}
	}
}
