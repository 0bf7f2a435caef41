package catalogs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
)

// hang stores a ClusterCatalog whose base URL is base.
func (b *fixture) hang(t *testing.T, name, base string) {
	t.Helper()
	if err := b.sources[catalog.KindClusterCatalog].informer.GetStore().Add(object(t, fmt.Sprintf(`
metadata: {name: %s, uid: u}
status: {urls: {base: %q}, resolvedSource: {image: {ref: "i@sha256:1"}}, conditions: [{type: Serving, status: "True"}]}`, name, base))); err != nil {
		t.Fatal(err)
	}
}

// hanging has the reads that hang. began receives the endpoint of each read that begins, and ended that of each read that is canceled.
type hanging struct{ began, ended chan string }

func (b *fixture) hangs() hanging {
	h := hanging{make(chan string, 100), make(chan string, 100)}
	b.sources[catalog.KindClusterCatalog].read = func(ctx context.Context, request Request) (Result, error) {
		h.began <- request.Endpoint
		<-ctx.Done()
		h.ended <- request.Endpoint
		return Result{}, ctx.Err()
	}
	return h
}

func views(b *fixture, id, pkg string) (text string) {
	for _, view := range b.snapshots.For(pkg) {
		switch {
		case view.ID.String() != id:
			continue
		case view.Pending:
			text = "pending"
		case view.Err != nil:
			text = view.Err.Error()
		default:
			text = fmt.Sprintf("has it: %t", view.Package != nil)
		}
		if view.Unavailable {
			text += ", away"
		}
	}
	return text
}

func TestHangingCatalogsDoNotDelayOthers(t *testing.T) {
	b := newFixture(t, "quay")
	h := b.hangs()
	b.workerWait = 0 // so that the only worker does not wait for a read
	for i := range 5 {
		b.hang(t, fmt.Sprintf("hung-%d", i), fmt.Sprintf("https://c/%d", i))
		b.runKey(t, fmt.Sprintf("ClusterCatalog/hung-%d", i))
		<-h.began
	}
	b.workerWait = time.Minute
	b.put(t, "first")
	b.run(t)
	if got := views(b, red, "quay"); got != "has it: true" {
		t.Errorf("five catalogs hang, and the sixth says %q", got)
	}
	for i := range 5 {
		key := fmt.Sprintf("ClusterCatalog/hung-%d", i)
		b.runKey(t, key)
		if got := views(b, key, "quay"); got != "pending" || len(h.began) > 0 {
			t.Errorf("while it is read it says %q, and was asked %d times more", got, len(h.began))
		}
	}
}

func TestSlowCatalogIsIgnoredUntilItsReadEnds(t *testing.T) {
	b := newFixture(t, "quay")
	b.hang(t, "slow", "https://c/slow")
	answer, answered := make(chan struct{}), make(chan struct{})
	b.sources[catalog.KindClusterCatalog].read = func(context.Context, Request) (Result, error) {
		defer close(answered)
		<-answer
		return Result{Packages: []catalog.Package{{Name: "quay"}}}, nil
	}
	b.workerWait = 0
	const slow = "ClusterCatalog/slow"
	run := func(want string) {
		t.Helper()
		b.runKey(t, slow)
		if got := views(b, slow, "quay"); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	run("pending")
	b.clock.Step(b.operatorWait - 1)
	run("pending")
	b.clock.Step(1)
	stillReading := errStillReading{b.operatorWait}.Error()
	run(stillReading)
	b.clock.Step(catalogsource.GracePeriod)
	b.notified = nil
	run(stillReading + ", away")
	run(stillReading + ", away")
	if !slices.Equal(b.notified, []string{"quay"}) {
		t.Errorf("told of %q", b.notified)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.tasks.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the reading is no task that is waited for: %v", err)
	}
	close(answer)
	if err := b.tasks.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	run("has it: true")
}

func TestReadIsCanceledWhenTheCatalogChanges(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*testing.T, *fixture)
		// begins is the endpoint of the next read that begins; empty for none. says is the expected text of the catalog's snapshot.
		begins, says string
	}{
		"it was deleted": {func(t *testing.T, b *fixture) {
			store := b.sources[catalog.KindClusterCatalog].informer.GetStore()
			if err := store.Delete(object(t, `metadata: {name: blue}`)); err != nil {
				t.Fatal(err)
			}
		}, "", ""},
		"it is served elsewhere": {func(t *testing.T, b *fixture) { b.hang(t, "blue", "https://c/new") }, "https://c/new", "pending"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay")
			h := b.hangs()
			b.workerWait = 0
			b.hang(t, "blue", "https://c/old")
			b.runKey(t, "ClusterCatalog/blue")
			<-h.began
			test.change(t, b)
			b.runKey(t, "ClusterCatalog/blue")
			if ended := <-h.ended; ended != "https://c/old" {
				t.Errorf("the reading of %s was given up", ended)
			}
			if test.begins != "" {
				if began := <-h.began; began != test.begins {
					t.Errorf("the next one is of %s", began)
				}
			}
			b.runKey(t, "ClusterCatalog/blue") // the result of the canceled read is ignored
			if got := views(b, "ClusterCatalog/blue", "quay"); got != test.says || len(b.failed) > 0 {
				t.Errorf("it says %q, and %d failed", got, len(b.failed))
			}
		})
	}
}

func TestUnavailableCatalogIsNotifiedOnce(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, b *fixture, i int){
		"because it is not ready, in states that change": func(t *testing.T, b *fixture, i int) {
			b.connect(t, "first", []string{"CONNECTING", "TRANSIENT_FAILURE"}[i%2])
		},
		"because each attempt to read it fails, with words that differ in numbers": func(t *testing.T, b *fixture, i int) {
			b.fail = fmt.Errorf("attempt %d from 10.0.0.7:%d: connection reset by peer", i, 40000+i)
			b.connect(t, fmt.Sprint(i), "READY")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay", "other") // the catalog lacks package "other", and has no error while it can be read
			b.content = func(name string) catalog.Package { return catalog.Package{Name: name} }
			b.connect(t, "first", "READY")
			b.run(t)
			b.notified = nil
			b.clock.Step(time.Minute)
			for i := range 100 {
				leave(t, b, i)
				b.run(t)
				if away := views(b, red, "quay") == "has it: true, away"; away != (b.clock.Since(b.failingSince(t)) >= catalogsource.GracePeriod) {
					t.Fatalf("%s after it went away it is told: %t", b.clock.Since(b.failingSince(t)), away)
				}
				b.clock.Step(time.Second)
			}
			slices.Sort(b.notified)
			if !slices.Equal(b.notified, []string{"other", "quay"}) {
				t.Errorf("while it was away, told of %q", b.notified)
			}
			b.notified, b.fail = nil, nil
			b.clock.Step(time.Hour)
			b.connect(t, "at last", "READY")
			b.run(t)
			slices.Sort(b.notified)
			if got := views(b, red, "quay"); got != "has it: true" || !slices.Equal(b.notified, []string{"other", "quay"}) {
				t.Errorf("when it was back, told of %q, and it says %q", b.notified, got)
			}
		})
	}
}

func (b *fixture) failingSince(t *testing.T) time.Time {
	t.Helper()
	kept, found := b.snapshots.Get(catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "red"})
	if !found || kept.Err == nil {
		t.Fatalf("it is said to be well: %+v", kept)
	}
	return kept.Failing
}

func TestDisabledCatalogDoesNotCount(t *testing.T) {
	b := newFixture(t, "quay")
	serve := func(mode, serving string) {
		t.Helper()
		if err := b.sources[catalog.KindClusterCatalog].informer.GetStore().Add(object(t, fmt.Sprintf(`
metadata: {name: blue, uid: u}
spec: {availabilityMode: %s}
status: {urls: {base: "https://c/blue"}, resolvedSource: {image: {ref: "i@sha256:1"}}, conditions: [{type: Serving, status: %q}]}`, mode, serving))); err != nil {
			t.Fatal(err)
		}
		b.runKey(t, "ClusterCatalog/blue")
	}
	expect := func(want string) {
		t.Helper()
		if got := views(b, "ClusterCatalog/blue", "quay"); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	serve("Available", "True")
	expect("has it: true")
	serve("Unavailable", "False")
	expect("its spec.availabilityMode is Unavailable")
	b.clock.Step(time.Hour)
	serve("Unavailable", "False")
	expect("its spec.availabilityMode is Unavailable")
	serve("Available", "False")
	expect("has it: true")
	serve("Available", "True")
	expect("has it: true")
	if b.reads() != 1 {
		t.Errorf("its content is the same, and it was read %d times", b.reads())
	}
}

func TestPanicOfAReadIsAFailure(t *testing.T) {
	b := newFixture(t, "quay")
	b.put(t, "first")
	b.content = func(string) catalog.Package { panic(errors.New("index out of range")) }
	b.run(t)
	if got := views(b, red, "quay"); got == "pending" || got == "has it: true" || b.reads() != 1 {
		t.Errorf("it says %q", got)
	}
}

func TestReadOfAnEarlierStateIsIgnored(t *testing.T) {
	for name, now := range map[string]string{
		"it was taken out of service": `
metadata: {name: blue, uid: u}
spec: {availabilityMode: Unavailable}
status: {urls: {base: "https://c/old"}, resolvedSource: {image: {ref: "i@sha256:1"}}, conditions: [{type: Serving, status: "True"}]}`,
		"it is another object, elsewhere": `
metadata: {name: blue, uid: another}
status: {urls: {base: "https://c/new"}, resolvedSource: {image: {ref: "i@sha256:2"}}, conditions: [{type: Serving, status: "True"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay")
			b.hang(t, "blue", "https://c/old")
			answer := make(chan struct{})
			kind := b.sources[catalog.KindClusterCatalog]
			kind.read = func(_ context.Context, r Request) (Result, error) {
				if r.Endpoint == "https://c/new" {
					return Result{}, errors.New("the new one is down")
				}
				<-answer
				return Result{Packages: []catalog.Package{{Name: "quay"}}}, nil
			}
			b.workerWait = 0
			const key = "ClusterCatalog/blue"
			b.runKey(t, key)
			a := b.attemptOf(catalog.ID{Kind: catalog.KindClusterCatalog, Name: "blue"})
			if err := kind.informer.GetStore().Add(object(t, now)); err != nil {
				t.Fatal(err)
			}
			close(answer)
			<-a.done
			if _, err := b.changes.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {
				if views(b, key, "quay") == "has it: true" {
					t.Error("it counts, and operators are told to look")
				}
			}}); err != nil {
				t.Fatal(err)
			}
			b.runKey(t, key)
			if views(b, key, "quay") == "has it: true" {
				t.Error("it counts")
			}
		})
	}
}

func TestNewContentIsReadWhileAnOldReadHangs(t *testing.T) {
	b := newFixture(t, "quay")
	h := b.hangs()
	b.workerWait = 0
	b.hang(t, "blue", "https://c/blue")
	const key = "ClusterCatalog/blue"
	b.runKey(t, key)
	<-h.began
	if err := b.sources[catalog.KindClusterCatalog].informer.GetStore().Add(object(t, `
metadata: {name: blue, uid: u}
status: {urls: {base: "https://c/blue"}, resolvedSource: {image: {ref: "i@sha256:2"}}, conditions: [{type: Serving, status: "True"}]}`)); err != nil {
		t.Fatal(err)
	}
	b.clock.Step(time.Minute)
	b.runKey(t, key)
	<-h.ended
	<-h.began
}

func TestConcurrentReadsAreLimited(t *testing.T) {
	b := newFixture(t, "quay")
	h := b.hangs()
	b.workerWait = 0
	for i := range maxAttempts + 3 {
		name := fmt.Sprintf("blue-%d", i)
		b.hang(t, name, "https://c/"+name)
		b.runKey(t, "ClusterCatalog/"+name)
	}
	for range maxAttempts {
		<-h.began
	}
	if running := len(b.attempts); running != maxAttempts {
		t.Errorf("%d readings run", running)
	}
	b.cancelAttempt(catalog.ID{Kind: catalog.KindClusterCatalog, Name: "blue-0"})
	b.runKey(t, fmt.Sprintf("ClusterCatalog/blue-%d", maxAttempts))
	<-h.began
}
