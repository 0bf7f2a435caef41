package registryv1

import (
	"io/fs"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// Format is registry+v1.
type Format struct{}

// Name is registry+v1.
func (Format) Name() string { return mediaType }

// RendererVersion is the version of Render and of what Load reads for it. Version 1 ignored keys of a ClusterServiceVersion in another case,
// such as ServiceAccountName, which are part of the rendered objects since version 2. All other bundles of version 1 render to the same
// objects.
func (Format) RendererVersion() int { return 2 }

// Load reads a bundle as the function Load does.
func (Format) Load(files fs.FS) (bundle.Bundle, error) {
	loaded, err := Load(files)
	if err != nil {
		return nil, err
	}
	return loaded, nil
}
