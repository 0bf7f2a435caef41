package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxCompatibilityOverrides is how many compatibilityOverrides a PlatformOperator may have.
const MaxCompatibilityOverrides = 8

// CompatibilityOverride is a cluster admin's word that the cluster may go to one minor version although an installed operator
// does not permit it, or does not say so in a way that can be read. It counts only with a reason, until it expires, and while that
// minor version is the cluster's next. What does not count is said in status.warnings; nothing but its form is refused, so that
// objects that were written before the cluster was there are taken.
type CompatibilityOverride struct {
	// openShiftVersion is the minor version that the cluster may go to, for example "4.22". "4.23" and "5.0" are one.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	OpenShiftVersion string `json:"openShiftVersion"`
	// reason says who takes the risk, and why. Without one the override does not count.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason,omitempty"`
	// expires is when the override ends. Without one it does not count.
	// +optional
	Expires *metav1.Time `json:"expires,omitempty"`
}

// Compatibility is how far the operator lets the cluster be upgraded. Minor versions are looked at up to two beyond the
// cluster's, which is as far as an update between two extended-support releases goes. 4.23 and 5.0 are one.
type Compatibility struct {
	// maxOpenShiftVersion is the last minor version that what is installed says it runs on; between two versions of the operator
	// the lower of theirs. Absent where nothing is said; a value that cannot be read stands as it is.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	MaxOpenShiftVersion string `json:"maxOpenShiftVersion,omitempty"`
	// highestReachable is the highest minor version that what is installed permits now: the cluster's own where it permits no
	// other, at most two beyond it, also where nothing is declared. Overrides do not count. Absent while the cluster's version is
	// not known.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	HighestReachable string `json:"highestReachable,omitempty"`
	// afterUpdates is the highest one that would be permitted after an update of the operator that can be made now, or as soon
	// as it is approved. What cannot be told now, because a catalog is away, stays as it was told last.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	AfterUpdates string `json:"afterUpdates,omitempty"`
	// acknowledged is the override that is in effect: without it this operator would block the cluster's next minor version.
	// +optional
	Acknowledged *CompatibilityOverride `json:"acknowledged,omitempty"`
}
