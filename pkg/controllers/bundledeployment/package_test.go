package bundledeployment

import (
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestObjectsAreAppliedForThePackageThatIsInstalled(t *testing.T) {
	for name, c := range map[string]struct {
		named string
		label map[string]string
		want  string
	}{
		"content that names it":                          {"memo", map[string]string{platformv1alpha1.LabelPackage: "other"}, "memo"},
		"content that names none, of a PlatformOperator": {"", map[string]string{platformv1alpha1.LabelPackage: "memo"}, "memo"},
		"content that names none, of nobody's":           {"", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &corev1alpha2.BundleDeployment{}
			deployment.Labels = c.label
			if got := (&reconciliation{deployment: deployment}).packageOf(c.named); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
