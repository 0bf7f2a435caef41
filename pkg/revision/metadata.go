package revision

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

const (
	// maxName, maxMetadata and maxDeclared are the schema's limits for bundle metadata in status: the length of names, the length of other
	// values, and the number of MaxOpenShiftVersions. The API server would reject a status that exceeds them. Values that are cut here were
	// invalid before and stay invalid.
	maxName     = 253
	maxMetadata = 128
	maxDeclared = 4
)

// MetadataOf returns the metadata of a bundle for headers and status. A value that is too long is cut and ends with "…", so that it cannot
// become a different valid value. Only the first four MaxOpenShiftVersions are kept.
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
