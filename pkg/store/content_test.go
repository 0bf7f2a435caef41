package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	digestA = "sha256:" + strings.Repeat("a", 64)
	digestB = "sha256:" + strings.Repeat("b", 64)
)

func fillWith(name, body string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600) }
}

func newContent(t *testing.T, dir string) *Content {
	t.Helper()
	content, err := NewContent(dir)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestContentIsKeptByDigest(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir)
	if _, ok := content.Open(digestA); ok {
		t.Fatal("content is there before it was added")
	}
	if err := content.Add(digestA, fillWith("f", "a")); err != nil {
		t.Fatal(err)
	}
	if err := content.Add(digestA, func(string) error { return errors.New("filled twice") }); err != nil {
		t.Fatal(err)
	}
	for name, reopened := range map[string]*Content{"the same store": content, "the store after a restart": newContent(t, dir)} {
		fsys, ok := reopened.Open(digestA)
		if !ok {
			t.Fatalf("%s does not have it", name)
		}
		if got, err := fs.ReadFile(fsys, "f"); err != nil || string(got) != "a" {
			t.Errorf("%s gives %q, %v", name, got, err)
		}
	}
	if err := content.Remove(digestA); err != nil {
		t.Fatal(err)
	}
	if _, ok := content.Open(digestA); ok {
		t.Error("content is there after it was removed")
	}
}

func TestContentThatFailsIsNotKept(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir)
	fault := errors.New("registry gone")
	err := content.Add(digestA, func(dir string) error {
		if err := fillWith("half", "x")(dir); err != nil {
			return err
		}
		return fault
	})
	if !errors.Is(err, fault) {
		t.Errorf("got %v, want the fill's error", err)
	}
	if _, ok := content.Open(digestA); ok {
		t.Error("half of the content is taken for all of it")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d entries are left behind", len(left))
	}
	if err := content.Add(digestA, fillWith("f", "a")); err != nil {
		t.Errorf("a second try: %v", err)
	}
}

func TestContentOfAKilledProcessIsRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, unfinishedPrefix+"1", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	newContent(t, dir)
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d entries are left behind", len(left))
	}
}

func TestContentWantedByManyIsFilledOnce(t *testing.T) {
	content := newContent(t, t.TempDir())
	var fills atomic.Int32
	release, started := make(chan struct{}), make(chan struct{})
	fill := func(dir string) error {
		if fills.Add(1) == 1 {
			close(started)
		}
		<-release
		return fillWith("f", "a")(dir)
	}
	var group sync.WaitGroup
	errs := make(chan error, 50)
	for range 50 {
		group.Go(func() { errs <- content.Add(digestA, fill) })
	}
	<-started
	close(release)
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if n := fills.Load(); n != 1 {
		t.Errorf("filled %d times, want once", n)
	}
}

func TestContentCannotBeLeft(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := content.Add(digestB, func(dir string) error { return os.Symlink("../secret", filepath.Join(dir, "link")) }); err != nil {
		t.Fatal(err)
	}
	fsys, ok := content.Open(digestB)
	if !ok {
		t.Fatal("content is not there")
	}
	for _, name := range []string{"link", "../secret", "/etc/passwd"} {
		if got, err := fs.ReadFile(fsys, name); err == nil {
			t.Errorf("reading %q gave %q", name, got)
		}
	}
	for _, digest := range []string{"", "sha256:../../etc", "md5:00"} {
		if err := content.Add(digest, fillWith("f", "x")); err == nil {
			t.Errorf("digest %q was accepted", digest)
		}
	}
}

func TestContentInUseStaysUntilTheLastUserIsDone(t *testing.T) {
	dir := t.TempDir()
	content := newContent(t, dir)
	inUse, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- content.Use(digestA, fillWith("f", "a"), func(files fs.FS) error {
			close(inUse)
			<-release
			_, err := fs.ReadFile(files, "f")
			return err
		})
	}()
	<-inUse
	again := func(string) error { return errors.New("filled twice") }
	if err := content.Use(digestA, again, func(fs.FS) error { return nil }); err != nil {
		t.Errorf("the second user: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the first user: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d entries are left behind, %v", len(left), err)
	}
}

func TestContentGivesTheErrorOfItsUser(t *testing.T) {
	content, fault := newContent(t, t.TempDir()), errors.New("no bundle")
	if err := content.Use(digestA, fillWith("f", "a"), func(fs.FS) error { return fault }); !errors.Is(err, fault) {
		t.Errorf("got %v, want the user's error", err)
	}
	if err := content.Use("../etc", fillWith("f", "a"), func(fs.FS) error { return nil }); err == nil {
		t.Error("a digest that is none was taken")
	}
}
