package declaredresources

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	imagecontent "github.com/openshift/platform-operators/pkg/applyconfiguration/content"
	"github.com/openshift/platform-operators/pkg/bundle"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/source/sources"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// providers are the components that may issue a bundle's certificates. The directory does not show which of them the cluster has, so the
// Declaration has the objects for each of them.
var providers = []bundle.CertificateProvider{bundle.ServiceCA, bundle.CertManager}

// contents renders the bundles whose content is in an input directory.
type contents struct {
	content unpack.Content
	sources source.Types
	classes map[string]*corev1alpha2.ProvisionerClass
}

// newContents returns the contents of an input directory. It creates a folder; the caller must call remove.
func newContents(files fs.FS, all []*corev1alpha2.Bundle, classes map[string]*corev1alpha2.ProvisionerClass) (made *contents, remove func(), err error) {
	folder, err := os.MkdirTemp("", "platform-operators-content-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating a folder for the content of bundles: %w", err)
	}
	remove = func() { _ = os.RemoveAll(folder) } // a temporary folder
	stored, err := store.NewContent(store.ContentConfig{Dir: folder, Budget: operator.NewOptions().ContentBudget, Clock: clock.RealClock{}})
	if err != nil {
		remove()
		return nil, nil, err
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, each := range all {
		if err := indexer.Add(each); err != nil {
			remove()
			return nil, nil, err
		}
	}
	images := image.New(image.Config{Find: imagecontent.NewImages(files).Find})
	return &contents{stored, sources.OfBundleDeployments(images, corelisters.NewBundleLister(indexer)), classes}, remove, nil
}

// render returns the objects of each bundle that the BundleDeployment may store as a revision: that of its source, and those that its source
// was resolved to before. It omits a bundle without content, and one that cannot be installed. It returns an error only if the context ends
// or a source cannot be opened.
func (c *contents) render(ctx context.Context, deployment *corev1alpha2.BundleDeployment, resolved []string) ([][]unstructured.Unstructured, error) {
	class, isKnown := c.classes[deployment.Spec.ProvisionerClassName]
	if !isKnown {
		return nil, nil
	}
	opened, err := c.sources.Open(deployment.Spec.Source, source.NamespacesOf(deployment.Spec))
	if err != nil || opened.Source == nil {
		return nil, err
	}
	request := unpack.Request{
		Source: opened.Source, Format: corev1alpha2.FormatOf(class.Spec.Provisioner), Namespace: deployment.Spec.InstallNamespace,
		Config: revision.CanonicalConfig(deployment.Spec.Config),
	}
	rendered := c.variants(ctx, request)
	for _, reference := range resolved {
		if reference != opened.Name {
			request.Source = opened.Source.At(reference)
			rendered = append(rendered, c.variants(ctx, request)...)
		}
	}
	return rendered, ctx.Err()
}

// variants returns the objects of one bundle, for each component that may issue its certificates.
func (c *contents) variants(ctx context.Context, request unpack.Request) (rendered [][]unstructured.Unstructured) {
	for _, provider := range providers {
		renderer := unpack.Renderer{
			Content: c.content, IsReserved: apply.IsReserved,
			Certificates: func() (bundle.CertificateProvider, error) { return provider, nil },
		}
		result, err := renderer.Render(ctx, request)
		if err != nil {
			return rendered
		}
		if result.Invalid == nil {
			rendered = append(rendered, result.Objects)
		}
		if result.Certificates == "" {
			return rendered // it needs none
		}
	}
	return rendered
}
