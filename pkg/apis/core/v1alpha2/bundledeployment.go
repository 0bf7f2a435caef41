package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BundleDeployment is the content of one bundle, applied to the cluster and kept as it was applied.
//
// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=bundledeployments,singular=bundledeployment,scope=Cluster,shortName=bd;bds
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.bundle.version`
// +kubebuilder:printcolumn:name="Install State",type=string,JSONPath=`.status.conditions[?(@.type=="Installed")].reason`
// +kubebuilder:printcolumn:name="Healthy",type=string,JSONPath=`.status.conditions[?(@.type=="Healthy")].status`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.objects.ready`
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.status.objects.total`
// +kubebuilder:printcolumn:name="Provisioner",type=string,JSONPath=`.spec.provisionerClassName`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="metadata.name must be at most 63 characters: it is written into labels"
type BundleDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what is wanted.
	// +required
	Spec BundleDeploymentSpec `json:"spec"`

	// status is what was found and done; only the manager writes it.
	// +optional
	Status BundleDeploymentStatus `json:"status,omitempty"`
}

// BundleDeploymentSpec is what is wanted of one bundle.
type BundleDeploymentSpec struct {
	// installNamespace is where the bundle's namespaced objects go; it is created if it is missing.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="installNamespace is immutable: delete the BundleDeployment and create it again to install elsewhere"
	InstallNamespace string `json:"installNamespace"`

	// provisionerClassName says who reads the bundle: "core-rukpak-io-registry" for registry+v1 bundles. Any other name
	// leaves the BundleDeployment alone and says so in the Unpacked condition.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	ProvisionerClassName string `json:"provisionerClassName"`

	// source is where the bundle's content comes from.
	// +required
	Source BundleSource `json:"source"`

	// paused stops every change: nothing is applied, repaired or pruned. Status is still kept, and deletion still works.
	// +optional
	Paused bool `json:"paused,omitempty"`
}

// BundleSource is where a bundle's content comes from: one member, named by type.
//
// +union
// +kubebuilder:validation:XValidation:rule="self.type == 'image' ? has(self.image) : !has(self.image)",message="source.image is required when source.type is image, and forbidden otherwise",fieldPath=".image"
type BundleSource struct {
	// type names the member that is set.
	// +required
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=image
	Type SourceType `json:"type"`

	// image is a container image whose layers hold the bundle's files.
	// +optional
	Image *ImageSource `json:"image,omitempty"`
}

// SourceType names a member of BundleSource.
type SourceType string

// SourceTypeImage is a bundle in a container image.
const SourceTypeImage SourceType = "image"

// ImageSource is a bundle in a container image.
type ImageSource struct {
	// ref is the image's reference, by tag or by digest. A tag is resolved to a digest once, when the spec is first seen.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	Ref string `json:"ref"`
}

// BundleDeploymentStatus is what became of the bundle.
type BundleDeploymentStatus struct {
	// observedGeneration is the generation of the spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Unpacked, HasValidBundle, Installed, Healthy and Progressing.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// resolvedSource is spec.source with the image's reference by digest.
	// +optional
	ResolvedSource *BundleSource `json:"resolvedSource,omitempty"`

	// contentURL is accepted and never set: rukpak served unpacked content there.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ContentURL string `json:"contentURL,omitempty"`

	// bundle is what the content of resolvedSource says of itself.
	// +optional
	Bundle *BundleMetadata `json:"bundle,omitempty"`

	// activeRevision is the number of the revision that is completely applied; repairs come from it. Zero before there is one.
	// +optional
	ActiveRevision int64 `json:"activeRevision,omitempty"`

	// revisions are the revisions that are kept, oldest first.
	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MaxItems=8
	Revisions []Revision `json:"revisions,omitempty"`

	// objects counts what the newest revision consists of.
	// +optional
	Objects *ObjectCounts `json:"objects,omitempty"`

	// unready names the first objects that do not pass their probe, and why.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=1024
	Unready []string `json:"unready,omitempty"`
}

// BundleMetadata is what a bundle's own files say of it.
type BundleMetadata struct {
	// name of the bundle: a registry+v1 bundle's ClusterServiceVersion name.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// package that the bundle belongs to.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Package string `json:"package,omitempty"`
	// version of the bundle.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`
	// maxOpenShiftVersions are the values of all olm.maxOpenShiftVersion properties as they stand (raw JSON). One is the
	// legal number; all are kept, so that whoever judges them can refuse two.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:MaxLength=128
	MaxOpenShiftVersions []string `json:"maxOpenShiftVersions,omitempty"`
	// minKubeVersion is the first Kubernetes version that the bundle says it runs on.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	MinKubeVersion string `json:"minKubeVersion,omitempty"`
}

// RevisionState is the state of one revision.
type RevisionState string

const (
	// RevisionRollingOut is being applied.
	RevisionRollingOut RevisionState = "RollingOut"
	// RevisionActive is completely applied and healthy, or was.
	RevisionActive RevisionState = "Active"
	// RevisionArchived was replaced by a later one.
	RevisionArchived RevisionState = "Archived"
)

// Revision is one rendering of one bundle, stored in the cluster.
type Revision struct {
	// number counts up from 1.
	// +required
	// +kubebuilder:validation:Minimum=1
	Number int64 `json:"number"`
	// digest of the rendered objects, "sha256:…".
	// +required
	// +kubebuilder:validation:MaxLength=128
	Digest string `json:"digest"`
	// version of the bundle.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`
	// state is RollingOut, Active or Archived.
	// +required
	// +kubebuilder:validation:Enum=RollingOut;Active;Archived
	State RevisionState `json:"state"`
}

// ObjectCounts counts the objects of a revision.
type ObjectCounts struct {
	// total number of objects.
	Total int32 `json:"total"`
	// ready is how many of them pass their probe.
	Ready int32 `json:"ready"`
}

// BundleDeploymentList is a list of BundleDeployments.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type BundleDeploymentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []BundleDeployment `json:"items"`
}
