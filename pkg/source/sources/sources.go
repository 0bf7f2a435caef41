// Package sources lists the types of sources that Bundles and BundleDeployments may have. pkg/operator passes them to the controllers.
package sources

import (
	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/bundle"
)

// OfBundles returns the source types of Bundles. The caller passes the Opener for type image, for example an *image.Fetcher.
func OfBundles(images source.Opener) source.Types {
	return source.Types{
		corev1alpha2.SourceTypeImage: images,
	}
}

// OfBundleDeployments returns the source types of BundleDeployments: those of Bundles, and the type bundle.
func OfBundleDeployments(images source.Opener, bundles corelisters.BundleLister) source.Types {
	types := OfBundles(images)
	types[corev1alpha2.SourceTypeBundle] = bundle.Opener{Bundles: bundles, Resolved: OfBundles(images)}
	return types
}
