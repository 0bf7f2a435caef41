// Package formats lists the supported bundle formats. The format of a bundle follows from its provisioner class; pkg/apis/core/v1alpha2
// has the names. The package does not know the details of any format. pkg/unpack calls it, and so do the callers that compare renderers.
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

// Find returns the format with a name. The error is for the user who specified the name.
func Find(name string) (bundle.Format, error) {
	for _, each := range All() {
		if each.Name() == name {
			return each, nil
		}
	}
	return nil, fmt.Errorf("bundles of format %q are not read here", name)
}

// Renderer identifies the renderer of a format by the format's name, as bundle.RendererOf does; empty for a format that is not in the
// list.
func Renderer(name string) string {
	format, err := Find(name)
	if err != nil {
		return ""
	}
	return bundle.RendererOf(format)
}
