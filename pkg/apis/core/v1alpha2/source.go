package v1alpha2

// BundleSource describes where the content of a bundle comes from. Exactly one member is set, and type names it.
//
// +union
// +kubebuilder:validation:XValidation:rule="self.type == 'image' ? has(self.image) : !has(self.image)",message="source.image is required when source.type is image, and forbidden otherwise",fieldPath=".image"
// +kubebuilder:validation:XValidation:rule="self.type == 'bundle' ? has(self.bundle) : !has(self.bundle)",message="source.bundle is required when source.type is bundle, and forbidden otherwise",fieldPath=".bundle"
type BundleSource struct {
	// type names the member that is set. Valid values are image and bundle.
	// +required
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=image;bundle
	Type SourceType `json:"type,omitempty"`

	// image is a container image whose layers hold the files of the bundle. It is required when type is image, and forbidden
	// otherwise.
	// +optional
	Image *ImageSource `json:"image,omitempty"`

	// bundle is a Bundle in the same cluster, whose unpacked content is used. It is required when type is bundle, and
	// forbidden otherwise.
	// +optional
	Bundle *BundleReference `json:"bundle,omitempty"`
}

// SourceType names a member of BundleSource: image or bundle.
type SourceType string

const (
	// SourceTypeImage means that the content is in a container image.
	SourceTypeImage SourceType = "image"
	// SourceTypeBundle means that the content is that of a Bundle.
	SourceTypeBundle SourceType = "bundle"
)

// ImageSource describes a bundle in a container image.
type ImageSource struct {
	// ref is the reference of the image, by tag or by digest. It has 1 to 1000 characters. A tag is resolved to a digest once
	// for each change of the spec. It is resolved again only if pollIntervalMinutes is set.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	Ref string `json:"ref,omitempty"`

	// pullSecret is the name of a Secret in the namespace of the manager. It has 1 to 253 characters. If a BundleDeployment has
	// spec.serviceAccountName, its Secret is in its install namespace instead. The type of the Secret is kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg. The manager
	// reads the Secret for every pull, with its own permissions. Defaults to the global pull secret of the cluster, if there is one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PullSecret string `json:"pullSecret,omitempty"`

	// insecureSkipTLSVerify accepts any certificate of the registry, and also plain HTTP. Defaults to false.
	// +optional
	InsecureSkipTLSVerify bool `json:"insecureSkipTLSVerify,omitempty"`

	// certificateData contains certificate authorities in PEM format, at most 131072 characters. The manager trusts them for
	// the registry, in addition to the certificate authorities of the system. Defaults to no additional ones.
	// +optional
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=131072
	CertificateData string `json:"certificateData,omitempty"`

	// pollIntervalMinutes is the time between two resolutions of a tag, from 1 to 10080 minutes. A new digest is rolled out
	// as a new revision. If the field is absent, a tag is not resolved again. A reference by digest is never resolved again.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10080
	PollIntervalMinutes *int32 `json:"pollIntervalMinutes,omitempty"`
}

// BundleReference names a Bundle.
type BundleReference struct {
	// name is the name of the Bundle. It has 1 to 63 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`
}

// SecretNamespace returns the namespace of the Secrets that spec.source of a BundleDeployment names. It is empty if that is the namespace of
// the manager.
func SecretNamespace(spec BundleDeploymentSpec) string {
	if spec.ServiceAccountName == "" {
		return ""
	}
	return spec.InstallNamespace
}
