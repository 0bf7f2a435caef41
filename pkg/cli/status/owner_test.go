package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// TestCLI_18_ADeploymentOfAnotherOwnerBlocksNobody checks that a BundleDeployment that only has the name of a PlatformOperator is neither
// counted nor shown as its own.
func TestCLI_18_ADeploymentOfAnotherOwnerBlocksNobody(t *testing.T) {
	operator := platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "quay", UID: "1"}}
	operator.Status.Conditions = []metav1.Condition{{Type: "Installed", Status: "True"}, {Type: "Healthy", Status: "True"}}
	deployment := corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: "quay", UID: "2"}}
	deployment.Status.Conditions = []metav1.Condition{{Type: "Installed", Status: "False", Reason: corev1alpha2.ReasonInstallFailed}}
	deployment.Status.Unready = []string{"Deployment a/b"}
	objects := Objects{Operators: []platformv1alpha1.PlatformOperator{operator}, Deployments: []corev1alpha2.BundleDeployment{deployment}}
	report := NewOperatorReport(objects)
	if report.Summary.Blocked != 0 || report.IsBlocked() || len(report.Detail.Unready) > 0 {
		t.Errorf("got %+v and %+v, want nothing of the BundleDeployment", report.Summary, report.Detail)
	}
}
