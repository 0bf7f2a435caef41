package v1alpha1

import (
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PlatformOperatorManagerName is the only name that a PlatformOperatorManager may have.
const PlatformOperatorManagerName = "cluster"

// DefaultCatalogNamespace is the namespace whose CatalogSources are trusted while spec.catalogNamespaces is absent.
const DefaultCatalogNamespace = "openshift-marketplace"

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
	// ClusterCatalog is cluster-scoped and always trusted.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	CatalogNamespaces []string `json:"catalogNamespaces,omitempty"`
}

// PlatformOperatorManagerStatus carries the operator conditions.
type PlatformOperatorManagerStatus struct {
	operatorv1.OperatorStatus `json:",inline"`
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
