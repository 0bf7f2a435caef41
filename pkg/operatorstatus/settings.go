package operatorstatus

import (
	"fmt"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// SettingsStep returns a clause that describes a step to a bundle as a change of settings or as another attempt; empty if the step was
// started for another reason. start may be nil.
func SettingsStep(start *upgradestep.StepStart, bundle *platformv1alpha1.InstalledBundle) string {
	switch {
	case !start.IsOfSettings() || bundle == nil:
		return ""
	case start.Trigger == platformv1alpha1.TriggerRetry:
		return fmt.Sprintf("Trying version %s again", bundle.Version)
	}
	return fmt.Sprintf("Applying the changed spec.install to version %s", bundle.Version)
}

// settingsStep returns the result of SettingsStep for the last step of a PlatformOperator. It is empty if the last step was to a different
// bundle, or has become ready.
func settingsStep(r *report, bundle *platformv1alpha1.InstalledBundle) string {
	current, history := r.in.Current, r.operator.Status.History
	if bundle == nil || current.Recorded == nil || current.Recorded.Bundle != bundle.Bundle ||
		len(history) == 0 || history[0].State == platformv1alpha1.HistoryReady {
		return ""
	}
	return SettingsStep(current.Start, bundle)
}
