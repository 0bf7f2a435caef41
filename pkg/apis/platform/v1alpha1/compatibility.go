package v1alpha1

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Compatibility describes which minor versions the operator permits the cluster to be upgraded to. It covers the next two minor versions of
// the cluster, because an upgrade between two extended-support releases spans two. Versions 4.23 and 5.0 are the same.
//
// +kubebuilder:validation:MinProperties=0
type Compatibility struct {
	// maxOpenShiftVersion is the last minor version that the installed operator supports. It has 1 to 128 characters. During an
	// upgrade of the operator, it is the lower one of the limits of the previous and the next version. An unreadable value is
	// shown as it is. The field is absent if the operator declares none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	MaxOpenShiftVersion string `json:"maxOpenShiftVersion,omitempty"`

	// highestReachable is the highest minor version that the installed operator permits now. It has 1 to 64 characters. It is
	// the version of the cluster if the operator permits no upgrade. It is at most two minor versions above the version of the
	// cluster, even if the operator declares no limit. It does not consider overrides. The field is absent while the version of
	// the cluster is unknown.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	HighestReachable string `json:"highestReachable,omitempty"`

	// afterUpdates is the highest minor version that an available or approvable update of the operator would permit. It has 1
	// to 64 characters. While a catalog is unavailable, the field keeps its last value. It is absent if it is unknown.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	AfterUpdates string `json:"afterUpdates,omitempty"`

	// acknowledged is the override that is in effect. Without this override, the operator would block the next minor version of
	// the cluster.
	// +optional
	Acknowledged *corev1alpha2.CompatibilityOverride `json:"acknowledged,omitempty"`
}
