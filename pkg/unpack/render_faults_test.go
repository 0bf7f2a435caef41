package unpack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

func TestContentThatWasRemovedFromTheContentDirectoryIsFetchedAgain(t *testing.T) {
	dir := t.TempDir()
	renderer, minimal := newRenderer(t), from("a", os.DirFS(bundles+"/minimal"))
	renderer.Content = newContent(t, dir)
	for i, remove := range []func() error{
		func() error { return nil },
		func() error { return os.RemoveAll(dir) },
		func() error {
			manifests, err := filepath.Glob(filepath.Join(dir, "*", "files", "manifests", "*"))
			if err != nil || len(manifests) == 0 {
				return errors.Join(err, errors.New("no manifest is there"))
			}
			return os.Remove(manifests[0])
		},
	} {
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		got, err := renderer.Render(t.Context(), request(minimal))
		if err != nil || got.Invalid != nil || len(got.Objects) == 0 {
			t.Errorf("got %+v, %v", got, err)
		}
		if fetched := minimal.fetched.Load(); fetched != int32(i+1) {
			t.Errorf("fetched %d times, want %d", fetched, i+1)
		}
	}
}

// brokenDisk has the files of a valid bundle, one of which is unreadable.
type brokenDisk struct {
	fs.FS
	name string
	err  error
}

func (b brokenDisk) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, b.name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: b.err}
	}
	return b.FS.Open(name)
}

func TestFaultsOfTheDiskAreToldFromFaultsOfTheBundle(t *testing.T) {
	cases := map[string]struct {
		files fs.FS
		// theirs means that the fault is the bundle's.
		theirs bool
	}{
		"the disk cannot be read":             {brokenDisk{os.DirFS(bundles + "/minimal"), "metadata", syscall.EIO}, false},
		"too many files are open":             {brokenDisk{os.DirFS(bundles + "/minimal"), "manifests", syscall.EMFILE}, false},
		"a link leads in a circle":            {brokenDisk{os.DirFS(bundles + "/minimal"), "manifests", syscall.ELOOP}, true},
		"there are no files":                  {fstest.MapFS{}, true},
		"the manifests are a file themselves": {fstest.MapFS{"metadata/annotations.yaml": {Data: []byte("annotations: {operators.operatorframework.io.bundle.package.v1: a}")}, "manifests": {}}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := newRenderer(t).renderFiles(c.files, "r/memo@sha256:1", Request{Format: corev1alpha2.FormatRegistryV1, Namespace: "memo"})
			if (err == nil) != c.theirs || c.theirs && got.Invalid == nil {
				t.Errorf("refused for good: %+v; transient error: %v", got, err)
			}
		})
	}
}

func TestAPanicRefusesItsBundleAsAnInternalError(t *testing.T) {
	const resolved = "r/memo@sha256:1"
	hostile := newRenderer(t)
	hostile.Certificates = func() (bundle.CertificateProvider, error) { panic("index out of range") }
	got, err := hostile.renderFiles(os.DirFS(bundles+"/webhooks"), resolved, Request{Format: corev1alpha2.FormatRegistryV1, Namespace: "memo"})
	if err != nil {
		t.Fatalf("got error %v, which would be tried again and again", err)
	}
	if fault := (*bundle.InternalError)(nil); !errors.As(got.Invalid, &fault) {
		t.Errorf("refused for %v, want an internal error: a corrected bundle is not the remedy", got.Invalid)
	}
	if got.Invalid == nil || !strings.Contains(got.Invalid.Error(), "index out of range") || !strings.Contains(got.Invalid.Error(), resolved) {
		t.Errorf("refused for %v, want the panic and the image", got.Invalid)
	}
}
