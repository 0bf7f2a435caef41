package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Bundle is the content of one bundle, unpacked and looked at, not installed: to stage it, to share it, or to see what is
// in it.
//
// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=bundles,singular=bundle,scope=Cluster
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.source.type`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Package",type=string,JSONPath=`.status.package`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Provisioner",type=string,JSONPath=`.spec.provisionerClassName`,priority=1
// +kubebuilder:printcolumn:name="Resolved Source",type=string,JSONPath=`.status.resolvedSource.image.ref`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must be at most 63 characters: spec.source.bundle.name takes no more"
type Bundle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is where the content comes from. It is immutable: other content is another Bundle.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bundle.spec is immutable: create another Bundle"
	Spec BundleSpec `json:"spec"`

	// status is what was found; only the manager writes it.
	// +optional
	Status BundleStatus `json:"status,omitempty"`
}

// BundleSpec is where a bundle's content comes from, and who reads it.
type BundleSpec struct {
	// provisionerClassName names the ProvisionerClass that says who reads the bundle.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ProvisionerClassName string `json:"provisionerClassName"`

	// source is where the content comes from; not from another Bundle.
	// +required
	// +kubebuilder:validation:XValidation:rule="self.type != 'bundle'",message="a Bundle's source cannot be a Bundle",fieldPath=".type"
	// +kubebuilder:validation:XValidation:rule="!has(self.image) || !has(self.image.pollIntervalMinutes)",message="a Bundle stays as it was resolved and is not polled",fieldPath=".image"
	Source BundleSource `json:"source"`
}

// BundlePhase is how far a Bundle has come.
//
// +kubebuilder:validation:Enum=Pending;Unpacking;Failing;Unpacked
type BundlePhase string

const (
	// BundlePending: nothing is tried yet: the class is waited for.
	BundlePending BundlePhase = "Pending"
	// BundleUnpacking: the content is being fetched.
	BundleUnpacking BundlePhase = "Unpacking"
	// BundleFailing: the content cannot be fetched or read; it is tried again with back-off.
	BundleFailing BundlePhase = "Failing"
	// BundleUnpacked: the content was read.
	BundleUnpacked BundlePhase = "Unpacked"
)

// BundleStatus is what was found of a Bundle.
type BundleStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions is Unpacked.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// phase is Pending, Unpacking, Failing or Unpacked.
	// +optional
	Phase BundlePhase `json:"phase,omitempty"`

	// resolvedSource is spec.source with the image's reference by digest.
	// +optional
	ResolvedSource *BundleSource `json:"resolvedSource,omitempty"`

	// digest of the content ("sha256:…"), by which it is stored: the image manifest's.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest,omitempty"`

	// format of the content: "registry+v1" or "plain+v0".
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Format string `json:"format,omitempty"`

	// package that the bundle belongs to.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Package string `json:"package,omitempty"`

	// version of the bundle.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// objects is how many manifests the content has.
	// +optional
	Objects int32 `json:"objects,omitempty"`

	// bytes is the size of all files of the content.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`
}

// BundleList is a list of Bundles.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type BundleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bundle `json:"items"`
}
