package upgradestep

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// SettingsChange is a change to how a bundle is installed.
type SettingsChange string

// Changes of settings.
const (
	NoChange SettingsChange = ""
	// ConfigChanged: spec.install.config or spec.install.serviceAccountName has changed, so that there is a new revision of the bundle.
	ConfigChanged SettingsChange = "ConfigChanged"
	// InstallChanged: another field of spec.install, which decides how objects are applied, has changed.
	InstallChanged SettingsChange = "InstallChanged"
	// RetryRequested: annotation platform.openshift.io/retry has a new value.
	RetryRequested SettingsChange = "RetryRequested"
)

// withSettings returns the step, and adds a start to it if a new attempt with the same bundle begins. If status must show the last step
// first, it sets Postponed instead. The settings are copied to the BundleDeployment even without a start, except during a pause and while
// the change is postponed.
func withSettings(in Input, step Step) Step {
	current := in.Current
	if step.Start != nil || step.Bundle == nil || step.Reason == ReasonPaused || current.Recorded == nil {
		return step
	}
	trigger := attemptTrigger(in)
	if trigger == "" {
		return step
	}
	if in.Settings != NoChange && current.isStatusBehind() {
		step.Postponed = true
		return step
	}
	start := in.start()
	start.Trigger = trigger
	if current.Start != nil {
		start.SpecHash = current.Start.SpecHash // no bundle was chosen for a later spec
	}
	step.Start = start
	return step
}

// attemptTrigger returns the cause of a new attempt with the same bundle; empty if no attempt begins. A changed configuration is always a
// cause. Other changed settings are a cause only if the last attempt failed. The retry that the engine starts by itself is also a cause.
// The engine retries a failed version when a missing prerequisite appears.
func attemptTrigger(in Input) platformv1alpha1.Trigger {
	switch {
	case in.Settings == ConfigChanged:
		return platformv1alpha1.TriggerInstallChange
	case in.Settings == NoChange && in.Current.isTriedAgain():
		return platformv1alpha1.TriggerRetry
	case in.Settings == NoChange || in.Current.Deployment == nil || !hasFailed(in.Current.Deployment):
		return ""
	case in.Settings == RetryRequested:
		return platformv1alpha1.TriggerRetry
	}
	return platformv1alpha1.TriggerInstallChange
}

// isTriedAgain reports whether the engine retries, or has installed, a version that history shows as rolled back. History keeps the entry
// of the attempt that failed.
func (c Current) isTriedAgain() bool {
	deployment := c.Deployment
	if deployment == nil || deployment.DeletionTimestamp != nil || len(c.History) == 0 || !c.isStepOf(c.History[0]) {
		return false
	}
	return c.History[0].State == platformv1alpha1.HistoryRolledBack &&
		!deployment.Spec.Paused && !IsStale(deployment) && runsNewest(deployment.Status)
}

// hasFailed reports whether, according to the present status of a BundleDeployment, the last attempt to install its bundle failed.
func hasFailed(deployment *corev1alpha2.BundleDeployment) bool {
	if IsStale(deployment) {
		return false
	}
	progressing := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	return IsNotRetried(deployment) || progressing != nil && progressing.Reason == corev1alpha2.ReasonDeadlineExceeded ||
		InstallationOf(deployment).NeedsAction()
}

// IsOfSettings reports whether a step started because of the settings, and not because a different bundle was chosen. start may be nil.
func (s *StepStart) IsOfSettings() bool {
	return s != nil && (s.Trigger == platformv1alpha1.TriggerInstallChange || s.Trigger == platformv1alpha1.TriggerRetry)
}
