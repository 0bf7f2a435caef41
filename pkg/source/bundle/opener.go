// Package bundle opens Bundles as sources of BundleDeployments. The status of an unpacked Bundle contains the pinned source of its content,
// and the package opens that source. It fetches no content. The caller passes in the Opener for the source types that a Bundle may have.
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
	// Bundles lists the Bundles that a spec may name.
	Bundles corelisters.BundleLister
	// Resolved opens the pinned source in a Bundle's status.
	Resolved source.Opener
}

// Open returns the source of a Bundle's content. The name of the source contains a space, so that it differs from every image reference. If
// the Bundle does not exist or is not unpacked, Open sets Missing. The Secrets that a Bundle names are always in the namespace of the manager;
// the ImagePolicies are those of namespaces.Policies.
func (o Opener) Open(spec corev1alpha2.BundleSource, namespaces source.Namespaces) (source.Opened, error) {
	if spec.Bundle == nil {
		return source.Opened{Missing: "spec.source.bundle is missing; set it"}, nil
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
		if resolved, err = o.Resolved.Open(*found.Status.ResolvedSource, source.Namespaces{Policies: namespaces.Policies}); err != nil {
			return source.Opened{}, fmt.Errorf("reading the source of Bundle %q: %w", name, err)
		}
	}
	if resolved.Source == nil {
		opened.Missing = fmt.Sprintf("Bundle %q is not unpacked yet; its Unpacked condition says why", name)
		return opened, nil
	}
	// The Bundle's own spec has the tag that was resolved, to which mirrors of tags and image policies apply.
	asSpecified, err := o.Resolved.Open(found.Spec.Source, source.Namespaces{Policies: namespaces.Policies})
	if err != nil {
		return source.Opened{}, fmt.Errorf("reading the source of Bundle %q: %w", name, err)
	}
	opened.Source, opened.Resolved, opened.Image = resolved.Source, resolved.Name, resolved.Image
	if asSpecified.Source != nil {
		opened.Source = asSpecified.Source.At(resolved.Name)
	}
	return opened, nil
}
