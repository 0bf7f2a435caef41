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

// TestRegistryFailures installs a bundle while the registry fails or the manager is killed during the pull. It asserts that no truncated
// content is left on disk.
func TestRegistryFailures(t *testing.T) {
	_, h := requireLevel(t, "sample")
	blobs := func(r faults.Request) bool { return strings.Contains(r.Path, "/blobs/") }
	type registryCase struct {
		name  string
		fault faults.Fault
		// killed is whether the fault kills the manager.
		killed bool
	}
	for i, each := range sampled([]registryCase{
		{"500 for all requests", faults.Fault{On: faults.PathPrefix("/v2/"), Do: faults.Refuse(500, "InternalError", 0)}, false},
		{"429 for all requests", faults.Fault{On: faults.PathPrefix("/v2/"), Do: faults.Refuse(429, "TooManyRequests", 1)}, false},
		{"connections reset", faults.Fault{On: faults.PathPrefix("/v2/"), Times: 3, Do: faults.Reset()}, false},
		{"duplicate requests", faults.Fault{On: faults.PathPrefix("/v2/"), Times: faults.Always, Do: faults.ForwardTwice()}, false},
		{"a truncated layer", faults.Fault{On: blobs, Nth: 2, Do: faults.Truncate(50)}, false},
		{"a slow layer", faults.Fault{On: blobs, Times: 2, Do: faults.Delay(3*time.Second, faults.Forward())}, false},
		{"the manager killed before a layer", faults.Fault{On: blobs, Nth: 2, Do: faults.Kill(h.kill)}, true},
		{"the manager killed during a layer", faults.Fault{On: blobs, Nth: 2, Do: faults.AfterHalf(faults.Kill(h.kill))}, true},
		{"the manager killed after a layer", faults.Fault{On: blobs, Nth: 2, Do: faults.After(faults.Kill(h.kill))}, true},
	}, sampleRegistry) {
		t.Run(each.name, func(t *testing.T) {
			// Each case installs a new package, because the manager keeps the content of others.
			fresh := samples.Operator{Package: fmt.Sprintf("fetched-%d", i), Version: "1.0.0"}
			if err := errors.Join(samples.Write(h.env.SamplesDir, fresh), h.env.Publish(t.Context())); err != nil {
				t.Fatal(err)
			}
			ref := h.ref(t, fresh)
			h.removeAfterTest(t, fresh.Package)
			process := h.env.Manager.PID()
			injection := h.registry.Inject(each.fault)
			monitor := h.inspector.MonitorStatus(t.Context(), fresh.Package, faults.StatusTolerance)
			err := errors.Join(h.create(t.Context(), fresh.Package, ref), h.eventually(t.Context(), h.installed(fresh.Package)), monitor.Stop())
			if err != nil {
				t.Fatal(err)
			}
			if len(injection.Affected()) == 0 {
				t.Error("the fault affected no request")
			}
			if killed := h.env.Manager.PID() != process; killed != each.killed {
				t.Errorf("the manager was killed: %v, want %v", killed, each.killed)
			}
			h.checkContent(t, ref, fresh)
		})
	}
}

// checkContent checks that the manager's content directory has exactly the bundle's files for the digest in ref, and no temporary files.
func (h *harness) checkContent(t *testing.T, ref string, of samples.Operator) {
	t.Helper()
	content := filepath.Join(h.dir, "content")
	entries, err := os.ReadDir(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range entries {
		if !strings.HasPrefix(each.Name(), "sha256-") {
			t.Errorf("the content directory has %q, which is no digest", each.Name())
		}
	}
	digest := strings.Replace(ref[strings.Index(ref, "@")+1:], ":", "-", 1)
	published := filesBelow(t, filepath.Join(h.env.SamplesDir, "bundles", of.Package, of.Version))
	if diff := cmp.Diff(published, filesBelow(t, filepath.Join(content, digest, "files"))); diff != "" {
		t.Errorf("content on disk (-published +kept):\n%s", diff)
	}
}

// filesBelow returns the content of all files below root, by path.
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
