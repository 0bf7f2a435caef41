package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestPoliciesOf(t *testing.T) {
	ignore := []corev1alpha2.DriftIgnore{{JSONPointers: []string{"/spec/replicas"}}}
	class := corev1alpha2.ProvisionerClassSpec{
		Drift:    &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport, Ignore: ignore},
		Deletion: &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete},
	}
	cases := map[string]struct {
		spec  corev1alpha2.BundleDeploymentSpec
		class corev1alpha2.ProvisionerClassSpec
		want  Policies
	}{
		"both unset": {},
		"class only": {class: class, want: Policies{corev1alpha2.Drift{Policy: corev1alpha2.DriftReport, Ignore: ignore}, corev1alpha2.CRDsDelete}},
		"the spec overrides single fields": {
			spec: corev1alpha2.BundleDeploymentSpec{
				Drift:    &corev1alpha2.Drift{Policy: corev1alpha2.DriftEnforce, Additions: corev1alpha2.AdditionsRemove},
				Deletion: &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsOrphan},
			},
			class: class,
			want:  Policies{corev1alpha2.Drift{Policy: corev1alpha2.DriftEnforce, Additions: corev1alpha2.AdditionsRemove, Ignore: ignore}, corev1alpha2.CRDsOrphan},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := PoliciesOf(c.spec, c.class)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
