package v1alpha2

// BundleSource is where a bundle's content comes from: one member, named by type.
//
// +union
// +kubebuilder:validation:XValidation:rule="self.type == 'image' ? has(self.image) : !has(self.image)",message="source.image is required when source.type is image, and forbidden otherwise",fieldPath=".image"
// +kubebuilder:validation:XValidation:rule="self.type == 'bundle' ? has(self.bundle) : !has(self.bundle)",message="source.bundle is required when source.type is bundle, and forbidden otherwise",fieldPath=".bundle"
type BundleSource struct {
	// type names the member that is set.
	// +required
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=image;bundle
	Type SourceType `json:"type"`

	// image is a container image whose layers hold the bundle's files.
	// +optional
	Image *ImageSource `json:"image,omitempty"`

	// bundle is a Bundle, whose content is taken as it was unpacked for it.
	// +optional
	Bundle *BundleReference `json:"bundle,omitempty"`
}

// SourceType names a member of BundleSource.
type SourceType string

const (
	// SourceTypeImage is a bundle in a container image.
	SourceTypeImage SourceType = "image"
	// SourceTypeBundle is a bundle that a Bundle has staged.
	SourceTypeBundle SourceType = "bundle"
)

// ImageSource is a bundle in a container image.
type ImageSource struct {
	// ref is the image's reference, by tag or by digest. A tag is resolved to a digest once, when the spec is first seen,
	// and again only as pollIntervalMinutes says.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1000
	Ref string `json:"ref"`

	// pullSecret names a Secret of type kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg in the namespace of the
	// manager. It is read at every pull. Absent means the cluster's global pull secret, where there is one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PullSecret string `json:"pullSecret,omitempty"`

	// insecureSkipTLSVerify lets the registry's certificate be anyone's, and lets it speak plain HTTP.
	// +optional
	InsecureSkipTLSVerify bool `json:"insecureSkipTLSVerify,omitempty"`

	// certificateData holds certificate authorities, in PEM, that the registry is trusted by besides the system's.
	// +optional
	// +kubebuilder:validation:MaxLength=131072
	CertificateData string `json:"certificateData,omitempty"`

	// pollIntervalMinutes is how often a tag is resolved again; what it leads to then is rolled out as a new revision.
	// Absent means never. A reference by digest is never asked for again.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10080
	PollIntervalMinutes *int32 `json:"pollIntervalMinutes,omitempty"`
}

// BundleReference names a Bundle.
type BundleReference struct {
	// name of the Bundle.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
}
