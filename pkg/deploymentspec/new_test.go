package deploymentspec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestRecordSurvivesTheDeployment(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", UID: "1"}}
	want := *steptest.Bundle("1.0.0+build.7")
	want.MaxOpenShiftVersion, want.MaxOpenShiftVersionFrom = "4.21", platformv1alpha1.FromCatalog
	deployment := deploymentspec.New(operator, want, nil, "ns")
	if got := upgradestep.RecordedBundle(deployment); !cmp.Equal(&want, got) {
		t.Errorf("recorded and read back (-want +got):\n%s", cmp.Diff(&want, got))
	}
	if got := deployment.Labels[platformv1alpha1.LabelVersion]; got != "1.0.0_build.7" {
		t.Errorf("the version's label is %q", got)
	}
	if !ownership.BelongsTo(deployment, operator) {
		t.Error("the deployment is not owned by its operator")
	}
	deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{edited"
	if got := upgradestep.RecordedBundle(deployment); got != nil {
		t.Errorf("an unreadable record reads as %v", got)
	}
}

func TestStartIsRecordedWithItsBundle(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", UID: "1"}}
	start := upgradestep.StepStart{Started: metav1.Unix(100, 0), Trigger: platformv1alpha1.TriggerApproved, SpecHash: "a"}
	got := upgradestep.RecordedStart(deploymentspec.New(operator, *steptest.Bundle("1.0.0"), &start, "ns"))
	if diff := cmp.Diff(&start, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if got := upgradestep.RecordedStart(deploymentspec.New(operator, *steptest.Bundle("1.0.0"), nil, "ns")); got != nil {
		t.Errorf("an unknown start is recorded as %+v", got)
	}
}

func TestEveryFormatHasAClass(t *testing.T) {
	for format, want := range map[string]string{
		"": corev1alpha2.ProvisionerClassRegistry, "registry+v1": corev1alpha2.ProvisionerClassRegistry, "plain+v0": corev1alpha2.ProvisionerClassPlain,
		"helm+v3": corev1alpha2.ProvisionerClassRegistry, // it refuses the content
	} {
		bundle := *steptest.Bundle("1.0.0")
		bundle.Format = format
		if got := deploymentspec.New(&platformv1alpha1.PlatformOperator{}, bundle, nil, "ns").Spec.ProvisionerClassName; got != want {
			t.Errorf("%q: class %q, want %q", format, got, want)
		}
	}
}

func TestSpecIsPropagated(t *testing.T) {
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
	got := deploymentspec.New(operator, *steptest.Bundle("1.0.0"), nil, "memo").Spec
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

func TestMerge(t *testing.T) {
	config := func(raw string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(raw)} }
	for name, test := range map[string]struct {
		there, wanted, after corev1alpha2.BundleDeploymentSpec
	}{
		"what the manager no longer sets is removed": {
			there: corev1alpha2.BundleDeploymentSpec{OnFailure: corev1alpha2.OnFailureRollback, Config: config(`{"watchNamespace":"a"}`), Drift: &corev1alpha2.Drift{}},
		},
		"what it never sets is left to its owner": {
			there:  corev1alpha2.BundleDeploymentSpec{Approval: &corev1alpha2.Approval{Mode: corev1alpha2.ApprovalNone, PlanDigest: "sha256:1", ApprovedBy: "ada"}},
			wanted: corev1alpha2.BundleDeploymentSpec{Approval: &corev1alpha2.Approval{Mode: corev1alpha2.ApprovalRequired}},
			after:  corev1alpha2.BundleDeploymentSpec{Approval: &corev1alpha2.Approval{Mode: corev1alpha2.ApprovalRequired, PlanDigest: "sha256:1", ApprovedBy: "ada"}},
		},
		"a mode that nobody sets any more is removed": {
			there: corev1alpha2.BundleDeploymentSpec{Approval: &corev1alpha2.Approval{Mode: corev1alpha2.ApprovalRequired}},
		},
		"configuration that means the same is left as the API server gives it back": {
			there:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"deploymentConfig":{},"watchNamespace":"a"}`)},
			wanted: corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a","deploymentConfig":{}}`)},
			after:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"deploymentConfig":{},"watchNamespace":"a"}`)},
		},
		"configuration that means another thing is reverted": {
			there:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"b"}`)},
			wanted: corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
			after:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
		},
		"configuration that cannot be read is reverted": {
			there:  corev1alpha2.BundleDeploymentSpec{Config: config(`{`)},
			wanted: corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
			after:  corev1alpha2.BundleDeploymentSpec{Config: config(`{"watchNamespace":"a"}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			there, wanted := &corev1alpha2.BundleDeployment{Spec: test.there}, &corev1alpha2.BundleDeployment{Spec: test.wanted}
			before := there.DeepCopy()
			merged := deploymentspec.Merge(there, wanted, &platformv1alpha1.PlatformOperator{})
			if diff := cmp.Diff(test.after, merged.Spec); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, there); diff != "" {
				t.Errorf("the existing object was modified (-before +after):\n%s", diff)
			}
		})
	}
}

func TestMergeKeepsWhatOthersSet(t *testing.T) {
	named := &platformv1alpha1.PlatformOperator{}
	named.Spec.Install = &platformv1alpha1.Install{Namespace: "here"}
	there := &corev1alpha2.BundleDeployment{}
	there.Labels = map[string]string{"theirs": "1", "ours": "old"}
	there.Annotations = map[string]string{platformv1alpha1.AnnotationNamespaceDefaulted: "true", "theirs": "1"}
	wanted := &corev1alpha2.BundleDeployment{}
	wanted.Labels = map[string]string{"ours": "new"}
	for _, test := range []struct {
		operator    *platformv1alpha1.PlatformOperator
		annotations map[string]string
	}{
		{&platformv1alpha1.PlatformOperator{}, map[string]string{platformv1alpha1.AnnotationNamespaceDefaulted: "true", "theirs": "1"}},
		{named, map[string]string{"theirs": "1"}},
	} {
		merged := deploymentspec.Merge(there, wanted, test.operator)
		if diff := cmp.Diff(map[string]string{"theirs": "1", "ours": "new"}, merged.Labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(test.annotations, merged.Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
	}
}
