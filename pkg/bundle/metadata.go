package bundle

// Metadata is what a bundle of any format declares about itself.
type Metadata struct {
	// Name identifies the bundle. In registry+v1, it is the name of the ClusterServiceVersion. It is empty for a bundle that declares no
	// package or version.
	Name string
	// Package is the name of the package that the bundle belongs to. It is empty for a plain+v0 bundle that declares none.
	Package string
	// Version is the semantic version, always with three numbers: 1.2 becomes 1.2.0. It is empty for a plain+v0 bundle that declares none.
	Version string
	// SuggestedNamespace is the install namespace that the author suggests; empty if the author declares none.
	SuggestedNamespace string
	// MinKubeVersion is the lowest Kubernetes version the author supports; empty if the author declares none.
	MinKubeVersion string
	// MaxOpenShiftVersions are the JSON texts of all olm.maxOpenShiftVersion properties, in the order in which they were read. A number
	// keeps its digits (4.10 stays 4.10), and a string keeps its quotes. A value that two files repeat is listed once. More than one value
	// is an error by the author, which the code that evaluates the values reports.
	MaxOpenShiftVersions []string
	// Warnings list manifests that are not installed as written, or that may not have the effect that the author intended, each with the
	// file and the object. They are for the admin, and for the author, who can correct the manifests.
	Warnings []string
}

// InstallNamespace returns the namespace to install into if the user specifies none: the author's suggestion, or else "<package>-system".
func (m Metadata) InstallNamespace() string {
	if m.SuggestedNamespace != "" {
		return m.SuggestedNamespace
	}
	return m.Package + "-system"
}
