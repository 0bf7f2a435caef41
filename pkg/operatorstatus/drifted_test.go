package operatorstatus

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// TestHRD_U7_DriftIsThatOfTheBundleDeployment tests that the message names fields of the PlatformOperator.
func TestHRD_U7_DriftIsThatOfTheBundleDeployment(t *testing.T) {
	for name, test := range map[string]struct {
		of metav1.Condition // of the BundleDeployment
		// isInstalled means that Installed of the BundleDeployment reports no problem.
		isInstalled bool
		want        string
	}{
		"no drift":    {isFalse(corev1alpha2.ReasonAsExpected, "No drift."), false, "False AsExpected: No drift."},
		"ignored":     {isFalse(corev1alpha2.ReasonDriftIgnored, "Ignored."), false, "False DriftIgnored: Ignored."},
		"reported":    {isTrue(corev1alpha2.ReasonDriftReported, "Because spec.drift.policy is Report."), false, "True DriftReported: Because spec.install.drift.policy is Report."},
		"contested":   {isTrue(corev1alpha2.ReasonDriftContested, "Again."), false, "True DriftContested: Again."},
		"not applied": {isUnknown(corev1alpha2.ReasonInstallPending, "Nothing is applied yet."), false, "Unknown Unknown: Nothing is applied yet."},
		"not repaired": {isUnknown(corev1alpha2.ReasonReconcileFailed, "Cannot be repaired; the Installed condition gives the cause."), false,
			`Unknown Unknown: Some objects cannot be read or repaired; the conditions of BundleDeployment "op" give the cause.`},
		"not compared": {metav1.Condition{}, false, "Unknown Unknown: The operator's objects have not been compared with their declaration yet."},
		"not read": {isUnknown(corev1alpha2.ReasonReconcileFailed, "Some objects cannot be read; the Healthy condition gives the cause."), true,
			"Unknown Unknown: Some objects cannot be read; the Healthy condition gives the cause."},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "op"}}
			if test.isInstalled {
				meta.SetStatusCondition(&deployment.Status.Conditions, metav1.Condition{
					Type: corev1alpha2.ConditionInstalled, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonInstallationSucceeded,
				})
			}
			if test.of.Status != "" {
				test.of.Type = corev1alpha2.ConditionDrifted
				meta.SetStatusCondition(&deployment.Status.Conditions, test.of)
			}
			operator := &platformv1alpha1.PlatformOperator{}
			operator.Status.Installed = &platformv1alpha1.InstalledBundle{Version: "1.0.0"}
			got := driftedCondition(&report{in: Input{Current: upgradestep.Current{Deployment: deployment}}, operator: operator})
			if text := string(got.Status) + " " + got.Reason + ": " + got.Message; text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
	if got := driftedCondition(&report{operator: &platformv1alpha1.PlatformOperator{}}); got.Status != metav1.ConditionUnknown || got.Message != "Nothing is installed." {
		t.Errorf("without an installed version: %+v", got)
	}
}
