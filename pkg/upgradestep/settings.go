package upgradestep

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// SettingsChange is a change of how a bundle is installed.
type SettingsChange string

// Changes of settings.
const (
	NoChange SettingsChange = ""
	// ConfigChanged: spec.install.config differs, so that the bundle is rendered again.
	ConfigChanged SettingsChange = "ConfigChanged"
	// InstallChanged: another field of spec.install differs that decides how objects are applied.
	InstallChanged SettingsChange = "InstallChanged"
	// RetryRequested: annotation platform.openshift.io/retry has a new value.
	RetryRequested SettingsChange = "RetryRequested"
)

// withSettings returns the step with a start if a change of the settings starts a step to the same bundle: another configuration always
// does, other settings do if the last attempt failed. The settings are copied to the BundleDeployment in any case.
func withSettings(in Input, step Step) Step {
	current := in.Current
	if in.Settings == NoChange || step.Start != nil || step.Bundle == nil || step.Reason == ReasonPaused || current.Recorded == nil {
		return step
	}
	if in.Settings != ConfigChanged && !hasFailed(current.Deployment) {
		return step
	}
	if current.isStatusBehind() {
		step.Postponed = true
		return step
	}
	start := in.start()
	start.Trigger = platformv1alpha1.TriggerInstallChange
	if in.Settings == RetryRequested {
		start.Trigger = platformv1alpha1.TriggerRetry
	}
	if current.Start != nil {
		start.SpecHash = current.Start.SpecHash // no bundle was chosen for a later spec
	}
	step.Start = start
	return step
}

// hasFailed reports whether the last attempt to install the bundle of a BundleDeployment failed, by its present status.
func hasFailed(deployment *corev1alpha2.BundleDeployment) bool {
	if IsStale(deployment) {
		return false
	}
	progressing := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	return IsRolledBack(deployment) || progressing != nil && progressing.Reason == corev1alpha2.ReasonDeadlineExceeded ||
		InstallationOf(deployment).NeedsAction()
}

// IsOfSettings reports whether a step started because of the settings, and not because another bundle was chosen. start may be nil.
func (s *StepStart) IsOfSettings() bool {
	return s != nil && (s.Trigger == platformv1alpha1.TriggerInstallChange || s.Trigger == platformv1alpha1.TriggerRetry)
}
