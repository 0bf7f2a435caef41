// Package bundle opens the content of Bundles as sources: a Bundle that was unpacked has, in its status, the source that its content came
// from, pinned. It fetches nothing itself, and does not know which types of sources a Bundle may have: what opens those is passed in.
package bundle

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
)

// Opener opens sources of type bundle.
type Opener struct {
	// Bundles has the Bundles that a source may name.
	Bundles corelisters.BundleLister
	// Resolved opens the source that a Bundle was resolved to.
	Resolved source.Opener
}

// Open returns the source of a Bundle's content. The blank in its name distinguishes it from every reference of an image.
func (o Opener) Open(spec corev1alpha2.BundleSource) (source.Opened, error) {
	if spec.Bundle == nil {
		return source.Opened{Missing: "spec.source has no bundle; the schema asks for one"}, nil
	}
	name := spec.Bundle.Name
	opened := source.Opened{Name: "Bundle " + name}
	found, err := o.Bundles.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		opened.Missing = fmt.Sprintf("Bundle %q does not exist; create it, or name another one in spec.source.bundle", name)
		return opened, nil
	case err != nil:
		return source.Opened{}, fmt.Errorf("reading Bundle %q: %w", name, err)
	}
	var resolved source.Opened
	if found.Status.ResolvedSource != nil {
		if resolved, err = o.Resolved.Open(*found.Status.ResolvedSource); err != nil {
			return source.Opened{}, fmt.Errorf("reading the source of Bundle %q: %w", name, err)
		}
	}
	if resolved.Source == nil {
		opened.Missing = fmt.Sprintf("Bundle %q is not unpacked yet; its Unpacked condition says why", name)
		return opened, nil
	}
	opened.Source, opened.Resolved = resolved.Source, resolved.Name
	return opened, nil
}
