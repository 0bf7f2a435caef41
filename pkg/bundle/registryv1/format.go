package registryv1

import (
	"io/fs"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// Format is registry+v1.
type Format struct{}

// Name is registry+v1.
func (Format) Name() string { return mediaType }

// RendererVersion is the version of Render.
func (Format) RendererVersion() int { return 1 }

// Load reads a bundle as the function Load does.
func (Format) Load(files fs.FS) (bundle.Bundle, error) {
	loaded, err := Load(files)
	if err != nil {
		return nil, err
	}
	return loaded, nil
}
