package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxCompatibilityOverrides is how many compatibilityOverrides an object may have.
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
