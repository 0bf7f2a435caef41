// Package sources is the list of the types of sources that bundles come from. It knows nothing of what they are; the wiring calls it, and
// gives what it returns to the controllers.
package sources

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/bundle"
)

// OfBundles returns the types that a Bundle may have. Images opens those of type image; *image.Fetcher does.
func OfBundles(images source.Opener) source.Types {
	return source.Types{
		corev1alpha2.SourceTypeImage: images,
	}
}

// OfBundleDeployments returns the types that a BundleDeployment may have: those of Bundles, and the content of a Bundle.
func OfBundleDeployments(images source.Opener, bundles corelisters.BundleLister) source.Types {
	types := OfBundles(images)
	types[corev1alpha2.SourceTypeBundle] = bundle.Opener{Bundles: bundles, Resolved: OfBundles(images)}
	return types
}
