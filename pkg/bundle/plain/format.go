package plain

import (
	"io/fs"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// Format is plain+v0.
type Format struct{}

// Name is plain+v0.
func (Format) Name() string { return mediaType }

// RendererVersion is the version of Render.
func (Format) RendererVersion() int { return 1 }

// Load reads a bundle in the same way as the function Load.
func (Format) Load(files fs.FS) (bundle.Bundle, error) {
	loaded, err := Load(files)
	if err != nil {
		return nil, err
	}
	return loaded, nil
}
