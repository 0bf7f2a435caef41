package registryv1_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/test/realdata"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// goldenFiles are embedded, not opened, so that the go command's test cache is valid in every checkout: the paths of opened files are part
// of its key.
//
//go:embed testdata/outcomes.golden testdata/bundles/*.golden.yaml
var goldenFiles embed.FS

// realBundles returns the bundle directories of the shared data. It skips the test if the data is absent.
func realBundles(tb testing.TB) []string {
	tb.Helper()
	return realdata.Glob(tb, realBundlesPattern)
}

const realBundlesPattern = "bundles/*/*"

func shortName(dir string) string {
	return filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
}

// modes are the install modes in which bundles are rendered, in this order, each with the namespaces to watch. "own" is replaced by the
// install namespace.
var modes = []struct{ name, watch string }{
	{"AllNamespaces", ""},
	{"OwnNamespace", "own"},
	{"SingleNamespace", "watched"},
	{"MultiNamespace", "watched,also-watched"},
}

// outcome returns one line for a bundle: the mode in which renderInSomeMode renders it, with the number and digest of its objects, or the
// error.
func outcome(fsys fs.FS, by bundle.CertificateProvider) string {
	b, err := registryv1.Load(fsys)
	if err != nil {
		return "refused: " + err.Error()
	}
	mode, objects, err := renderInSomeMode(b, by)
	if err != nil {
		return "refused: " + err.Error()
	}
	return fmt.Sprintf("%s: %d objects sha256:%x", mode, len(objects), sha256.Sum256(renderedJSON(objects)))
}

// renderInSomeMode renders a bundle in the first of modes that it supports, and returns the mode and the objects. The install namespace is
// the bundle's default. If the bundle supports no mode, the error is that of the first mode.
func renderInSomeMode(b *registryv1.Bundle, by bundle.CertificateProvider) (string, []unstructured.Unstructured, error) {
	namespace := b.Metadata().InstallNamespace()
	var first error
	for _, mode := range modes {
		watch := mode.watch
		if watch == "own" {
			watch = namespace
		}
		objects, err := b.Render(bundle.Options{InstallNamespace: namespace, Certificates: by, Config: watching(watch)})
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		name := mode.name
		if watch == "" && !watchesAll(objects) {
			name = "OwnNamespace"
		}
		return name, objects, nil
	}
	return "", nil, first
}

// watchesAll reports whether the operator's pods watch all namespaces. It returns true if there is no Deployment.
func watchesAll(objects []unstructured.Unstructured) bool {
	for _, o := range objects {
		watched, found, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "annotations", "olm.targetNamespaces")
		if found && o.GetKind() == "Deployment" {
			return watched == ""
		}
	}
	return true
}

func renderedJSON(objects []unstructured.Unstructured) []byte {
	var out bytes.Buffer
	for _, o := range objects {
		data, err := json.Marshal(o.Object)
		if err != nil {
			panic(err)
		}
		out.Write(data)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func checkGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := goldenFiles.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what comes out now (-golden +now); if the change is wanted, run go test with -update:\n%s", file, diff)
	}
}

// realOutcomes returns the outcome of each real bundle, by directory. It reads the bundles once for all tests.
var realOutcomes = sync.OnceValue(func() map[string]string {
	outcomes := map[string]string{}
	dirs, _ := realdata.Find(realBundlesPattern) // without any, realBundles has skipped the test
	for _, dir := range dirs {
		outcomes[dir] = outcome(os.DirFS(dir), bundle.ServiceCA)
	}
	return outcomes
})

func realBundle(tb testing.TB, dir string) *registryv1.Bundle {
	tb.Helper()
	b, err := registryv1.Load(os.DirFS(dir))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Promise ENG-F1: Of the real registry+v1 bundles at least 68 render for AllNamespaces and 80 in a supported install mode, as a golden
// file lists. The other nine are refused for v1beta1 CRDs.
func TestENG_F1_RealBundlesHaveTheirListedOutcome(t *testing.T) {
	var lines bytes.Buffer
	var all, some, oldCRDs int
	for _, dir := range realBundles(t) {
		result := realOutcomes()[dir]
		fmt.Fprintf(&lines, "%s: %s\n", shortName(dir), result)
		refusal, refused := strings.CutPrefix(result, "refused: ")
		switch {
		case strings.HasPrefix(result, "AllNamespaces: "):
			all++
			some++
		case !refused:
			some++
		case strings.Contains(refusal, "Kubernetes does not serve apiextensions.k8s.io/v1beta1"):
			oldCRDs++
		default:
			t.Errorf("%s: %s", shortName(dir), result)
		}
	}
	checkGolden(t, "testdata/outcomes.golden", lines.Bytes())
	if all < 68 || some < 80 {
		t.Errorf("%d bundles render for all namespaces and %d in a supported mode; want at least 68 and 80", all, some)
	}
	if oldCRDs != 9 {
		t.Errorf("%d bundles are refused for v1beta1 CRDs; want 9", oldCRDs)
	}
}

// shuffled returns another order of directory entries and another modification time than the underlying file tree.
type shuffled struct{ fs.FS }

func (s shuffled) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	slices.Reverse(entries)
	for i, e := range entries {
		entries[i] = shuffledEntry{e}
	}
	return entries, err
}

type shuffledEntry struct{ fs.DirEntry }

func (l shuffledEntry) Info() (fs.FileInfo, error) {
	info, err := l.DirEntry.Info()
	return laterFileInfo{info}, err
}

type laterFileInfo struct{ fs.FileInfo }

func (t laterFileInfo) ModTime() time.Time { return t.FileInfo.ModTime().Add(24 * time.Hour) }

// Promise ENG-F2: A registry+v1 bundle that is rendered twice, with its files in another order and on another day, gives the same bytes
// or the same error.
func TestENG_F2_RealBundlesRenderByteIdentical(t *testing.T) {
	for _, dir := range realBundles(t) {
		t.Run(shortName(dir), func(t *testing.T) {
			// The error is also the same: a condition must not change because a directory is read in another order.
			firsts := map[bundle.CertificateProvider]string{bundle.ServiceCA: realOutcomes()[dir]}
			if b, err := registryv1.Load(os.DirFS(dir)); err == nil && b.RequiresCertificates() {
				firsts[bundle.CertManager] = outcome(os.DirFS(dir), bundle.CertManager)
			}
			for by, first := range firsts {
				if other := outcome(shuffled{os.DirFS(dir)}, by); other != first {
					t.Errorf("rendered again with certificates by %s, with its files in reverse order and a day later: %s, first: %s", by, other, first)
				}
			}
		})
	}
}
