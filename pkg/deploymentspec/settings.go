package deploymentspec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// SettingsChange returns how the settings of a PlatformOperator (its spec and annotations, without the choice of a bundle) have changed
// since its BundleDeployment was written. Only settings that decide how the bundle is installed count. If another client edits the
// BundleDeployment, that is not a change.
func SettingsChange(operator *platformv1alpha1.PlatformOperator, existing *corev1alpha2.BundleDeployment) upgradestep.SettingsChange {
	if existing == nil || HasRecordedSettings(operator, existing) {
		return upgradestep.NoChange
	}
	var desired corev1alpha2.BundleDeploymentSpec
	propagateSpec(&desired, operator.Spec)
	changed := existing.DeepCopy()
	changed.Spec.Adoption, changed.Spec.ProgressDeadlineSeconds = desired.Adoption, desired.ProgressDeadlineSeconds
	switch retry := operator.Annotations[platformv1alpha1.AnnotationRetry]; {
	case !isSameConfig(existing.Spec.Config, desired.Config), existing.Spec.ServiceAccountName != desired.ServiceAccountName:
		return upgradestep.ConfigChanged
	case attempt.Of(existing) != attempt.Of(changed):
		return upgradestep.InstallChanged
	case retry != "" && retry != existing.Annotations[platformv1alpha1.AnnotationRetry]:
		return upgradestep.RetryRequested
	}
	return upgradestep.NoChange
}

// HasRecordedSettings reports whether a BundleDeployment was written for the present settings of its PlatformOperator. It returns false if
// the BundleDeployment was written by a manager that did not record settings.
func HasRecordedSettings(operator *platformv1alpha1.PlatformOperator, existing *corev1alpha2.BundleDeployment) bool {
	return existing.Annotations[platformv1alpha1.AnnotationSettings] == settingsDigest(operator)
}

// haveChanged reports whether the settings of a PlatformOperator have changed since they were recorded in its BundleDeployment. It returns
// false if none are recorded.
func haveChanged(operator *platformv1alpha1.PlatformOperator, existing *corev1alpha2.BundleDeployment) bool {
	return existing.Annotations[platformv1alpha1.AnnotationSettings] != "" && !HasRecordedSettings(operator, existing)
}

// keepSettings sets the settings of desired to those of existing.
func keepSettings(desired, existing *corev1alpha2.BundleDeployment) {
	desired.Spec.Config = existing.Spec.Config
	desired.Spec.ServiceAccountName = existing.Spec.ServiceAccountName
	desired.Spec.Adoption = existing.Spec.Adoption
	desired.Spec.ProgressDeadlineSeconds = existing.Spec.ProgressDeadlineSeconds
	for _, each := range []string{platformv1alpha1.AnnotationRetry, platformv1alpha1.AnnotationSettings} {
		delete(desired.Annotations, each) // Merge keeps annotations that desired does not have
	}
}

// settingsDigest returns a digest of the settings of a PlatformOperator that decide how a bundle is installed.
func settingsDigest(operator *platformv1alpha1.PlatformOperator) string {
	var carried corev1alpha2.BundleDeployment
	propagateSpec(&carried.Spec, operator.Spec)
	carried.Annotations = map[string]string{platformv1alpha1.AnnotationRetry: operator.Annotations[platformv1alpha1.AnnotationRetry]}
	settings := []any{carried.Spec.Config, attempt.Of(&carried)}
	if account := carried.Spec.ServiceAccountName; account != "" {
		settings = append(settings, account) // without one, the digest is that of a manager without the field
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return "" // not reached: these are API types
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}
