package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Bundle is the content of one bundle, unpacked but not installed. Use it to stage or share the content, or to inspect it.
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
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of the object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec describes where the content comes from. It is immutable: create another Bundle for other content.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="bundle.spec is immutable: create another Bundle"
	Spec BundleSpec `json:"spec,omitzero"`

	// status describes the content. Only the manager writes it.
	// +optional
	Status BundleStatus `json:"status,omitzero"`
}

// BundleSpec describes where the content of a bundle comes from, and its format.
type BundleSpec struct {
	// provisionerClassName is the name of the ProvisionerClass that selects the format of the bundle. It has 1 to 63 characters.
	// While the class does not exist, the Bundle waits and its Unpacked condition is Unknown.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="provisionerClassName must be a DNS label: lower-case letters, digits and \"-\", with a letter or digit at both ends"
	ProvisionerClassName string `json:"provisionerClassName,omitempty"`

	// source describes where the content comes from. It must not be another Bundle, and must not be polled.
	// +required
	// +kubebuilder:validation:XValidation:rule="self.type != 'bundle'",message="a Bundle's source cannot be a Bundle",fieldPath=".type"
	// +kubebuilder:validation:XValidation:rule="!has(self.image) || !has(self.image.pollIntervalMinutes)",message="a Bundle stays as it was resolved and is not polled",fieldPath=".image"
	Source BundleSource `json:"source,omitzero"`
}

// BundlePhase is the progress of a Bundle.
//
// +kubebuilder:validation:Enum=Pending;Unpacking;Failing;Unpacked
type BundlePhase string

const (
	// BundlePending means that the ProvisionerClass does not exist.
	BundlePending BundlePhase = "Pending"
	// BundleUnpacking means that the content is being fetched.
	BundleUnpacking BundlePhase = "Unpacking"
	// BundleFailing means that the content cannot be fetched or read, which the manager retries with backoff, or that the ProvisionerClass
	// does not allow it.
	BundleFailing BundlePhase = "Failing"
	// BundleUnpacked means that the content was read.
	BundleUnpacked BundlePhase = "Unpacked"
)

// BundleStatus describes the content of a Bundle.
//
// +kubebuilder:validation:MinProperties=1
type BundleStatus struct {
	// conditions describe the state of the Bundle. The only type is Unpacked. The list has 1 to 16 entries. It is absent until
	// the manager has reconciled the object.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that this status describes, from 1 to 9007199254740991. It is absent until
	// the manager has reconciled the object.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// phase is the progress of the Bundle. Pending means that the ProvisionerClass does not exist. Unpacking means that the
	// content is being fetched. Failing means that the content cannot be fetched or read, and is retried, or that the
	// ProvisionerClass does not allow it. Unpacked means that the content was read. The field is absent until the manager has reconciled the object.
	// +optional
	Phase BundlePhase `json:"phase,omitempty"`

	// resolvedSource is spec.source with the image reference pinned to a digest. It is absent until the tag is resolved.
	// +optional
	ResolvedSource *BundleSource `json:"resolvedSource,omitempty"`

	// mirror is the image reference, by digest, at the mirror that served the content. It has 1 to 1100 characters. The field is
	// absent until the content is read. It stays absent if the repository in resolvedSource served the content.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1100
	Mirror string `json:"mirror,omitempty"`

	// digest is the digest of the image manifest ("sha256:…"). It has 1 to 128 characters. The manager stores the content under
	// this digest. The field is absent until the content is read.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest,omitempty"`

	// format is the format of the content, registry+v1 or plain+v0. It has 1 to 64 characters, and is absent until the content
	// is read.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Format string `json:"format,omitempty"`

	// package is the package that the bundle belongs to. It has 1 to 253 characters, and is absent if the bundle names none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Package string `json:"package,omitempty"`

	// version is the version of the bundle. It has 1 to 128 characters, and is absent if the bundle names none.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// objects is the number of manifests in the content, from 1 to 1000000. It is absent until the content is read.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Objects int32 `json:"objects,omitempty"`

	// bytes is the total size of all files of the content, from 1 to 9007199254740991 bytes. It is absent until the content is
	// read.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
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
