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

// stepTo returns a clause that describes a step from the installed bundle, nil if there is none, to the target.
func stepTo(installed, target *platformv1alpha1.InstalledBundle) string {
	switch {
	case installed == nil:
		return fmt.Sprintf("Installing version %s", target.Version)
	case upgradestep.SameBundle(*installed, *target):
		return fmt.Sprintf("Installing version %s again, because its BundleDeployment was deleted", target.Version)
	case installed.Bundle == target.Bundle:
		return fmt.Sprintf("Moving to another image of version %s", target.Version)
	}
	return fmt.Sprintf("Moving from version %s to version %s", installed.Version, target.Version)
}

// blockedStep returns a clause about a step from the installed bundle, nil if there is none, to the target that something blocks.
func blockedStep(installed, target *platformv1alpha1.InstalledBundle) string {
	switch {
	case installed == nil:
		return fmt.Sprintf("Version %s cannot be installed", target.Version)
	case upgradestep.SameBundle(*installed, *target):
		return fmt.Sprintf("Version %s cannot be installed again after its BundleDeployment was deleted", target.Version)
	case installed.Bundle == target.Bundle:
		return fmt.Sprintf("The other image of version %s cannot be installed", target.Version)
	}
	return fmt.Sprintf("Version %s cannot be upgraded to version %s", installed.Version, target.Version)
}

// failedStep returns a clause about a step to a bundle that was rolled back. ofSettings is true if the step was started by changed settings
// or as another attempt.
func (r *report) failedStep(tried *platformv1alpha1.InstalledBundle, ofSettings bool) string {
	installed := r.operator.Status.Installed
	switch {
	case ofSettings && r.in.Current.Start.Trigger == platformv1alpha1.TriggerRetry:
		return fmt.Sprintf("Another attempt at version %s failed", tried.Version)
	case ofSettings:
		return fmt.Sprintf("The changed spec.install of version %s failed", tried.Version)
	case installed == nil || upgradestep.SameBundle(*installed, *tried):
		return fmt.Sprintf("The installation of version %s failed", tried.Version)
	case installed.Bundle == tried.Bundle:
		return fmt.Sprintf("The upgrade to another image of version %s failed", tried.Version)
	}
	return fmt.Sprintf("The upgrade from version %s to version %s failed", installed.Version, tried.Version)
}
