package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/source"
)

var (
	digestA = "sha256:" + strings.Repeat("a", 64)
	digestB = "sha256:" + strings.Repeat("b", 64)
	digestC = "sha256:" + strings.Repeat("c", 64)
)

type fillFunc = func(context.Context, source.Target) error

// fillWith returns a fill that writes one file. The fill reserves the file's size first, as an image source does.
func fillWith(name, body string) fillFunc {
	return func(_ context.Context, to source.Target) error {
		if err := to.Reserve(int64(len(body))); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to.Dir, name), []byte(body), 0o600)
	}
}

// filled returns a fill that fails the test, for content that is stored already.
func filled(t *testing.T) fillFunc {
	return func(context.Context, source.Target) error {
		t.Error("filled again")
		return errors.New("filled again")
	}
}

func nothing(fs.FS) error { return nil }

// use calls Use with content that no mirror serves.
func use(ctx context.Context, content *Content, digest string, fill fillFunc, read func(fs.FS) error) error {
	return content.Use(ctx, digest, func(ctx context.Context, to source.Target) (string, error) { return "", fill(ctx, to) },
		func(files fs.FS, _ string) error { return read(files) })
}

func newContent(t *testing.T, dir string, budget int64) *Content {
	t.Helper()
	content, err := NewContent(ContentConfig{Dir: dir, Budget: budget, Clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func mustUse(t *testing.T, content *Content, digest string, fill fillFunc) {
	t.Helper()
	if err := use(t.Context(), content, digest, fill, nothing); err != nil {
		t.Fatalf("using %s: %v", digest, err)
	}
}

// onDisk returns the first letters of the digests in the store's directory.
func onDisk(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimPrefix(entry.Name(), "sha256-")[:1])
	}
	return strings.Join(names, "")
}

func TestContentIsFilledOnceForSequentialCallers(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	var fills atomic.Int32
	for range 50 {
		err := use(t.Context(), content, digestA, func(ctx context.Context, to source.Target) error {
			fills.Add(1)
			return fillWith("f", "a")(ctx, to)
		}, func(files fs.FS) error {
			if got, err := fs.ReadFile(files, "f"); err != nil || string(got) != "a" {
				t.Errorf("read %q, %v", got, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if fills.Load() != 1 || onDisk(t, dir) != "a" {
		t.Errorf("filled %d times, on disk is %q; want once", fills.Load(), onDisk(t, dir))
	}
	mustUse(t, newContent(t, dir, 1<<20), digestA, filled(t)) // also after a restart
}

func TestContentIsFilledOnceForConcurrentCallers(t *testing.T) {
	content := newContent(t, t.TempDir(), 1<<20)
	var fills atomic.Int32
	release, started := make(chan struct{}), make(chan struct{})
	fill := func(ctx context.Context, to source.Target) error {
		if fills.Add(1) == 1 {
			close(started)
		}
		<-release
		return fillWith("f", "a")(ctx, to)
	}
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if err := use(t.Context(), content, digestA, fill, nothing); err != nil {
				t.Error(err)
			}
		})
	}
	<-started
	close(release)
	group.Wait()
	if n := fills.Load(); n != 1 {
		t.Errorf("filled %d times, want once", n)
	}
}

// waiting returns when this many callers wait for the fill of A.
func waiting(content *Content, want int) {
	for {
		content.mu.Lock()
		running := content.fills[digestA]
		there := running != nil && running.waiters == want
		content.mu.Unlock()
		if there {
			return
		}
		runtime.Gosched()
	}
}

func TestFillContinuesWhenTheFirstCallerLeaves(t *testing.T) {
	content := newContent(t, t.TempDir(), 1<<20)
	release := make(chan struct{})
	fill := func(ctx context.Context, to source.Target) error {
		select {
		case <-release:
			return fillWith("f", "a")(ctx, to)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- use(ctx, content, digestA, fill, nothing) }()
	waiting(content, 1)
	go func() { second <- use(t.Context(), content, digestA, filled(t), nothing) }()
	waiting(content, 2)
	leave()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	close(release)
	if err := <-second; err != nil {
		t.Errorf("who stayed got %v", err)
	}
}

func TestFillEndsWhenTheLastCallerLeaves(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	ended := make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		waiting(content, 1)
		leave()
	}()
	err := use(ctx, content, digestA, func(ctx context.Context, _ source.Target) error {
		defer close(ended)
		<-ctx.Done()
		return ctx.Err()
	}, nothing)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-ended
	mustUse(t, content, digestA, fillWith("f", "a")) // the next caller does not get the result of the previous fill
}

func TestFailedFillIsRetriedByTheOtherCallers(t *testing.T) {
	content := newContent(t, t.TempDir(), 1<<20)
	release, fault := make(chan struct{}), errors.New("no credentials")
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		first <- use(t.Context(), content, digestA, func(context.Context, source.Target) error { <-release; return fault }, nothing)
	}()
	waiting(content, 1)
	go func() { second <- use(t.Context(), content, digestA, fillWith("f", "a"), nothing) }()
	waiting(content, 2)
	close(release)
	if err := <-first; !errors.Is(err, fault) {
		t.Errorf("the first got %v, want its own error", err)
	}
	if err := <-second; err != nil {
		t.Errorf("the second got %v, although its own credentials are good", err)
	}
}

func TestFailedFillLeavesNoContent(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	fault := errors.New("registry gone")
	err := use(t.Context(), content, digestA, func(ctx context.Context, to source.Target) error {
		return errors.Join(fillWith("half", "x")(ctx, to), fault)
	}, nothing)
	if !errors.Is(err, fault) {
		t.Errorf("got %v, want the fill's error", err)
	}
	if onDisk(t, dir) != "" || content.Bytes() != 0 {
		t.Errorf("left on disk is %q, and %d bytes count", onDisk(t, dir), content.Bytes())
	}
	mustUse(t, content, digestA, fillWith("f", "a"))
}

func TestContentOfAKilledProcessIsCountedOrRemoved(t *testing.T) {
	cases := map[string]struct {
		spoil func(dir string) error
		kept  bool
	}{
		"complete content": {func(string) error { return nil }, true},
		"a directory that was being filled": {func(dir string) error {
			return os.Rename(filepath.Join(dir, "sha256-"+strings.Repeat("a", 64)), filepath.Join(dir, unfinishedPrefix+"1"))
		}, false},
		"a file that lost its end when the power failed": {func(dir string) error {
			return os.Truncate(filepath.Join(dir, "sha256-"+strings.Repeat("a", 64), filesName, "f"), 0)
		}, false},
		"content whose size was not written": {func(dir string) error {
			return os.Truncate(filepath.Join(dir, "sha256-"+strings.Repeat("a", 64), sizeName), 0)
		}, false},
		"a directory of another version of this program": {func(dir string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "sha256-"+strings.Repeat("a", 64))), os.Mkdir(filepath.Join(dir, "sha256-"+strings.Repeat("d", 64)), 0o700))
		}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustUse(t, newContent(t, dir, 1<<20), digestA, fillWith("f", "a"))
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
			content := newContent(t, dir, 1<<20)
			if kept := onDisk(t, dir) == "a"; kept != c.kept || kept != (content.Bytes() > 0) {
				t.Errorf("on disk is %q, and %d bytes count", onDisk(t, dir), content.Bytes())
			}
		})
	}
}

// TestENG_S13_TheOriginOfContentSurvivesARestart checks that later readers get the origin of content that is stored already.
func TestENG_S13_TheOriginOfContentSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	for digest, mirror := range map[string]string{digestA: "mirror.example/memo", digestB: ""} {
		fill := func(ctx context.Context, to source.Target) (string, error) {
			return mirror, fillWith("f", "body")(ctx, to)
		}
		for range 2 { // another process, with the same directory
			got := "nothing is read"
			if err := newContent(t, dir, 1<<20).Use(t.Context(), digest, fill, func(_ fs.FS, mirror string) error { got = mirror; return nil }); err != nil {
				t.Fatal(err)
			}
			if got != mirror {
				t.Errorf("got mirror %q, want %q", got, mirror)
			}
			fill = func(context.Context, source.Target) (string, error) { return "", errors.New("it is stored already") }
		}
	}
}

func TestLeastRecentlyUsedContentIsEvicted(t *testing.T) {
	dir := t.TempDir()
	body := strings.Repeat("x", 100<<10)
	content := newContent(t, dir, 250<<10)
	mustUse(t, content, digestA, fillWith("f", body))
	mustUse(t, content, digestB, fillWith("f", body))
	mustUse(t, content, digestA, filled(t)) // A is used later than B
	mustUse(t, content, digestC, fillWith("f", body))
	if got := onDisk(t, dir); got != "ac" {
		t.Errorf("on disk is %q, want the two that were used last", got)
	}
	if content.Bytes() > 250<<10 {
		t.Errorf("%d bytes are taken", content.Bytes())
	}
	smaller := newContent(t, dir, 150<<10)
	if got := onDisk(t, dir); len(got) != 1 || smaller.Bytes() > 150<<10 {
		t.Errorf("with a smaller budget on disk is %q, %d bytes", got, smaller.Bytes())
	}
}

func TestContentInUseIsNotEvictedAndExcessIsRejected(t *testing.T) {
	dir := t.TempDir()
	body := strings.Repeat("x", 100<<10)
	content := newContent(t, dir, 150<<10)
	err := use(t.Context(), content, digestA, fillWith("f", body), func(files fs.FS) error {
		err := use(t.Context(), content, digestB, fillWith("f", body), nothing)
		if err == nil || !strings.Contains(err.Error(), "is limited to 153600 bytes") {
			t.Errorf("got %v, want a refusal that names the budget", err)
		}
		_, err = fs.ReadFile(files, "f")
		return err
	})
	if err != nil {
		t.Errorf("what is in use was removed: %v", err)
	}
	mustUse(t, content, digestB, fillWith("f", body)) // now it fits
	if got := onDisk(t, dir); got != "b" {
		t.Errorf("on disk is %q", got)
	}
}

func TestContentAboveItsReservationIsEvictedAfterUse(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 50<<10)
	fill := func(_ context.Context, to source.Target) error {
		return os.WriteFile(filepath.Join(to.Dir, "f"), make([]byte, 100<<10), 0o600)
	}
	mustUse(t, content, digestA, fill)
	if onDisk(t, dir) != "" || content.Bytes() != 0 {
		t.Errorf("on disk is %q, %d bytes", onDisk(t, dir), content.Bytes())
	}
}

func TestContentIsConfinedToItsDirectory(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	secret := filepath.Join(dir, "secret")
	err := use(t.Context(), content, digestB, func(_ context.Context, to source.Target) error {
		return errors.Join(os.WriteFile(secret, []byte("s"), 0o600), os.Symlink("../../secret", filepath.Join(to.Dir, "link")))
	}, func(files fs.FS) error {
		for _, name := range []string{"link", "../../secret", "/etc/passwd"} {
			if got, err := fs.ReadFile(files, name); err == nil {
				t.Errorf("reading %q gave %q", name, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, digest := range []string{"", "sha256:../../etc", "md5:00"} {
		if err := use(t.Context(), content, digest, fillWith("f", "x"), nothing); err == nil {
			t.Errorf("digest %q was accepted", digest)
		}
	}
}

func TestUseReturnsTheErrorOfTheCaller(t *testing.T) {
	content, fault := newContent(t, t.TempDir(), 1<<20), errors.New("no bundle")
	if err := use(t.Context(), content, digestA, fillWith("f", "a"), func(fs.FS) error { return fault }); !errors.Is(err, fault) {
		t.Errorf("got %v, want the user's error", err)
	}
}

// TestContentCountsHardLinksOnce covers an image that links a thousand names to one file, which uses the disk once. The computed size must
// not evict all other content.
func TestContentCountsHardLinksOnce(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 64<<10)
	mustUse(t, content, digestA, fillWith("a", "a"))
	mustUse(t, content, digestB, func(_ context.Context, to source.Target) error {
		if err := to.Reserve(16 << 10); err != nil {
			return err
		}
		first := filepath.Join(to.Dir, "first")
		if err := os.WriteFile(first, make([]byte, 16<<10), 0o600); err != nil {
			return err
		}
		for _, name := range []string{"second", "third", "fourth"} {
			if err := os.Link(first, filepath.Join(to.Dir, name)); err != nil {
				return err
			}
		}
		return nil
	})
	mustUse(t, content, digestA, filled(t))
	// A directory, a name and a block of the one; a directory, four names and four blocks of the other.
	if want := int64(3+9) * 4096; content.Bytes() != want {
		t.Errorf("%d bytes are counted, want %d", content.Bytes(), want)
	}
	if reopened := newContent(t, dir, 64<<10); reopened.Bytes() != content.Bytes() {
		t.Errorf("after a restart %d bytes are counted, and %d before", reopened.Bytes(), content.Bytes())
	}
}
