package stories

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/samples"
)

// TestTheRegistryInTrouble installs while the registry fails, or the manager is killed while it pulls; nothing of a half-read
// image may be seen afterwards, neither in the cluster nor on disk.
func TestTheRegistryInTrouble(t *testing.T) {
	_, h := needs(t, "sample")
	blobs := func(r faults.Request) bool { return strings.Contains(r.Path, "/blobs/") }
	type registryCase struct {
		name  string
		fault faults.Fault
		// killed: the manager is another process afterwards.
		killed bool
	}
	for i, each := range sampled([]registryCase{
		{"500 to anything", faults.Fault{On: faults.Below("/v2/"), Do: faults.Refuse(500, "InternalError", 0)}, false},
		{"429 to anything", faults.Fault{On: faults.Below("/v2/"), Do: faults.Refuse(429, "TooManyRequests", 1)}, false},
		{"connections reset", faults.Fault{On: faults.Below("/v2/"), Times: 3, Do: faults.Reset()}, false},
		{"requests that arrive twice", faults.Fault{On: faults.Below("/v2/"), Times: faults.Always, Do: faults.Twice()}, false},
		{"a layer that ends in the middle", faults.Fault{On: blobs, Nth: 2, Do: faults.Cut(50)}, false},
		{"a slow layer", faults.Fault{On: blobs, Times: 2, Do: faults.Delay(3*time.Second, faults.Pass())}, false},
		{"the manager killed before a layer", faults.Fault{On: blobs, Nth: 2, Do: faults.Kill(h.kill)}, true},
		{"the manager killed in the middle of a layer", faults.Fault{On: blobs, Nth: 2, Do: faults.Half(faults.Kill(h.kill))}, true},
		{"the manager killed behind a layer", faults.Fault{On: blobs, Nth: 2, Do: faults.After(faults.Kill(h.kill))}, true},
	}, sampleRegistry) {
		t.Run(each.name, func(t *testing.T) {
			// A version that has not been read before: content is kept.
			fresh := samples.Operator{Package: fmt.Sprintf("fetched-%d", i), Version: "1.0.0"}
			if err := errors.Join(samples.Write(h.env.SamplesDir, fresh), h.env.Publish(t.Context())); err != nil {
				t.Fatal(err)
			}
			ref := h.ref(t, fresh)
			h.cleared(t, fresh.Package)
			process := h.env.Manager.PID()
			injection := h.registry.Inject(each.fault)
			witness := h.estate.Witness(t.Context(), fresh.Package, faults.Moment)
			err := errors.Join(h.create(t.Context(), fresh.Package, ref), h.until(t.Context(), h.installed(fresh.Package)), witness.Stop())
			if err != nil {
				t.Fatal(err)
			}
			if len(injection.Struck()) == 0 {
				t.Error("the fault has not happened")
			}
			if killed := h.env.Manager.PID() != process; killed != each.killed {
				t.Errorf("the manager was killed: %v, want %v", killed, each.killed)
			}
			h.keeps(t, ref, fresh)
		})
	}
}

// keeps checks that the manager has on disk exactly the files of a bundle, and nothing that is half written.
func (h *harness) keeps(t *testing.T, ref string, of samples.Operator) {
	t.Helper()
	content := filepath.Join(h.dir, "content")
	entries, err := os.ReadDir(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range entries {
		if !strings.HasPrefix(each.Name(), "sha256-") {
			t.Errorf("on disk is %q, which is no content", each.Name())
		}
	}
	digest := strings.Replace(ref[strings.Index(ref, "@")+1:], ":", "-", 1)
	published := filesBelow(t, filepath.Join(h.env.SamplesDir, "bundles", of.Package, of.Version))
	if diff := cmp.Diff(published, filesBelow(t, filepath.Join(content, digest, "files"))); diff != "" {
		t.Errorf("content on disk (-published +kept):\n%s", diff)
	}
}

// filesBelow reads a tree, by path.
func filesBelow(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(root, path))
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
