package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ProvisionerClass says who reads the bundles that name it, and with which defaults; it is to bundles what a StorageClass
// is to volumes.
//
// +genclient
// +genclient:nonNamespaced
// +genclient:noStatus
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=provisionerclasses,singular=provisionerclass,scope=Cluster
// +kubebuilder:printcolumn:name="Provisioner",type=string,JSONPath=`.spec.provisioner`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must be at most 63 characters: spec.provisionerClassName takes no more"
type ProvisionerClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the class stands for.
	// +required
	Spec ProvisionerClassSpec `json:"spec"`
}

// ProvisionerClassSpec is what a class stands for.
type ProvisionerClassSpec struct {
	// provisioner reads the bundles: "core.rukpak.io/registry" reads registry+v1 bundles, "core.rukpak.io/plain" reads plain+v0
	// bundles. A class of a provisioner that this manager does not have counts as missing.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="provisioner is immutable: create another ProvisionerClass"
	Provisioner string `json:"provisioner"`

	// drift is the default of what BundleDeployments of the class leave out of spec.drift.
	// +optional
	Drift *Drift `json:"drift,omitempty"`

	// deletion is the default of what BundleDeployments of the class leave out of spec.deletion.
	// +optional
	Deletion *Deletion `json:"deletion,omitempty"`
}

// ProvisionerClassList is a list of ProvisionerClasses.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type ProvisionerClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProvisionerClass `json:"items"`
}
