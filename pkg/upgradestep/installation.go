package upgradestep

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Installation is the progress of a BundleDeployment that has not installed its bundle yet: a reason and a message for condition Installed.
type Installation struct{ Reason, Message string }

// NeedsAction reports whether the installation has failed, so that it does not progress until an admin acts.
func (i Installation) NeedsAction() bool {
	switch i.Reason {
	case platformv1alpha1.ReasonUnpackFailed, platformv1alpha1.ReasonValidationFailed, platformv1alpha1.ReasonInstallFailed:
		return true
	}
	return false
}

// InstallationOf returns the progress of the installation of a BundleDeployment. deployment must not be nil.
func InstallationOf(deployment *corev1alpha2.BundleDeployment) Installation {
	if IsStale(deployment) {
		return Installation{platformv1alpha1.ReasonUnpackPending, "The manager has not reconciled the BundleDeployment yet."}
	}
	// The conditions become True one after the other. The first that is not True is the current phase. Its reason distinguishes a phase
	// that is in progress from one that failed.
	for _, phase := range []struct {
		condition       string
		pending, failed string
		message         string
		pendingReasons  []string
	}{
		{corev1alpha2.ConditionUnpacked, platformv1alpha1.ReasonUnpackPending, platformv1alpha1.ReasonUnpackFailed,
			"The bundle is being unpacked.", []string{corev1alpha2.ReasonUnpackPending, corev1alpha2.ReasonUnpacking}},
		{corev1alpha2.ConditionHasValidBundle, platformv1alpha1.ReasonUnpackPending, platformv1alpha1.ReasonValidationFailed,
			"The bundle is being read.", nil},
		{corev1alpha2.ConditionInstalled, platformv1alpha1.ReasonInstallPending, platformv1alpha1.ReasonInstallFailed,
			"The bundle is being applied.", []string{corev1alpha2.ReasonInstallPending}},
	} {
		condition := meta.FindStatusCondition(deployment.Status.Conditions, phase.condition)
		switch {
		case condition == nil || condition.Status == metav1.ConditionUnknown && condition.Reason != corev1alpha2.ReasonProvisionerNotFound:
			return Installation{phase.pending, phase.message}
		case condition.Status == metav1.ConditionTrue:
			continue
		case slices.Contains(phase.pendingReasons, condition.Reason):
			return Installation{phase.pending, ConditionText(condition, phase.message) + "."}
		case condition.Reason == corev1alpha2.ReasonNotAllowed: // the image and the bundle may be correct
			return Installation{platformv1alpha1.ReasonInstallFailed, ConditionText(condition, condition.Reason) + "."}
		default:
			return Installation{phase.failed, ConditionText(condition, condition.Reason) + "."}
		}
	}
	return Installation{platformv1alpha1.ReasonInstallPending, "The bundle is being applied."}
}
