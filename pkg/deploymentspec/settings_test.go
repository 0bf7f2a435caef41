package deploymentspec_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestSettingsChange(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*platformv1alpha1.PlatformOperator)
		want   upgradestep.SettingsChange
	}{
		"nothing":           {func(*platformv1alpha1.PlatformOperator) {}, upgradestep.NoChange},
		"no install at all": {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Install = nil }, upgradestep.NoChange},
		"the configuration": {func(o *platformv1alpha1.PlatformOperator) {
			o.Spec.Install.Config = &platformv1alpha1.InstallConfig{DeploymentConfig: &platformv1alpha1.DeploymentConfig{Env: []corev1.EnvVar{{Name: "A"}}}}
		}, upgradestep.ConfigChanged},
		"an empty configuration":   {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Install.Config = &platformv1alpha1.InstallConfig{} }, upgradestep.NoChange},
		"the adoption":             {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Install.Adoption = corev1alpha2.AdoptionAny }, upgradestep.InstallChanged},
		"the adoption that it was": {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Install.Adoption = corev1alpha2.AdoptionSamePackage }, upgradestep.NoChange},
		"the deadline":             {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Install.ProgressDeadlineSeconds = ptr.To[int32](60) }, upgradestep.InstallChanged},
		"the deadline that it was": {func(o *platformv1alpha1.PlatformOperator) {
			o.Spec.Install.ProgressDeadlineSeconds = ptr.To[int32](1800)
		}, upgradestep.NoChange},
		"the policy for failures": {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Install.OnFailure = corev1alpha2.OnFailureRollback }, upgradestep.NoChange},
		"the policy for drift": {func(o *platformv1alpha1.PlatformOperator) {
			o.Spec.Install.Drift = &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport}
		}, upgradestep.NoChange},
		"the pause":                 {func(o *platformv1alpha1.PlatformOperator) { o.Spec.Paused = true }, upgradestep.NoChange},
		"the annotation":            {func(o *platformv1alpha1.PlatformOperator) { o.Annotations[platformv1alpha1.AnnotationRetry] = "2" }, upgradestep.RetryRequested},
		"the annotation is removed": {func(o *platformv1alpha1.PlatformOperator) { o.Annotations = nil }, upgradestep.NoChange},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{}
			operator.Annotations = map[string]string{platformv1alpha1.AnnotationRetry: "1"}
			operator.Spec.Install = &platformv1alpha1.Install{}
			existing := deploymentspec.New(operator, *steptest.Bundle("1.0.0"), nil, "op")
			test.change(operator)
			if got := deploymentspec.SettingsChange(operator, existing); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}

			// The engine tries a failed version again in the same cases.
			merged := deploymentspec.Merge(existing, deploymentspec.New(operator, *steptest.Bundle("1.0.0"), nil, "op"), operator)
			isOtherAttempt := revision.AttemptOf(existing) != revision.AttemptOf(merged)
			if want := test.want == upgradestep.InstallChanged || test.want == upgradestep.RetryRequested; isOtherAttempt != want {
				t.Errorf("another attempt of the engine: %t", isOtherAttempt)
			}
		})
	}
	if got := deploymentspec.SettingsChange(&platformv1alpha1.PlatformOperator{}, nil); got != upgradestep.NoChange {
		t.Errorf("without a BundleDeployment: %q", got)
	}
}
