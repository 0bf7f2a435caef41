package catalogs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// connect stores a CatalogSource with an image, a registryPoll, and this lastConnect time and state.
func (b *fixture) connect(t *testing.T, connected, state string) {
	t.Helper()
	if err := b.sources[catalog.KindCatalogSource].informer.GetStore().Add(object(t, fmt.Sprintf(`
metadata: {name: red, namespace: openshift-marketplace, uid: u, resourceVersion: %q}
spec: {sourceType: grpc, image: "catalog:latest", updateStrategy: {registryPoll: {interval: 10m}}}
status: {connectionState: {address: "red:50051", lastObservedState: %s, lastConnect: %q}}`, connected, state, connected))); err != nil {
		t.Fatal(err)
	}
}

// serve stores a pod of the CatalogSource with this name and status, as the pod informer does.
func (b *fixture) serve(t *testing.T, pod, status string) {
	t.Helper()
	reduced, err := reducePod(object(t, `
apiVersion: v1
kind: Pod
metadata: {name: `+pod+`, namespace: openshift-marketplace, labels: {olm.catalogSource: red}}
status: `+status))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.pods.GetStore().Add(reduced); err != nil {
		t.Fatal(err)
	}
}

func running(image string) string {
	return `{phase: Running, conditions: [{type: Ready, status: "True"}], containerStatuses: [{name: registry, imageID: "` + image + `"}]}`
}

func TestUPG_C5ContentOfACatalogSourceIsReadAgainWhenItMayHaveChanged(t *testing.T) {
	for name, test := range map[string]struct {
		before, after func(*testing.T, *fixture)
		// atOnce is the number of reads after the first one, without a wait. withinAMinute is that number within a minute.
		atOnce, withinAMinute int
	}{
		"nothing happens": {after: func(*testing.T, *fixture) {}},
		"its object changes in ways that say nothing": {after: func(t *testing.T, b *fixture) {
			for i := range 30 {
				b.connect(t, "first", "READY")
				b.run(t)
				b.clock.Step(time.Second)
				_ = i
			}
		}},
		"its connection flaps every second, its pod stays": {
			before: func(t *testing.T, b *fixture) { b.serve(t, "p", running("sha256:1")) },
			after: func(t *testing.T, b *fixture) {
				for i := range 300 {
					b.connect(t, fmt.Sprint(i), []string{"READY", "TRANSIENT_FAILURE"}[i%2])
					b.run(t)
					b.clock.Step(time.Second)
				}
				b.connect(t, "at last", "READY")
			},
		},
		"its connection is new, and nothing says what its pod runs": {
			after: func(t *testing.T, b *fixture) { b.connect(t, "second", "READY") }, withinAMinute: 1,
		},
		"its connection flaps every second, and nothing says what its pod runs": {
			after: func(t *testing.T, b *fixture) {
				for i := range 29 {
					b.connect(t, fmt.Sprint(i), "READY")
					b.run(t)
					b.clock.Step(time.Second)
				}
			}, withinAMinute: 1,
		},
		"its pod runs another image": {
			before: func(t *testing.T, b *fixture) { b.serve(t, "p", running("sha256:1")) },
			after:  func(t *testing.T, b *fixture) { b.serve(t, "p", running("sha256:2")) }, atOnce: 1, withinAMinute: 1,
		},
		"its pod is started again and runs the same": {
			before: func(t *testing.T, b *fixture) { b.serve(t, "p", running("sha256:1")) },
			after: func(t *testing.T, b *fixture) {
				b.serve(t, "p", `{phase: Running, containerStatuses: [{name: registry, imageID: "sha256:1"}]}`)
				b.connect(t, "while it is not ready", "TRANSIENT_FAILURE")
				b.run(t)
				b.serve(t, "p", running("sha256:1"))
				b.connect(t, "second", "READY")
			},
		},
		"another pod of the same image takes over": {
			before: func(t *testing.T, b *fixture) { b.serve(t, "p", running("sha256:1")) },
			after: func(t *testing.T, b *fixture) {
				b.serve(t, "p", `{phase: Failed}`)
				b.serve(t, "q", running("sha256:1"))
				b.connect(t, "second", "READY")
			},
		},
		"what its pod runs is known only after it was read": {
			after: func(t *testing.T, b *fixture) {
				for range 30 { // one read, even if its pod often reports no images for a moment
					b.serve(t, "p", running("sha256:1"))
					b.run(t)
					b.serve(t, "p", `{phase: Running}`)
					b.run(t)
				}
				b.serve(t, "p", running("sha256:1"))
			}, atOnce: 1, withinAMinute: 1,
		},
		"two pods are of different images": {
			before: func(t *testing.T, b *fixture) { b.serve(t, "p", running("sha256:1")) },
			after: func(t *testing.T, b *fixture) {
				b.serve(t, "q", running("sha256:2"))
				b.connect(t, "second", "READY")
			}, withinAMinute: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay")
			if test.before != nil {
				test.before(t, b)
			}
			b.connect(t, "first", "READY")
			b.run(t)
			b.notified = nil
			if b.reads() != 1 {
				t.Fatalf("it was read %d times at first", b.reads())
			}
			test.after(t, b)
			b.run(t)
			if got := b.reads() - 1; got != test.atOnce {
				t.Errorf("it was read again %d times at once, want %d", got, test.atOnce)
			}
			b.clock.Step(time.Minute)
			b.run(t)
			if got := b.reads() - 1; got != test.withinAMinute {
				t.Errorf("it was read again %d times within a minute, want %d", got, test.withinAMinute)
			}
			for _, view := range b.snapshots.For("quay") {
				if view.Package == nil || view.Err != nil {
					t.Errorf("in the end it says %+v", view)
				}
			}
			if len(b.notified) > 0 {
				t.Errorf("the content is the same, and operators were told: %q", b.notified)
			}
		})
	}
}

func TestUPG_C5RegistryPollAppliesWithoutDigest(t *testing.T) {
	for name, test := range map[string]struct {
		status string
		reads  int
	}{"nothing does": {`{phase: Running}`, 2}, "its pod does": {running("sha256:1"), 1}} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay")
			b.serve(t, "p", test.status)
			b.connect(t, "first", "READY")
			for range 12 { // the interval is ten minutes
				b.run(t)
				b.clock.Step(time.Minute)
			}
			if b.reads() != test.reads {
				t.Errorf("read %d times in twelve minutes, want %d", b.reads(), test.reads)
			}
		})
	}
}

func TestUPG_C5OnlyChangedPackagesAreNotified(t *testing.T) {
	b := newFixture(t, "quay", "other")
	b.serve(t, "p", running("sha256:1"))
	b.connect(t, "first", "READY")
	b.run(t)
	b.notified = nil
	b.content = func(name string) catalog.Package {
		p := catalog.Package{Name: name}
		if name == "quay" {
			p.Deprecated = "use clair"
		}
		return p
	}
	b.serve(t, "p", running("sha256:2"))
	b.run(t)
	if !slices.Equal(b.notified, []string{"quay"}) {
		t.Errorf("told of %q", b.notified)
	}
	if kept, _ := b.snapshots.Get(catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "red"}); kept.Identity != "registry=sha256:2" {
		t.Errorf("its content is named %q", kept.Identity)
	}
}

func TestContentWithoutDigestIsIdentifiedByItsHash(t *testing.T) {
	identity := func(b *fixture) string {
		kept, _ := b.snapshots.Get(catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "red"})
		return kept.Identity
	}
	b := newFixture(t, "quay")
	b.put(t, "first")
	b.run(t)
	first := identity(b)
	b.clock.Step(time.Hour)
	b.put(t, "second")
	b.run(t)
	if b.reads() != 2 || !strings.HasPrefix(first, "sha256:") || identity(b) != first {
		t.Errorf("read %d times, named %q and then %q", b.reads(), first, identity(b))
	}
	b.content = func(name string) catalog.Package { return catalog.Package{Name: name, DefaultChannel: "other"} }
	b.clock.Step(time.Hour)
	b.put(t, "third")
	b.run(t)
	if identity(b) == first {
		t.Error("other content has the same name")
	}
}

func TestNewlyWantedPackageIsReadSeparately(t *testing.T) {
	for name, test := range map[string]struct {
		status string
		want   []string
	}{
		"where the content is known to be the same": {running("sha256:1"), []string{"late"}},
		"with all others where it is not":           {`{phase: Running}`, []string{"late", "quay"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay")
			b.duration = 10 * time.Second
			b.serve(t, "p", test.status)
			b.connect(t, "first", "READY")
			b.run(t)
			b.addOperator(t, "late")
			b.run(t)
			if b.reads() != 1 {
				t.Errorf("it was read %d times without a pause as long as the first reading", b.reads())
			}
			b.clock.Step(10 * time.Second)
			b.run(t)
			if b.reads() != 2 || !slices.Equal(b.requests[1].Names, test.want) {
				t.Fatalf("asked for %+v", b.requests)
			}
			for _, pkg := range []string{"quay", "late"} {
				if views := b.snapshots.For(pkg); views[0].Package == nil {
					t.Errorf("of %s it says %+v", pkg, views)
				}
			}
		})
	}
}

func TestUnwantedPackageIsPruned(t *testing.T) {
	b := newFixture(t, "quay", "other")
	b.put(t, "first")
	b.run(t)
	b.removeOperator(t, "other")
	b.run(t)
	kept, _ := b.snapshots.Get(catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "red"})
	if len(kept.Packages) != 1 || kept.Packages[0].Name != "quay" || len(kept.Wanted) != 1 || b.reads() != 1 {
		t.Errorf("kept %+v after %d readings", kept, b.reads())
	}
}

func TestUPG_C5ClusterCatalogIsReadAgainWhenItsResolvedSourceChanges(t *testing.T) {
	serve := func(t *testing.T, b *fixture, ref, unpacked, serving string) {
		t.Helper()
		if err := b.sources[catalog.KindClusterCatalog].informer.GetStore().Add(object(t, fmt.Sprintf(`
metadata: {name: blue, uid: u}
status: {urls: {base: "https://c/blue"}, lastUnpacked: %q, resolvedSource: {image: {ref: %q}}, conditions: [{type: Serving, status: %q}]}`,
			unpacked, ref, serving))); err != nil {
			t.Fatal(err)
		}
		b.runKey(t, "ClusterCatalog/blue")
	}
	b := newFixture(t, "quay")
	b.modified, b.unmodified = "Sat, 21 Nov 2026 10:00:00 GMT", true
	serve(t, b, "i@sha256:1", "ten", "True")
	serve(t, b, "i@sha256:1", "eleven", "True")
	if b.reads() != 1 {
		t.Errorf("what was only unpacked again was read %d times", b.reads())
	}
	serve(t, b, "i@sha256:1", "eleven", "False")
	if views := b.snapshots.For("quay"); views[0].Package == nil {
		t.Errorf("while it does not serve it says %+v", views)
	}
	serve(t, b, "i@sha256:1", "eleven", "True")
	if b.reads() != 2 || b.requests[1].Since != b.modified {
		t.Errorf("when it serves again it was asked %+v", b.requests)
	}
	if views := b.snapshots.For("quay"); views[0].Package == nil || views[0].Err != nil {
		t.Errorf("then it says %+v", views)
	}
	serve(t, b, "i@sha256:2", "twelve", "True")
	if b.reads() != 3 || b.requests[2].Since != "" {
		t.Errorf("of a new image it was asked %+v", b.requests)
	}
}

func TestCatalogThatStartsToServeIsPending(t *testing.T) {
	b := newFixture(t, "quay")
	b.connect(t, "first", "CONNECTING")
	b.run(t)
	if views := b.snapshots.For("quay"); views[0].Pending || views[0].Err == nil {
		t.Fatalf("while it does not serve it says %+v", views)
	}
	pending := false
	b.content = func(name string) catalog.Package {
		pending = b.snapshots.For("quay")[0].Pending
		return catalog.Package{Name: name}
	}
	b.connect(t, "first", "READY")
	b.run(t)
	if !pending {
		t.Error("while it is read first, others choose as if it did not serve")
	}
}

func TestFailureIsNotifiedForPackagesWantedDuringTheRead(t *testing.T) {
	b := newFixture(t, "quay")
	b.put(t, "first")
	b.fail = errors.New("connection refused")
	b.content = func(name string) catalog.Package {
		b.addOperator(t, "late")
		return catalog.Package{Name: name}
	}
	b.run(t)
	if views := b.snapshots.For("late"); !slices.Contains(b.notified, "late") || views[0].Err == nil || views[0].Pending {
		t.Errorf("told of %q, and it says %+v", b.notified, views)
	}
}
