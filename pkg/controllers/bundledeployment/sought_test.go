package bundledeployment

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
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

func TestRevisionsAreToldApartBySourceAndConfiguration(t *testing.T) {
	s, one, two := given(t)
	const registry = corev1alpha2.FormatRegistryV1
	two.Source, two.Config = one.Source, digestOf(`{"watchNamespace":"a"}`)
	one.Renderer = "" // of before renderers were stored
	two.Renderer = "registry+v1/7"
	for name, c := range map[string]struct {
		sought sought
		want   *revision
	}{
		"the same source without configuration":      {sought{format: registry, source: one.Source}, one},
		"the same source with its configuration":     {sought{format: registry, source: one.Source, config: two.Config}, two},
		"the same source with another configuration": {sought{format: registry, source: one.Source, config: "sha256:else"}, nil},
		"another source":                  {sought{format: registry, source: "r/else:v1"}, nil},
		"a Bundle that was created anew":  {sought{format: registry, source: one.Source, resolved: "r/memo@sha256:else"}, nil},
		"a class of another format":       {sought{format: corev1alpha2.FormatPlainV0, source: one.Source}, nil},
		"a Bundle that is still the same": {sought{format: registry, source: one.Source, resolved: one.Resolved}, one},
	} {
		s.sought = c.sought
		if got := s.latest(); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	s.sought = sought{format: registry, source: one.Source, config: "sha256:else"}
	if got := s.pinned(); got != two.Resolved {
		t.Errorf("another configuration of the same tag is rendered from %q, want %q: a tag is resolved once", got, two.Resolved)
	}
}

func TestWhatFailedForThisSpecIsNotTriedAgain(t *testing.T) {
	s, one, two := given(t)
	s.sought = sought{format: corev1alpha2.FormatRegistryV1, source: two.Source}
	two.state, two.failedGeneration = corev1alpha2.RevisionFailed, 3
	s.wanted = nil
	if err := s.recallSource(t.Context()); err != nil || s.wanted != one || s.failed != two {
		t.Fatalf("error %v; wanted is revision %d", err, s.wanted.Number)
	}
	s.wanted, s.failed, s.deployment.Generation = nil, nil, 4
	if err := s.recallSource(t.Context()); err != nil || s.wanted != two || s.failed != nil {
		t.Errorf("error %v; after a change of the spec it is not tried again", err)
	}
	s.wanted, s.active, s.deployment.Generation = nil, nil, 3
	if err := s.recallSource(t.Context()); err != nil || s.wanted != two || s.failed != nil {
		t.Errorf("error %v; it is not tried although there is nothing to go back to any more", err)
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
	s, _, _ := given(t)
	s.bundles = corelisters.NewBundleLister(indexer)
	for name, missing := range map[string]string{
		"unpacked": "", "waiting": `Bundle "waiting" is not unpacked yet; its Unpacked condition says why`,
		"absent": `Bundle "absent" does not exist; create it, or name another one in spec.source.bundle`,
	} {
		s.deployment.Spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: name}}
		got, err := s.seek()
		if err != nil || got.missing != missing || got.source != "Bundle "+name {
			t.Errorf("%s: error %v, source %q, missing %q", name, err, got.source, got.missing)
		}
		if missing == "" && (got.resolved != ref || got.image.PullSecret != "secret") {
			t.Errorf("%s: resolved %q with secret %q", name, got.resolved, got.image.PullSecret)
		}
	}
}

func TestPollsKeepToTheirTimesWhoeverAsks(t *testing.T) {
	every := 10 * time.Minute
	start := time.Unix(1_700_000_000, 0)
	seen := map[time.Duration]bool{}
	for i := range 100 {
		uid := types.UID(fmt.Sprint("uid-", i))
		slot, next := slotAt(uid, every, start)
		if next <= 0 || next > every {
			t.Fatalf("the next poll is in %s", next)
		}
		seen[next.Truncate(time.Minute)] = true
		if before, _ := slotAt(uid, every, start.Add(next-time.Nanosecond)); before != slot {
			t.Fatal("a poll is due before its time")
		}
		if after, again := slotAt(uid, every, start.Add(next)); after != slot+1 || again != every {
			t.Fatalf("at its time the slot is %d after %d, and the next is in %s", after, slot, again)
		}
	}
	if len(seen) < 8 {
		t.Errorf("100 deployments poll in %d of 10 minutes: they are not spread", len(seen))
	}
}

func TestATagIsPolledAtItsTimeAndNotByAStart(t *testing.T) {
	s, _, two := given(t)
	minutes := int32(10)
	s.deployment.UID = "uid"
	s.deployment.Spec.Source.Image = &corev1alpha2.ImageSource{Ref: "r/memo:v2", PollIntervalMinutes: &minutes}
	if _, due := s.poll(two); due {
		t.Error("a start polls")
	}
	if s.retryAfter <= 0 || s.retryAfter > 10*time.Minute {
		t.Errorf("looks again after %s", s.retryAfter)
	}
	s.record.slot-- // a slot has gone by
	got, due := s.poll(two)
	if !due || got.known != two.Resolved || got.source.Ref != "r/memo:v2" {
		t.Errorf("due: %v, wish %+v", due, got)
	}
	s.deployment.Spec.Source.Image.Ref = two.Resolved
	if _, due := s.poll(two); due {
		t.Error("a reference by digest is polled")
	}
}
