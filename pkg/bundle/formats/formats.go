// Package formats lists the supported bundle formats. The format of a bundle follows from its provisioner class; pkg/apis/core/v1alpha2
// defines the names. The package does not depend on the details of a format. pkg/unpack calls it, and so do the callers that compare
// renderers.
package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

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

// Find returns the format with a name. The error for an unknown name is meant for the user who specified it.
func Find(name string) (bundle.Format, error) {
	var names []string
	for _, each := range All() {
		if each.Name() == name {
			return each, nil
		}
		names = append(names, each.Name())
	}
	return nil, fmt.Errorf("bundle format %q is not supported by this manager; use one of: %s", name, strings.Join(names, ", "))
}

// Load reads and validates a bundle in the format with the given name, as Format.Load does. If the bundle has a different format, Load
// returns a *bundle.FormatError. It then also reads the bundle in its actual format, and stores the error of that in ActualErr.
func Load(files fs.FS, name string) (bundle.Bundle, error) {
	format, err := Find(name)
	if err != nil {
		return nil, err
	}
	loaded, err := format.Load(files)
	if mismatch := new(bundle.FormatError); errors.As(err, &mismatch) {
		return nil, withActual(files, *mismatch)
	}
	return loaded, err
}

// withActual reads the bundle in its actual format, and returns the FormatError with the error of that in ActualErr.
func withActual(files fs.FS, mismatch bundle.FormatError) error {
	if actual, err := Find(mismatch.Actual); err == nil {
		_, mismatch.ActualErr = actual.Load(files)
	}
	return &mismatch
}

// Renderer returns the renderer of the format with a name, as bundle.RendererOf does. It returns "" for an unknown name.
func Renderer(name string) string {
	format, err := Find(name)
	if err != nil {
		return ""
	}
	return bundle.RendererOf(format)
}
