// Package formats lists the supported bundle formats. The format of a bundle follows from its provisioner class; pkg/apis/core/v1alpha2 has
// the names. The package does not depend on the details of a format. pkg/unpack calls it, and so do the callers that compare renderers.
package formats

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/plain"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

// All returns every format.
func All() []bundle.Format {
	return []bundle.Format{
		registryv1.Format{},
		plain.Format{},
	}
}

// Find returns the format with a name. The error for an unknown name is for the user who specified it.
func Find(name string) (bundle.Format, error) {
	for _, each := range All() {
		if each.Name() == name {
			return each, nil
		}
	}
	return nil, fmt.Errorf("bundles of format %q are not read here", name)
}

// Renderer returns the renderer of the format with a name, as bundle.RendererOf does. It returns "" for an unknown name.
func Renderer(name string) string {
	format, err := Find(name)
	if err != nil {
		return ""
	}
	return bundle.RendererOf(format)
}
