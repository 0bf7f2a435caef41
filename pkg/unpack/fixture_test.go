package unpack

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

const bundles = "../bundle/registryv1/testdata/bundles"

// folder is a source of files. Its digest consists of one letter. If denied is not nil, its credentials do not permit reading the files.
type folder struct {
	letter  string
	name    string // empty means memo
	files   fs.FS
	fetched *atomic.Int32
	denied  error
	// verify is called to verify content that is stored already; nil accepts all. image is the digest of the image that has the files.
	verify func(source.Origin) error
	image  string
}

func from(letter string, files fs.FS) folder {
	return folder{letter: letter, files: files, fetched: &atomic.Int32{}}
}

func (f folder) Host() string            { return "folder.example" }
func (f folder) At(string) source.Source { return f }
func (f folder) Resolve(context.Context) (source.Pinned, error) {
	digest := "sha256:" + strings.Repeat(f.letter, 64)
	return source.Pinned{Reference: "folder.example/" + cmp.Or(f.name, "memo") + "@" + digest, Digest: digest}, nil
}
func (f folder) CheckAccess(context.Context) error { return f.denied }
func (f folder) Verify(_ context.Context, origin source.Origin) error {
	if f.verify == nil {
		return nil
	}
	return f.verify(origin)
}
func (f folder) Fetch(_ context.Context, to source.Target) (source.Origin, error) {
	f.fetched.Add(1)
	return source.Origin{Mirror: "mirror.example/memo", ImageDigest: f.image}, os.CopyFS(to.Dir, f.files)
}
func (f folder) Spec() corev1alpha2.BundleSource { return corev1alpha2.BundleSource{} }

func newContent(t *testing.T, dir string) *store.Content {
	t.Helper()
	content, err := store.NewContent(store.ContentConfig{Dir: dir, Budget: 1 << 30, Clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// newRenderer returns a renderer for a cluster without a component that issues certificates. Names that contain "reserved" are reserved for
// the manager.
func newRenderer(t *testing.T) Renderer {
	t.Helper()
	return Renderer{
		Content:      newContent(t, t.TempDir()),
		Certificates: func() (bundle.CertificateProvider, error) { return "", nil },
		IsReserved:   func(object *unstructured.Unstructured) bool { return strings.Contains(object.GetName(), "reserved") },
	}
}

// scripted is a Content whose calls of Origin and Use return the next of lines.
type scripted struct {
	lines   []string
	files   fs.FS
	evicted []string
}

func (s *scripted) next() string {
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line
}

func (s *scripted) Origin(string) (string, bool) {
	line := s.next()
	return line, line != ""
}

func (s *scripted) Evict(_, origin string) { s.evicted = append(s.evicted, origin) }

func (s *scripted) Use(_ context.Context, _ string, _ store.Fill, use func(fs.FS, string) error) error {
	return use(s.files, s.next())
}
