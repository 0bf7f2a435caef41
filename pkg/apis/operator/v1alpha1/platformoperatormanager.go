package v1alpha1

import (
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// PlatformOperatorManagerName is the only name that a PlatformOperatorManager may have.
const PlatformOperatorManagerName = "cluster"

// DefaultCatalogNamespace is the namespace whose CatalogSources are trusted while spec.catalogNamespaces is absent.
const DefaultCatalogNamespace = "openshift-marketplace"

// AnnotationAcceptLimits, with the value "true" on a PlatformOperatorManager that replaced a deleted one, accepts that the replacement
// permits more than the deleted one. Without the annotation, nothing is installed or upgraded until the former limits are restored.
const AnnotationAcceptLimits = "platform.openshift.io/accept-limits"

// PlatformOperatorManager configures the manager and contains its operator conditions. There is one, named "cluster". If it is
// deleted, the manager creates it again immediately.
//
// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=platformoperatormanagers,singular=platformoperatormanager,scope=Cluster
// +kubebuilder:printcolumn:name="Log Level",type=string,JSONPath=`.spec.logLevel`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name == 'cluster'",message="metadata.name must be \"cluster\": there is one PlatformOperatorManager"
type PlatformOperatorManager struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the configuration of the manager.
	// +required
	Spec PlatformOperatorManagerSpec `json:"spec,omitzero"`

	// status contains the operator conditions. Only the manager writes it.
	// +optional
	Status PlatformOperatorManagerStatus `json:"status,omitempty"`
}

// PlatformOperatorManagerSpec is the configuration of the manager.
//
// +kubebuilder:validation:MinProperties=0
// +kubebuilder:validation:XValidation:rule="!has(self.managementState) || self.managementState == 'Managed'",message="managementState must be Managed: the manager is part of the release payload",fieldPath=".managementState"
type PlatformOperatorManagerSpec struct {
	operatorv1.OperatorSpec `json:",inline"`

	// catalogNamespaces are the namespaces whose CatalogSources are trusted. The list has 1 to 16 entries of 1 to 63 characters.
	// ClusterCatalogs are cluster-scoped and always trusted. Defaults to openshift-marketplace. With an empty list, which earlier
	// versions of this API accepted, nothing is installed or upgraded.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	CatalogNamespaces []string `json:"catalogNamespaces,omitzero"` // omitzero writes an empty list, which is not the default

	// catalogSelector selects the trusted catalogs that all PlatformOperators use, by their labels. Each of its fields has at
	// most 16 entries. A catalog must also match the catalogSelector of the PlatformOperator. Both selectors apply to the same
	// labels. Defaults to every trusted catalog.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 16",message="catalogSelector.matchExpressions has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 16",message="catalogSelector.matchLabels has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator == 'In' || e.operator == 'NotIn' || e.operator == 'Exists' || e.operator == 'DoesNotExist')",message="catalogSelector.matchExpressions: operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator == 'In' || e.operator == 'NotIn') == (has(e.values) && size(e.values) > 0))",message="catalogSelector.matchExpressions: In and NotIn need values, Exists and DoesNotExist have none"
	CatalogSelector *metav1.LabelSelector `json:"catalogSelector,omitempty"`

	// allowedPackages are the packages that PlatformOperators may install, as glob patterns. "*" matches any characters, "?" one
	// character, and "[a-f]" one character of a range. Installed operators of other packages stay, but are not upgraded. The list
	// has 1 to 256 entries of 1 to 253 characters. Defaults to every package. An empty list, which earlier versions of this API
	// accepted, allows no package.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^([-a-z0-9*?]|\\\\[\\\\^?([a-z0-9](-[a-z0-9])?)+\\\\])+$')",message="allowedPackages must be globs of package names: lower-case letters, digits, \"-\", \"*\", \"?\" and ranges like \"[a-f]\""
	AllowedPackages []string `json:"allowedPackages,omitzero"`

	// defaultApproval is the default of spec.upgrades.approval of PlatformOperators. Valid values are Automatic and Manual.
	// Defaults to Automatic.
	// +optional
	// +kubebuilder:validation:Enum=Automatic;Manual
	DefaultApproval platformv1alpha1.Approval `json:"defaultApproval,omitempty"`

	// defaultEdges selects the permitted upgrades of packages without upgrade rules. Channel permits the upgrades that the
	// channels declare. Semver permits those of semantic versioning. Both permits the upgrades of either. Defaults to Channel.
	// +optional
	DefaultEdges DefaultEdges `json:"defaultEdges,omitempty"`
}

// DefaultEdges selects the permitted upgrades of packages without upgrade rules.
//
// +kubebuilder:validation:Enum=Channel;Semver;Both
type DefaultEdges string

const (
	// DefaultEdgesChannel permits the upgrades that the channels of the package declare by replaces, skips and skipRange.
	DefaultEdgesChannel DefaultEdges = "Channel"
	// DefaultEdgesSemver permits upgrades to a higher version with the same major version, or with the same minor version if the
	// major version is 0.
	DefaultEdgesSemver DefaultEdges = "Semver"
	// DefaultEdgesBoth permits the upgrades that Channel or Semver permits.
	DefaultEdgesBoth DefaultEdges = "Both"
)

// PlatformOperatorManagerStatus contains the operator conditions.
//
// +kubebuilder:validation:MinProperties=0
type PlatformOperatorManagerStatus struct {
	operatorv1.OperatorStatus `json:",inline"`

	// upgradeGate is the input of the condition InstalledOperatorsUpgradeable. The manager writes the field together with the
	// condition. When the manager starts, it decides by this field whether the condition is still valid.
	// +optional
	UpgradeGate *UpgradeGate `json:"upgradeGate,omitempty"`

	// rollout is the rollout of the manager's own version. It is absent after the ClusterOperator reports that version.
	// +optional
	Rollout VersionRollout `json:"rollout,omitzero"`

	// holderIdentity is the last process that took over Lease platform-operators-lock from an ended process of the same pod. It
	// has 1 to 512 characters. The takeover writes this field so that a late status update of the ended process fails with a
	// conflict. The field is absent before the first such takeover.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	HolderIdentity string `json:"holderIdentity,omitempty"`
}

// VersionRollout is a rollout of a version of the manager.
type VersionRollout struct {
	// version is the version that the manager rolls out. It has 1 to 256 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`

	// startedTime is when the first manager process of this version found that the ClusterOperator reports another version. The
	// deadline of the rollout counts from it.
	// +required
	StartedTime metav1.Time `json:"startedTime,omitzero"`
}

// UpgradeGate is the input of the condition InstalledOperatorsUpgradeable.
//
// +kubebuilder:validation:MinProperties=0
type UpgradeGate struct {
	// clusterVersion is status.desired.version of the ClusterVersion. It has 1 to 256 characters. The condition applies to the
	// next minor version after it. The field is absent on a cluster without a ClusterVersion, and before the first evaluation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	ClusterVersion string `json:"clusterVersion,omitempty"`
}

// PlatformOperatorManagerList is a list of PlatformOperatorManagers.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type PlatformOperatorManagerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PlatformOperatorManager `json:"items"`
}
