package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxCompatibilityOverrides is the maximum number of compatibilityOverrides of an object.
const MaxCompatibilityOverrides = 8

// CompatibilityOverride permits an upgrade of the cluster to one minor version, at the risk of a cluster admin. It is for an upgrade that
// an installed operator blocks, because the operator does not support the version or has an unreadable declaration.
//
// An override has an effect only if it has a reason, an expiry time in the future, and the next minor version of the cluster. The API
// server accepts other overrides, because objects may be written before the cluster exists. The manager lists overrides without effect in
// status.warnings.
type CompatibilityOverride struct {
	// openShiftVersion is the minor version that the cluster may be upgraded to, for example "4.22". It has 1 to 16
	// characters. "4.23" and "5.0" are the same version.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	OpenShiftVersion string `json:"openShiftVersion,omitempty"`

	// reason documents who acknowledges the risk, and why, in at most 512 characters. If it is absent, the override has no effect.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason,omitempty"`

	// expires is the time when the override ends, in RFC 3339 format, for example "2027-01-01T00:00:00Z". If it is absent, the override
	// has no effect.
	// +optional
	Expires *metav1.Time `json:"expires,omitempty"`
}
