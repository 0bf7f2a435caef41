package revision

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

const (
	// maxName, maxMetadata and maxDeclared are the schema's limits for a bundle's metadata in status. A status beyond them would be refused
	// as a whole. What is cut here was no valid value before, and is none then.
	maxName     = 253
	maxMetadata = 128
	maxDeclared = 4
)

// MetadataOf returns the metadata of a bundle as headers and status have it. What it cuts ends with "…", so that no value becomes another
// valid one.
func MetadataOf(metadata bundle.Metadata) corev1alpha2.BundleMetadata {
	recorded := corev1alpha2.BundleMetadata{
		Name:           truncated(metadata.Name, maxName),
		Package:        truncated(metadata.Package, maxName),
		Version:        truncated(metadata.Version, maxMetadata),
		MinKubeVersion: truncated(metadata.MinKubeVersion, maxMetadata),
	}
	for _, value := range metadata.MaxOpenShiftVersions[:min(len(metadata.MaxOpenShiftVersions), maxDeclared)] {
		recorded.MaxOpenShiftVersions = append(recorded.MaxOpenShiftVersions, truncated(value, maxMetadata))
	}
	return recorded
}
