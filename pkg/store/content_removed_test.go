package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/openshift/platform-operators/pkg/source"
)

// twoFiles writes files like the metadata and one manifest of a bundle.
func twoFiles(ctx context.Context, to source.Target) error {
	return errors.Join(fillWith("a", "a")(ctx, to), fillWith("b", "b")(ctx, to))
}

// counted returns a fill that also adds its calls to fills.
func counted(fills *atomic.Int32, fill fillFunc) fillFunc {
	return func(ctx context.Context, to source.Target) error {
		fills.Add(1)
		return fill(ctx, to)
	}
}

func readBoth(files fs.FS) error {
	_, errA := fs.ReadFile(files, "a")
	_, errB := fs.ReadFile(files, "b")
	return errors.Join(errA, errB)
}

func TestRemovedContentIsFetchedAgain(t *testing.T) {
	pathA := "sha256-" + strings.Repeat("a", 64)
	cases := map[string]func(dir string) error{
		"the whole directory":       os.RemoveAll,
		"all that is in it":         func(dir string) error { return os.RemoveAll(filepath.Join(dir, pathA)) },
		"the files of one content":  func(dir string) error { return os.RemoveAll(filepath.Join(dir, pathA, filesName)) },
		"one of its files":          func(dir string) error { return os.Remove(filepath.Join(dir, pathA, filesName, "b")) },
		"what is in one file of it": func(dir string) error { return os.Truncate(filepath.Join(dir, pathA, filesName, "b"), 0) },
	}
	for name, remove := range cases {
		t.Run(name+", before it is read", func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "content")
			content := newContent(t, dir, 1<<20)
			var fills atomic.Int32
			mustUse(t, content, digestA, counted(&fills, twoFiles))
			taken := content.Bytes()
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			if err := use(t.Context(), content, digestA, counted(&fills, twoFiles), readBoth); err != nil {
				t.Errorf("reading gave %v", err)
			}
			if fills.Load() != 2 || content.Bytes() != taken || onDisk(t, dir) != "a" {
				t.Errorf("filled %d times, %d bytes of %d are taken, on disk is %q", fills.Load(), content.Bytes(), taken, onDisk(t, dir))
			}
		})
		t.Run(name+", while it is read", func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "content")
			content := newContent(t, dir, 1<<20)
			var fills atomic.Int32
			reads := 0
			err := use(t.Context(), content, digestA, counted(&fills, twoFiles), func(files fs.FS) error {
				if reads++; reads == 1 {
					// The result of use is ignored, whether it is an error or, if it missed a manifest, none.
					return remove(dir)
				}
				return readBoth(files)
			})
			if err != nil || reads != 2 || fills.Load() != 2 {
				t.Errorf("got %v after %d reads and %d fills, want a second one of each", err, reads, fills.Load())
			}
		})
	}
}

func TestContentThatIsRepeatedlyRemovedIsATransientError(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	err := use(t.Context(), content, digestA, twoFiles, func(fs.FS) error {
		return errors.Join(os.RemoveAll(dir), errors.New("no bundle"))
	})
	if err == nil || strings.Contains(err.Error(), "no bundle") || !strings.Contains(err.Error(), "removed") {
		t.Errorf("got %v, want an error that says what happened and not what was made of it", err)
	}
	mustUse(t, content, digestA, twoFiles)
}

func TestContentDirectoryRemovedDuringAFillIsAnError(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	err := use(t.Context(), content, digestA, func(context.Context, source.Target) error {
		return errors.Join(os.RemoveAll(dir), errors.New("rebuild the image"))
	}, nothing)
	if err == nil || strings.Contains(err.Error(), "rebuild") || !strings.Contains(err.Error(), "emptied") {
		t.Errorf("got %v, want an error that says what happened", err)
	}
	mustUse(t, content, digestA, twoFiles)
}

// TestRemovedContentDoesNotCount checks that removed content does not use the budget. Otherwise nothing larger than the rest could be
// fetched.
func TestRemovedContentDoesNotCount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "content")
	body := strings.Repeat("x", 100<<10)
	content := newContent(t, dir, 150<<10)
	mustUse(t, content, digestA, fillWith("f", body))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	mustUse(t, content, digestB, fillWith("f", body))
	if onDisk(t, dir) != "b" || content.Bytes() > 150<<10 {
		t.Errorf("on disk is %q, %d bytes", onDisk(t, dir), content.Bytes())
	}
}

// TestContentReplacedDuringUseIsReadAgain covers a reader whose content another reader evicts and fetches again. The first reader must not
// accept the new files as those that it has read.
func TestContentReplacedDuringUseIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	reads := 0
	err := use(t.Context(), content, digestA, twoFiles, func(files fs.FS) error {
		if reads++; reads > 1 {
			return readBoth(files)
		}
		if err := os.Remove(filepath.Join(content.dir.files(digestA), "b")); err != nil {
			return err
		}
		return use(t.Context(), content, digestA, twoFiles, readBoth)
	})
	if err != nil || reads != 2 {
		t.Errorf("got %v after %d reads, want a second one", err, reads)
	}
}

func TestContentHasTwoConcurrentReaders(t *testing.T) {
	content := newContent(t, t.TempDir(), 1<<20)
	mustUse(t, content, digestA, fillWith("f", "a"))
	var group sync.WaitGroup
	var reading, most atomic.Int32
	first, release := make(chan struct{}, 20), make(chan struct{})
	for range 20 {
		group.Go(func() {
			err := use(t.Context(), content, digestA, filled(t), func(fs.FS) error {
				now := reading.Add(1)
				defer reading.Add(-1)
				for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
				}
				first <- struct{}{}
				<-release
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-first
	<-first
	leaving, leave := context.WithCancel(t.Context())
	leave()
	if err := use(leaving, content, digestA, filled(t), func(fs.FS) error { t.Error("read"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves while all places are taken gets %v", err)
	}
	close(release)
	group.Wait()
	if most.Load() != 2 {
		t.Errorf("%d read at once, want 2", most.Load())
	}
}

func TestContentSurvivesAPanicOfItsFillAndOfItsUser(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir, 1<<20)
	err := use(t.Context(), content, digestA, func(ctx context.Context, to source.Target) error {
		_ = twoFiles(ctx, to)
		panic("hostile layer")
	}, nothing)
	if err == nil || !strings.Contains(err.Error(), "hostile layer") || !strings.Contains(err.Error(), digestA) {
		t.Errorf("got %v, want an error that names the digest", err)
	}
	if onDisk(t, dir) != "" || content.Bytes() != 0 {
		t.Errorf("left on disk is %q, and %d bytes count", onDisk(t, dir), content.Bytes())
	}
	for range 2 * maxReaders {
		func() {
			defer func() { _ = recover() }()
			_ = use(t.Context(), content, digestA, twoFiles, func(fs.FS) error { panic("hostile bundle") })
		}()
	}
	if err := use(t.Context(), content, digestA, filled(t), readBoth); err != nil {
		t.Errorf("after panics of its users it gives %v", err)
	}
}

func TestIsDiskError(t *testing.T) {
	for fault, want := range map[error]bool{
		syscall.EIO: true, syscall.EMFILE: true, syscall.EACCES: true,
		syscall.ENOENT: false, syscall.ENOTDIR: false, syscall.ELOOP: false, syscall.ENAMETOOLONG: false, syscall.EISDIR: false,
	} {
		err := errors.Join(errors.New("reading"), &fs.PathError{Op: "read", Path: "a", Err: fault})
		if got := IsDiskError(err); got != want {
			t.Errorf("%v is a disk's fault: %v, want %v", fault, got, want)
		}
	}
}
