package v1alpha1

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

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
	Acknowledged *corev1alpha2.CompatibilityOverride `json:"acknowledged,omitempty"`
}
