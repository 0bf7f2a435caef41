package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ProvisionerClass selects the provisioner that reads the bundles of the class, and contains the defaults of their BundleDeployments. It is
// to bundles what a StorageClass is to volumes.
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
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the provisioner and the defaults of the class.
	// +required
	Spec ProvisionerClassSpec `json:"spec,omitzero"`
}

// ProvisionerClassSpec is the provisioner and the defaults of a class.
type ProvisionerClassSpec struct {
	// provisioner reads the bundles of the class. It has 1 to 253 characters and is immutable. Provisioner
	// core.rukpak.io/registry reads registry+v1 bundles, and core.rukpak.io/plain reads plain+v0 bundles. If the manager does
	// not have the provisioner, the class counts as missing.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?$')",message="provisioner must be a DNS name, optionally followed by \"/\" and a DNS label, for example \"core.rukpak.io/registry\""
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="provisioner is immutable: create another ProvisionerClass"
	Provisioner string `json:"provisioner,omitempty"`

	// approval is the least that the BundleDeployments of this class need. Required means that nothing of a new revision is
	// applied before its plan is approved, whatever spec.approval of the BundleDeployment says. None means that
	// spec.approval decides. Defaults to None.
	// +optional
	Approval ApprovalMode `json:"approval,omitempty"`

	// drift contains the defaults for absent fields of spec.drift of the BundleDeployments of this class.
	// +optional
	Drift *Drift `json:"drift,omitempty"`

	// deletion contains the defaults for absent fields of spec.deletion of the BundleDeployments of this class.
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
