package registryv1

import (
	"io/fs"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// Format is registry+v1.
type Format struct{}

// Name is registry+v1.
func (Format) Name() string { return mediaType }

// RendererVersion is the version of Render and of what Load reads for it. Version 1 ignored keys of a ClusterServiceVersion that differ in
// case, such as ServiceAccountName. Since version 2, these keys are part of the rendered objects. Bundles without such keys render to the
// same objects in both versions.
func (Format) RendererVersion() int { return 2 }

// Load reads a bundle in the same way as the function Load.
func (Format) Load(files fs.FS) (bundle.Bundle, error) {
	loaded, err := Load(files)
	if err != nil {
		return nil, err
	}
	return loaded, nil
}
