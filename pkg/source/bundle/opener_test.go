package bundle_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/bundle"
	"github.com/openshift/platform-operators/pkg/source/image"
)

func TestSourcesOfBundles(t *testing.T) {
	const ref = "r/memo@sha256:1"
	resolved := &corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref, PullSecret: "secret"}}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for name, status := range map[string]*corev1alpha2.BundleSource{
		"unpacked": resolved, "waiting": nil, "unread": {Type: "git"}, "imageless": {Type: corev1alpha2.SourceTypeImage},
	} {
		each := &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: name}}
		each.Status.ResolvedSource = status
		if err := indexer.Add(each); err != nil {
			t.Fatal(err)
		}
	}
	tagged := &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: "tagged"}, Spec: corev1alpha2.BundleSpec{Source: *resolved.DeepCopy()}}
	tagged.Spec.Source.Image.Ref, tagged.Status.ResolvedSource = "registry.example/memo:v1", resolved
	if err := indexer.Add(tagged); err != nil {
		t.Fatal(err)
	}
	opener := bundle.Opener{
		Bundles:  corelisters.NewBundleLister(indexer),
		Resolved: source.Types{corev1alpha2.SourceTypeImage: image.New(image.Config{})},
	}
	// The tag of the Bundle is kept: mirrors of tags and image policies apply to it.
	got, err := opener.Open(corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: "tagged"}}, source.Namespaces{Policies: "memo"})
	bySpec, specErr := opener.Resolved.Open(tagged.Spec.Source, source.Namespaces{Policies: "memo"})
	if err != nil || specErr != nil || got.Source != bySpec.Source.At(ref) || got.Image != ref || got.Resolved != ref {
		t.Errorf("a Bundle with a tag is opened as %+v, %v, %v", got, err, specErr)
	}
	for name, missing := range map[string]string{
		"unpacked":  "",
		"waiting":   `Bundle "waiting" is not unpacked yet; its Unpacked condition says why`,
		"unread":    `Bundle "unread" is not unpacked yet; its Unpacked condition says why`,
		"imageless": `Bundle "imageless" is not unpacked yet; its Unpacked condition says why`,
		"absent":    `Bundle "absent" does not exist; create it, or name another one in spec.source.bundle`,
	} {
		got, err := opener.Open(corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: name}}, source.Namespaces{Secrets: "memo", Policies: "memo"})
		if err != nil || got.Missing != missing || got.Name != "Bundle "+name || got.PollInterval != time.Duration(0) {
			t.Errorf("%s: error %v, %+v, want missing %q", name, err, got, missing)
		}
		if (got.Source == nil) != (missing != "") {
			t.Fatalf("%s: the source is %v", name, got.Source)
		}
		if inSystem, err := opener.Resolved.Open(*resolved, source.Namespaces{Policies: "memo"}); missing == "" && (err != nil || got.Source != inSystem.Source || got.Image != ref) {
			t.Errorf("%s: it is not the image with the Secret in the manager's namespace and the ImagePolicies of the BundleDeployment's, but %+v", name, got)
		}
		if missing == "" && (got.Resolved != ref || got.Source.Spec().Image.PullSecret != "secret") {
			t.Errorf("%s: resolved %q, to %+v", name, got.Resolved, got.Source.Spec().Image)
		}
	}
}
