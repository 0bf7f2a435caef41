package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ProvisionerClass selects the provisioner that reads the bundles of the class, limits what its Bundles and BundleDeployments may contain, and
// has defaults for its BundleDeployments. It is to bundles what a StorageClass is to volumes.
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

	// spec is the provisioner, the limits and the defaults of the class.
	// +required
	Spec ProvisionerClassSpec `json:"spec,omitzero"`
}

// ProvisionerClassSpec is the provisioner, the limits and the defaults of a class. A limit applies to what is new: to unpacking, and to the
// start of a revision. What is installed stays, and is repaired, if the class becomes stricter.
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

	// serviceAccount selects whether the BundleDeployments of this class need a ServiceAccount. Required means that the manager
	// refuses a BundleDeployment without spec.serviceAccountName. Optional means that the manager applies the objects of such a
	// BundleDeployment itself. Defaults to Optional.
	// +optional
	ServiceAccount ServiceAccountRequirement `json:"serviceAccount,omitempty"`

	// allowedNamespaces selects the install namespaces of the BundleDeployments of this class, by the labels of the namespaces.
	// A namespace that does not exist has no labels, so that a selector usually refuses it until it is created. Each field of the
	// selector has at most 16 entries. It does not apply to Bundles. Defaults to every namespace.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || size(self.matchExpressions) <= 16",message="allowedNamespaces.matchExpressions has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchLabels) || size(self.matchLabels) <= 16",message="allowedNamespaces.matchLabels has at most 16 entries"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator == 'In' || e.operator == 'NotIn' || e.operator == 'Exists' || e.operator == 'DoesNotExist')",message="allowedNamespaces.matchExpressions: operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator == 'In' || e.operator == 'NotIn') == (has(e.values) && size(e.values) > 0))",message="allowedNamespaces.matchExpressions: In and NotIn need values, Exists and DoesNotExist have none"
	AllowedNamespaces *metav1.LabelSelector `json:"allowedNamespaces,omitempty"`

	// allowedSources limits where the content of the Bundles and BundleDeployments of this class may come from. Defaults to every
	// source.
	// +optional
	AllowedSources *AllowedSources `json:"allowedSources,omitempty"`

	// limits limits the size of the bundles of this class. Defaults to the limits of the manager.
	// +optional
	Limits *ClassLimits `json:"limits,omitempty"`

	// drift contains the defaults for absent fields of spec.drift of the BundleDeployments of this class.
	// +optional
	Drift *Drift `json:"drift,omitempty"`

	// deletion contains the defaults for absent fields of spec.deletion of the BundleDeployments of this class.
	// +optional
	Deletion *Deletion `json:"deletion,omitempty"`
}

// ServiceAccountRequirement selects whether BundleDeployments need a ServiceAccount.
//
// +kubebuilder:validation:Enum=Optional;Required
type ServiceAccountRequirement string

const (
	// ServiceAccountOptional permits BundleDeployments without a ServiceAccount. It is the default.
	ServiceAccountOptional ServiceAccountRequirement = "Optional"
	// ServiceAccountRequired refuses BundleDeployments without a ServiceAccount.
	ServiceAccountRequired ServiceAccountRequirement = "Required"
)

// AllowedSources limits the sources of Bundles and BundleDeployments.
//
// +kubebuilder:validation:MinProperties=0
type AllowedSources struct {
	// types are the permitted values of spec.source.type: image, bundle, or both. The list has 1 to 2 entries. With bundle alone,
	// BundleDeployments use only Bundles, which are of another class. Defaults to every type.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:items:Enum=image;bundle
	Types []SourceType `json:"types,omitempty"`

	// image limits the images. It also applies to the image of a Bundle that a BundleDeployment names. Defaults to every image.
	// +optional
	Image AllowedImages `json:"image,omitzero"`
}

// AllowedImages limits the images of Bundles and BundleDeployments.
type AllowedImages struct {
	// registries are the permitted registries. An entry is a host, with the port if image references have one, as in "quay.io" or
	// "registry.example.com:5000". A path may follow, as in "quay.io/team": it permits repository "team" and all repositories
	// whose names begin with "team/". There are no wildcards: an entry permits no other host, not even a subdomain. The host is the
	// one in the image reference, not one that it redirects to. The entry "docker.io" stands for references without a host, too. The
	// list has 1 to 64 entries of 1 to 255 characters.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=255
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?|[[][0-9a-f:]+[]])(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$')",message="registries must be hosts in lower case, optionally followed by a port and a path, for example \"quay.io\" or \"registry.example.com:5000/team\""
	Registries []string `json:"registries,omitempty"`
}

// ClassLimits limits the size of bundles.
//
// +kubebuilder:validation:MinProperties=0
type ClassLimits struct {
	// bundleBytes is the maximum total size of the unpacked files of a bundle, from 1 to 536870912 bytes. A file that a later layer of
	// the image replaces or deletes counts, too. Unpacking stops at the limit. Defaults to 536870912, the limit of the manager.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=536870912
	BundleBytes int64 `json:"bundleBytes,omitempty"`

	// objects is the maximum number of objects that a bundle is rendered to, from 1 to 20000. It does not apply to Bundles, which are
	// not rendered. Defaults to 20000, the limit of the manager.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	Objects int32 `json:"objects,omitempty"`
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
