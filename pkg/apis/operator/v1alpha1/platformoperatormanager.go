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

// AnnotationAcceptLimits, with the value "true" on a PlatformOperatorManager that took the place of a deleted one, accepts that it
// permits more than that did. Nothing is installed or moved without, until the former limits are back.
const AnnotationAcceptLimits = "platform.openshift.io/accept-limits"

// PlatformOperatorManager configures the manager and carries its operator conditions. There is one, named "cluster"; the
// manager creates it again at once if it is deleted.
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
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec configures the manager.
	// +required
	Spec PlatformOperatorManagerSpec `json:"spec"`

	// status carries the operator conditions; only the manager writes it.
	// +optional
	Status PlatformOperatorManagerStatus `json:"status,omitempty"`
}

// PlatformOperatorManagerSpec configures the manager.
//
// +kubebuilder:validation:XValidation:rule="!has(self.managementState) || self.managementState == 'Managed'",message="managementState must be Managed: the manager is part of the release payload",fieldPath=".managementState"
type PlatformOperatorManagerSpec struct {
	operatorv1.OperatorSpec `json:",inline"`

	// catalogNamespaces are the namespaces whose CatalogSources are trusted. Absent means openshift-marketplace. A
	// ClusterCatalog is cluster-scoped and always trusted. The API server refuses an empty list. One stored before that rule
	// trusts nothing: nothing is installed or moved.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	CatalogNamespaces []string `json:"catalogNamespaces,omitzero"` // omitzero writes an empty list, which is not the default

	// catalogSelector selects, of the trusted catalogs, those that packages are taken from, for all PlatformOperators; what a
	// PlatformOperator's own catalogSelector says comes on top. It sees the labels that that one sees. Absent means every
	// trusted catalog.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 16",message="catalogSelector.matchExpressions has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 16",message="catalogSelector.matchLabels has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator == 'In' || e.operator == 'NotIn' || e.operator == 'Exists' || e.operator == 'DoesNotExist')",message="catalogSelector.matchExpressions: operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator == 'In' || e.operator == 'NotIn') == (has(e.values) && size(e.values) > 0))",message="catalogSelector.matchExpressions: In and NotIn need values, Exists and DoesNotExist have none"
	CatalogSelector *metav1.LabelSelector `json:"catalogSelector,omitempty"`

	// allowedPackages are the packages that PlatformOperators may install, as globs: "*" stands for any characters, "?" for
	// one, "[a-f]" for one of these. Of a package that none matches nothing new is installed and nothing is moved; what is
	// installed stays. Absent means every package. The API server refuses an empty list. One stored before that
	// rule allows no package.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^([-a-z0-9*?]|\[\^?([a-z0-9](-[a-z0-9])?)+\])+$`
	AllowedPackages []string `json:"allowedPackages,omitzero"`

	// defaultApproval is spec.upgrades.approval of the PlatformOperators that do not say. Absent means Automatic.
	// +optional
	DefaultApproval platformv1alpha1.Approval `json:"defaultApproval,omitempty"`

	// defaultEdges are the edges of packages whose authors give no upgrade rules: Channel those that channels declare, Semver
	// those of semantic versioning, Both either. Absent means Channel.
	// +optional
	DefaultEdges DefaultEdges `json:"defaultEdges,omitempty"`
}

// DefaultEdges says which moves are permitted within packages whose authors give no upgrade rules.
//
// +kubebuilder:validation:Enum=Channel;Semver;Both
type DefaultEdges string

const (
	// DefaultEdgesChannel are those that the package's channels declare by replaces, skips and skipRange.
	DefaultEdgesChannel DefaultEdges = "Channel"
	// DefaultEdgesSemver are those of semantic versioning.
	DefaultEdgesSemver DefaultEdges = "Semver"
	// DefaultEdgesBoth are those of either.
	DefaultEdgesBoth DefaultEdges = "Both"
)

// PlatformOperatorManagerStatus carries the operator conditions.
type PlatformOperatorManagerStatus struct {
	operatorv1.OperatorStatus `json:",inline"`

	// upgradeGate is what condition InstalledOperatorsUpgradeable was judged for. It is written together with that, so that a
	// manager that starts knows whether the condition still holds before it can judge itself.
	// +optional
	UpgradeGate *UpgradeGate `json:"upgradeGate,omitempty"`

	// holderIdentity is the holder identity of the last process that took over Lease platform-operators-lock from an ended process
	// of the same pod. Writing this field makes a late status update of the ended process fail with a conflict. Absent before the
	// first such takeover.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	HolderIdentity string `json:"holderIdentity,omitempty"`
}

// UpgradeGate is what a verdict about cluster upgrades was reached for.
type UpgradeGate struct {
	// clusterVersion is status.desired.version of the ClusterVersion, of which the verdict concerns the next minor version;
	// absent on a cluster without a ClusterVersion, and while there is no verdict.
	// +optional
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
