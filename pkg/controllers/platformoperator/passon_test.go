package platformoperator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestEngineSettingsArePassedOn(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{}
	operator.Spec.Deletion = &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete}
	operator.Spec.Install = &platformv1alpha1.Install{
		Config: &platformv1alpha1.InstallConfig{
			WatchNamespace:   "memo",
			DeploymentConfig: &platformv1alpha1.DeploymentConfig{Env: []corev1.EnvVar{{Name: "LEVEL", Value: "2"}}},
		},
		Drift:                   &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport},
		ProgressDeadlineSeconds: ptr.To[int32](60),
		OnFailure:               corev1alpha2.OnFailureRollback,
		Adoption:                corev1alpha2.AdoptionAny,
	}
	got := newDeployment(operator, *at("1.0.0"), nil, "memo").Spec
	want := corev1alpha2.BundleDeploymentSpec{
		InstallNamespace:     "memo",
		ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
		Source: corev1alpha2.BundleSource{
			Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: "registry.invalid/op:1.0.0"},
		},
		Config:                  &runtime.RawExtension{Raw: []byte(`{"watchNamespace":"memo","deploymentConfig":{"env":[{"name":"LEVEL","value":"2"}]}}`)},
		Drift:                   &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport},
		ProgressDeadlineSeconds: ptr.To[int32](60),
		OnFailure:               corev1alpha2.OnFailureRollback,
		Adoption:                corev1alpha2.AdoptionAny,
		Deletion:                &corev1alpha2.Deletion{CRDs: corev1alpha2.CRDsDelete},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the BundleDeployment's spec (-want +got):\n%s", diff)
	}
}

func TestOverlay(t *testing.T) {
	config := func(raw string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(raw)} }
	for name, test := range map[string]struct {
		there, wanted, after corev1alpha2.BundleDeploymentSpec
	}{
		"what the manager sets no more goes": {
			there: corev1alpha2.BundleDeploymentSpec{OnFailure: corev1alpha2.OnFailureRollback, Config: config(`{"watchNamespace":"a"}`), Drift: &corev1alpha2.Drift{}},
		},
		"what it never sets is left to its owner": {
			there: corev1alpha2.BundleDeploymentSpec{Preflight: &corev1alpha2.Preflight{}},
			after: corev1alpha2.BundleDeploymentSpec{Preflight: &corev1alpha2.Preflight{}},
		},
		"configuration that means the same is left as the API server gives it back": {
			there:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"deploymentConfig":{},"watchNamespace":"a"}`)},
			wanted: corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a","deploymentConfig":{}}`)},
			after:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"deploymentConfig":{},"watchNamespace":"a"}`)},
		},
		"configuration that means another thing is put back": {
			there:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"b"}`)},
			wanted: corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
			after:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
		},
		"configuration that cannot be read is put back": {
			there:  corev1alpha2.BundleDeploymentSpec{Config: config(`{`)},
			wanted: corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
			after:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			overlay(&test.there, test.wanted)
			if diff := cmp.Diff(test.after, test.there); diff != "" {
				t.Errorf("after the overlay (-want +got):\n%s", diff)
			}
		})
	}
}
