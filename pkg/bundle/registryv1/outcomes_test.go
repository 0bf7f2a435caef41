package registryv1_test

import (
	"bytes"
	"crypto/sha256"
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

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// realBundles lists the bundle directories of the shared data, and skips the test where that is absent.
func realBundles(tb testing.TB) []string {
	tb.Helper()
	dirs := realBundleDirs()
	if len(dirs) == 0 {
		tb.Skipf("the real bundles are absent: nothing in %s", realBundlesRoot)
	}
	return dirs
}

const realBundlesRoot = "../../../../shared/data/bundles"

func realBundleDirs() []string {
	dirs, err := filepath.Glob(filepath.Join(realBundlesRoot, "*", "*"))
	if err != nil {
		panic(err) // The pattern is a constant.
	}
	slices.Sort(dirs)
	return dirs
}

func shortName(dir string) string {
	return filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
}

// outcome tells in one line what becomes of a bundle: the number and digest of its objects, or why it is refused.
func outcome(fsys fs.FS) string {
	b, err := registryv1.Load(fsys)
	if err != nil {
		return "refused: " + err.Error()
	}
	objects, err := b.Render(registryv1.Options{InstallNamespace: b.Metadata().InstallNamespace()})
	if err != nil {
		return "refused: " + err.Error()
	}
	return fmt.Sprintf("ok %d objects sha256:%x", len(objects), sha256.Sum256(renderedJSON(objects)))
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
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what comes out now (-golden +now); if the change is wanted, run go test with -update:\n%s", file, diff)
	}
}

// realOutcomes reads every real bundle once for all tests.
var realOutcomes = sync.OnceValue(func() map[string]string {
	outcomes := map[string]string{}
	for _, dir := range realBundleDirs() {
		outcomes[dir] = outcome(os.DirFS(dir))
	}
	return outcomes
})

func TestEveryRealBundleHasTheListedOutcome(t *testing.T) {
	var lines bytes.Buffer
	for _, dir := range realBundles(t) {
		fmt.Fprintf(&lines, "%s: %s\n", shortName(dir), realOutcomes()[dir])
	}
	checkGolden(t, "testdata/outcomes.golden", lines.Bytes())
}

// A bundle that is refused for its webhooks only would render: the count is what this version gives up by not having them.
func TestBundlesWithoutWebhooksRender(t *testing.T) {
	var ok, webhooksOnly int
	for _, dir := range realBundles(t) {
		refusal, refused := strings.CutPrefix(realOutcomes()[dir], "refused: ")
		switch {
		case !refused:
			ok++
		case strings.Contains(refusal, "webhooks") && !strings.Contains(refusal, ";"):
			webhooksOnly++
		}
	}
	if got := ok + webhooksOnly; got < 68 {
		t.Errorf("%d bundles render and %d more lack nothing but webhooks, together %d; want at least 68", ok, webhooksOnly, got)
	}
}

// shuffled gives another order of directory entries and another modification time than the file tree below it.
type shuffled struct{ fs.FS }

func (s shuffled) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	slices.Reverse(entries)
	for i, e := range entries {
		entries[i] = later{e}
	}
	return entries, err
}

type later struct{ fs.DirEntry }

func (l later) Info() (fs.FileInfo, error) {
	info, err := l.DirEntry.Info()
	return tomorrow{info}, err
}

type tomorrow struct{ fs.FileInfo }

func (t tomorrow) ModTime() time.Time { return t.FileInfo.ModTime().Add(24 * time.Hour) }

func TestENG_F2_TheSameContentRendersByteIdentical(t *testing.T) {
	for _, dir := range realBundles(t) {
		t.Run(shortName(dir), func(t *testing.T) {
			first := realOutcomes()[dir]
			if strings.HasPrefix(first, "refused") {
				t.Skip("is refused: the order of files may show in the message")
			}
			if other := outcome(shuffled{os.DirFS(dir)}); other != first {
				t.Errorf("rendered again, with its files in reverse order and a day later: %s, first: %s", other, first)
			}
		})
	}
}
