package deploymentspec_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
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
			isOtherAttempt := attempt.Of(existing) != attempt.Of(merged)
			if want := test.want == upgradestep.InstallChanged || test.want == upgradestep.RetryRequested; isOtherAttempt != want {
				t.Errorf("another attempt of the engine: %t", isOtherAttempt)
			}
		})
	}
	if got := deploymentspec.SettingsChange(&platformv1alpha1.PlatformOperator{}, nil); got != upgradestep.NoChange {
		t.Errorf("without a BundleDeployment: %q", got)
	}
}

// play syncs a PlatformOperator whose version 1.0.0 is ready, once after each change, and returns its BundleDeployment and the triggers of
// the steps that started.
func play(existing *corev1alpha2.BundleDeployment, operator *platformv1alpha1.PlatformOperator, changes ...func()) (*corev1alpha2.BundleDeployment, []platformv1alpha1.Trigger) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	bundle := *steptest.Bundle("1.0.0")
	start := &upgradestep.StepStart{Started: metav1.NewTime(now.Add(-time.Hour)), Trigger: platformv1alpha1.TriggerInstallation}
	history := []platformv1alpha1.HistoryEntry{{Bundle: bundle.Bundle, State: platformv1alpha1.HistoryReady, StartedTime: start.Started}}
	var triggers []platformv1alpha1.Trigger
	for _, change := range changes {
		change()
		step := upgradestep.Decide(upgradestep.Input{
			Current:  upgradestep.Current{Recorded: &bundle, Installed: &bundle, Deployment: existing, Start: start, History: history},
			Settings: deploymentspec.SettingsChange(operator, existing), Decision: steptest.Choosing("1.0.0"), Now: now, Spec: upgradestep.SpecOf(operator, ""),
		})
		if step.Start != nil {
			triggers = append(triggers, step.Start.Trigger)
		}
		existing = deploymentspec.Merge(existing, deploymentspec.New(operator, *step.Bundle, step.Start, "op"), operator)
	}
	return existing, triggers
}

func deployed(operator *platformv1alpha1.PlatformOperator) *corev1alpha2.BundleDeployment {
	deployment := deploymentspec.New(operator, *steptest.Bundle("1.0.0"), nil, "op")
	deployment.Generation, deployment.Status = 1, steptest.Active(steptest.Healthy()).Status
	return deployment
}

func TestHRD_U4_SettingsThatChangeDuringAPauseStartAStepWhenItEnds(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{}
	existing := deployed(operator)
	resume := func() { operator.Spec.Paused = false }
	existing, triggers := play(existing, operator,
		func() { operator.Spec.Paused = true },
		func() {
			operator.Spec.Install = &platformv1alpha1.Install{Config: &platformv1alpha1.InstallConfig{WatchNamespace: "other"}}
		},
	)
	if existing.Spec.Config != nil || !existing.Spec.Paused || len(triggers) > 0 {
		t.Errorf("during the pause, the configuration is %s, and %v started", existing.Spec.Config.Raw, triggers)
	}
	if existing, triggers = play(existing, operator, resume, resume); existing.Spec.Config == nil || !slices.Equal(triggers, []platformv1alpha1.Trigger{platformv1alpha1.TriggerInstallChange}) {
		t.Errorf("after the pause, the configuration is %v, and %v started", existing.Spec.Config, triggers)
	}
}

func TestHRD_U4_ARevertedChangeOfTheBundleDeploymentIsNoStep(t *testing.T) {
	for _, paused := range []bool{false, true} {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Spec.Paused = paused
		existing := deployed(operator)
		byHand := &runtime.RawExtension{Raw: []byte(`{"watchNamespace":"by-hand"}`)}
		existing, triggers := play(existing, operator, func() { existing.Spec.Config, existing.Spec.Adoption = byHand, corev1alpha2.AdoptionAny })
		if len(triggers) > 0 || existing.Spec.Config != nil || existing.Spec.Adoption != "" {
			t.Errorf("paused: %t: %v started, and the spec is %+v", paused, triggers, existing.Spec)
		}
	}
}

// A manager that recorded no settings wrote the BundleDeployment.
func TestSettingsAreComparedIfTheyAreNotRecorded(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{}
	existing := deployed(operator)
	delete(existing.Annotations, platformv1alpha1.AnnotationSettings)
	operator.Spec.Install = &platformv1alpha1.Install{Config: &platformv1alpha1.InstallConfig{WatchNamespace: "other"}}
	existing, triggers := play(existing, operator, func() {}, func() {})
	if !slices.Equal(triggers, []platformv1alpha1.Trigger{platformv1alpha1.TriggerInstallChange}) || !deploymentspec.HasRecordedSettings(operator, existing) {
		t.Errorf("%v started, and the annotations are %v", triggers, existing.Annotations)
	}
}
