package sources_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/source/sources"
)

// members returns the JSON names of the fields of the API's union, except its discriminator. Every type of source has one field.
func members() []corev1alpha2.SourceType {
	var names []corev1alpha2.SourceType
	union := reflect.TypeFor[corev1alpha2.BundleSource]()
	for i := range union.NumField() {
		if name, _, _ := strings.Cut(union.Field(i).Tag.Get("json"), ","); name != "type" {
			names = append(names, corev1alpha2.SourceType(name))
		}
	}
	slices.Sort(names)
	return names
}

func bundleLister(t *testing.T) corelisters.BundleLister {
	t.Helper()
	memo := &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: "memo"}}
	memo.Status.ResolvedSource = &corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: "r/memo@sha256:1"}}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if err := indexer.Add(memo); err != nil {
		t.Fatal(err)
	}
	return corelisters.NewBundleLister(indexer)
}

// examples has a spec of each type.
var examples = map[corev1alpha2.SourceType]corev1alpha2.BundleSource{
	corev1alpha2.SourceTypeImage:  {Image: &corev1alpha2.ImageSource{Ref: "r/memo:v1"}},
	corev1alpha2.SourceTypeBundle: {Bundle: &corev1alpha2.BundleReference{Name: "memo"}},
}

func TestEverySourceOfTheAPIIsRead(t *testing.T) {
	types := sources.OfBundleDeployments(image.New(image.Config{}), bundleLister(t))
	if listed := slices.Sorted(maps.Keys(types)); !slices.Equal(listed, members()) {
		t.Errorf("the API has the sources %q, and the list %q", members(), listed)
	}
	names := map[string]bool{}
	for each := range types {
		spec, has := examples[each]
		if !has {
			t.Errorf("add a spec of type %q to this test", each)
			continue
		}
		spec.Type = each
		opened, err := types.Open(spec, source.Namespaces{})
		if err != nil || opened.Source == nil || opened.Name == "" {
			t.Fatalf("%s: opened %+v, %v", each, opened, err)
		}
		if !reflect.TypeOf(opened.Source).Comparable() {
			t.Errorf("%s: sources cannot be compared, so that requests cannot be told apart", each)
		}
		again, err := types.Open(spec, source.Namespaces{})
		if err != nil || again.Source != opened.Source {
			t.Errorf("%s: what is opened again is another source, and would be fetched again", each)
		}
		if names[opened.Name] {
			t.Errorf("%s: another type has the name %q, too", each, opened.Name)
		}
		names[opened.Name] = true
	}
}

func TestBundlesHaveEverySourceButBundles(t *testing.T) {
	want := slices.DeleteFunc(members(), func(each corev1alpha2.SourceType) bool { return each == corev1alpha2.SourceTypeBundle })
	if got := slices.Sorted(maps.Keys(sources.OfBundles(image.New(image.Config{})))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASourceOfALaterManagerIsReportedAsMissing(t *testing.T) {
	opened, err := sources.OfBundles(image.New(image.Config{})).Open(corev1alpha2.BundleSource{Type: "git"}, source.Namespaces{})
	if err != nil || opened.Source != nil || opened.Missing != `spec.source.type "git" is not supported by this manager; use one of: image` {
		t.Errorf("opened %+v, %v", opened, err)
	}
}
