package bundledeployment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/store"
)

// bench runs fetches whose answers the test gives.
type bench struct {
	*fetches
	clock   *clocktesting.FakePassiveClock
	started chan wish
	answers chan error
	woken   chan string
	running atomic.Int32
}

func newBench(t *testing.T, slots int) *bench {
	b := &bench{
		clock:   clocktesting.NewFakePassiveClock(time.Unix(1000, 0)),
		started: make(chan wish, 100), answers: make(chan error), woken: make(chan string, 100),
	}
	b.fetches = newFetches(t.Context(), fetchConfig{
		slots: slots, backoff: backoff{first: 5 * time.Second, last: 5 * time.Minute}, clock: b.clock,
		done: func(name string) { b.woken <- name },
		fetch: func(ctx context.Context, wanted wish) (*fetched, error) {
			b.running.Add(1)
			defer b.running.Add(-1)
			b.started <- wanted
			select {
			case err := <-b.answers:
				if err != nil {
					return nil, err
				}
				return &fetched{resolved: wanted.ref + "@sha256:1"}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	})
	return b
}

func TestFetchesAnswerWithoutBlocking(t *testing.T) {
	b := newBench(t, 1)
	wanted := wish{ref: "memo:v1", namespace: "memo"}
	if got := b.ask("memo", wanted); got.result != nil || got.err != nil {
		t.Errorf("first answer is %+v, want nothing yet", got)
	}
	<-b.started
	b.answers <- nil
	if name := <-b.woken; name != "memo" {
		t.Errorf("woke up %q", name)
	}
	if got := b.ask("memo", wanted); got.result == nil || got.result.resolved != "memo:v1@sha256:1" {
		t.Errorf("answer is %+v", got)
	}
}

func TestFetchesAreTriedAgainWithBackOff(t *testing.T) {
	b := newBench(t, 1)
	wanted := wish{ref: "memo:v1"}
	fault := errors.New("registry down")
	for _, wait := range []time.Duration{5 * time.Second, 10 * time.Second} {
		b.ask("memo", wanted)
		<-b.started
		b.answers <- fault
		<-b.woken
		if got := b.ask("memo", wanted); !errors.Is(got.err, fault) || got.retry != wait {
			t.Fatalf("answer is %+v, want the fault and another try after %s", got, wait)
		}
		if b.running.Load() != 0 {
			t.Fatal("tried again before its time")
		}
		b.clock.SetTime(b.clock.Now().Add(wait))
	}
	if got := b.ask("memo", wanted); !errors.Is(got.err, fault) {
		t.Errorf("answer while trying again is %+v, want the fault of before, so that status does not flap", got)
	}
	<-b.started
	b.answers <- nil
	<-b.woken
	if got := b.ask("memo", wanted); got.result == nil {
		t.Errorf("answer is %+v, want the result", got)
	}
}

func TestFetchesDropWhatIsNotWantedAnyMore(t *testing.T) {
	b := newBench(t, 1)
	b.ask("memo", wish{ref: "memo:slow"})
	<-b.started
	b.ask("memo", wish{ref: "memo:good"}) // the only slot is taken by the slow one, which this ends
	if next := <-b.started; next.ref != "memo:good" {
		t.Fatalf("fetches %q", next.ref)
	}
	b.answers <- nil
	<-b.woken
	<-b.woken
	if got := b.ask("memo", wish{ref: "memo:good"}); got.result == nil {
		t.Errorf("answer is %+v", got)
	}
}

func TestOneSlowFetchHoldsNobodyUp(t *testing.T) {
	b := newBench(t, 2)
	b.ask("slow", wish{ref: "slow:v1"})
	<-b.started
	b.ask("memo", wish{ref: "memo:v1"})
	if next := <-b.started; next.ref != "memo:v1" {
		t.Errorf("fetches %q", next.ref)
	}
}

func TestBackoffDoublesToItsEnd(t *testing.T) {
	b := backoff{first: 5 * time.Second, last: 5 * time.Minute}
	for failures, want := range map[int]time.Duration{0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 7: 5 * time.Minute, 1 << 40: 5 * time.Minute} {
		if got := b.after(failures); got != want {
			t.Errorf("after %d failures it waits %s, want %s", failures, got, want)
		}
	}
}

// folder serves directories as images; the reference's part before "@" is the directory.
type folder struct{ unpacked atomic.Int32 }

func (f *folder) Resolve(_ context.Context, ref string) (string, error) {
	return "registry.example/" + ref + "@sha256:" + strings.Repeat("a", 64), nil
}

func (f *folder) Unpack(_ context.Context, _, dir string) error {
	f.unpacked.Add(1)
	return os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "bundle", "registryv1", "testdata", "bundles", "minimal")))
}

func TestReaderRendersABundleAndLeavesNothingOnDisk(t *testing.T) {
	dir := t.TempDir()
	content, err := store.NewContent(dir)
	if err != nil {
		t.Fatal(err)
	}
	images := &folder{}
	for range 2 {
		got, err := reader{images: images, content: content}.read(t.Context(), wish{ref: "minimal", namespace: "somewhere"})
		if err != nil || got.invalid != nil {
			t.Fatalf("reading: %v, %v", err, got.invalid)
		}
		if len(got.objects) == 0 || got.metadata.Name == "" {
			t.Errorf("rendered %d objects of bundle %q", len(got.objects), got.metadata.Name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d images are left on disk after they were rendered, %v", len(left), err)
	}
}

// squatter is an image whose bundle has a ClusterRole of a name that the manager keeps for its own.
type squatter struct{ folder }

func (s *squatter) Unpack(ctx context.Context, pinned, dir string) error {
	if err := s.folder.Unpack(ctx, pinned, dir); err != nil {
		return err
	}
	role := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'platform-operators:memo:custom-resources'}, rules: []}"
	return os.WriteFile(filepath.Join(dir, "manifests", "role.yaml"), []byte(role), 0o600)
}

func TestReaderRefusesABundleWithANameOfTheManagers(t *testing.T) {
	content, err := store.NewContent(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := reader{images: &squatter{}, content: content}.read(t.Context(), wish{ref: "squatter", namespace: "memo"})
	if err != nil {
		t.Fatal(err)
	}
	if got.invalid == nil || !strings.Contains(got.invalid.Error(), `"platform-operators:memo:custom-resources"`) {
		t.Errorf("got %v, want a refusal that names the role: with it the revision could neither be applied nor removed", got.invalid)
	}
}

// empty is an image without files.
type empty struct{ folder }

func (e *empty) Unpack(context.Context, string, string) error { return nil }

func TestReaderTellsContentThatIsNoBundleFromContentThatCannotBeRead(t *testing.T) {
	content, err := store.NewContent(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := reader{images: &empty{}, content: content}.read(t.Context(), wish{ref: "empty", namespace: "memo"})
	if err != nil {
		t.Fatalf("got error %v; fetching succeeded", err)
	}
	if got.invalid == nil {
		t.Error("an empty image was taken for a bundle")
	}
}
