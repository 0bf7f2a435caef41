package bundle

// Metadata is what a bundle declares about itself, whatever its format.
type Metadata struct {
	// Name identifies the bundle; in registry+v1 it is the name of the ClusterServiceVersion.
	Name string
	// Package is the package the bundle is a version of.
	Package string
	// Version is the semantic version; one that was written short (1.2) has all three numbers (1.2.0).
	Version string
	// SuggestedNamespace is the namespace the author would install into; empty if the author declares none.
	SuggestedNamespace string
	// MinKubeVersion is the lowest Kubernetes version the author supports; empty if the author declares none.
	MinKubeVersion string
	// MaxOpenShiftVersions holds the raw JSON text of every olm.maxOpenShiftVersion property, in the order they were read, and what
	// two files say alike once: a number keeps its digits (4.10 stays 4.10), a string keeps its quotes. More than one is a fault of the author, which
	// the reader of the values reports.
	MaxOpenShiftVersions []string
}

// InstallNamespace returns the namespace to install into if the user names none: the author's suggestion, else "<package>-system".
func (m Metadata) InstallNamespace() string {
	if m.SuggestedNamespace != "" {
		return m.SuggestedNamespace
	}
	return m.Package + "-system"
}
