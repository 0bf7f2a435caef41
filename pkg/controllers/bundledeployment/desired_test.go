package bundledeployment

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
)

func TestEqualConfigurationsAreEqualTexts(t *testing.T) {
	for _, group := range [][]string{
		{"", "null", "{}", " { } "},
		{`{"a":1,"b":{"c":[1,2]}}`, `{ "b": {"c": [1, 2]}, "a": 1 }`},
		{`{"big":12345678901234567890}`},
		{`{"big":12345678901234567891}`},
	} {
		for _, each := range group {
			got := canonical(&runtime.RawExtension{Raw: []byte(each)})
			if want := canonical(&runtime.RawExtension{Raw: []byte(group[0])}); got != want {
				t.Errorf("%s becomes %s, and %s becomes %s", each, got, group[0], want)
			}
		}
	}
	if canonical(nil) != "" || digestOf("") != "" {
		t.Error("no configuration has a text or a digest: revisions of before there was configuration would be rendered again")
	}
	if canonical(&runtime.RawExtension{Raw: []byte(`{"big":12345678901234567890}`)}) == canonical(&runtime.RawExtension{Raw: []byte(`{"big":12345678901234567891}`)}) {
		t.Error("two large numbers are taken for one")
	}
}

func TestSourcesOfBundles(t *testing.T) {
	ref := "r/memo@sha256:1"
	unpacked := &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: "unpacked"}}
	unpacked.Status.ResolvedSource = &corev1alpha2.BundleSource{Image: &corev1alpha2.ImageSource{Ref: ref, PullSecret: "secret"}}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, each := range []*corev1alpha2.Bundle{unpacked, {ObjectMeta: metav1.ObjectMeta{Name: "waiting"}}} {
		if err := indexer.Add(each); err != nil {
			t.Fatal(err)
		}
	}
	for name, missing := range map[string]string{
		"unpacked": "", "waiting": `Bundle "waiting" is not unpacked yet; its Unpacked condition says why`,
		"absent": `Bundle "absent" does not exist; create it, or name another one in spec.source.bundle`,
	} {
		f := newFixture(t)
		f.c.bundles = corelisters.NewBundleLister(indexer)
		f.deployment.Spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: name}}
		f.source = desiredSource{}
		_, err := readSource(t.Context(), f.reconciliation)
		got := f.source
		if err != nil || got.desired.Missing != missing || got.desired.Source != "Bundle "+name {
			t.Errorf("%s: error %v, source %q, missing %q", name, err, got.desired.Source, got.desired.Missing)
		}
		if missing == "" && (got.desired.Resolved != ref || got.image.PullSecret != "secret") {
			t.Errorf("%s: resolved %q with secret %q", name, got.desired.Resolved, got.image.PullSecret)
		}
	}
}
