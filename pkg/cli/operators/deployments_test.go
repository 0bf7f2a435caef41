package operators

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// TestCLI_18_ADeploymentBelongsToItsController checks that a BundleDeployment with the name of a PlatformOperator does not count as its
// own.
func TestCLI_18_ADeploymentBelongsToItsController(t *testing.T) {
	quay := platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "quay", UID: "1"}}
	for name, test := range map[string]struct {
		kind, name string
		uid        types.UID
		isOwned    bool
	}{
		"its own":                 {"PlatformOperator", "quay", "1", true},
		"no owner":                {"", "quay", "", false},
		"of an earlier one":       {"PlatformOperator", "quay", "0", false},
		"of another kind":         {"Job", "quay", "1", false},
		"its own of another name": {"PlatformOperator", "other", "1", false},
	} {
		deployment := corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: test.name}}
		if test.kind != "" {
			isController := true
			deployment.OwnerReferences = []metav1.OwnerReference{{Kind: test.kind, Name: "quay", UID: test.uid, Controller: &isController}}
		}
		got := Assign([]platformv1alpha1.PlatformOperator{quay}, []corev1alpha2.BundleDeployment{deployment})
		if isOwned := got.Of(&quay) != nil; isOwned != test.isOwned || len(got.Unowned) == 1 == test.isOwned {
			t.Errorf("%s: owned is %t, and %d are not owned", name, isOwned, len(got.Unowned))
		}
	}
}
