package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/samples"
)

// shelf keeps what stories ended with, for others that continue them. Each story is told once.
type shelf struct {
	// dir is a folder for what catalogs offered.
	dir string
	// update is whether golden files are written instead of compared.
	update bool

	mu      sync.Mutex
	endings map[string]*ending
}

// ending is what a story ended with.
type ending struct {
	once    sync.Once
	cluster *scenario.Snapshot
	// samplesDir has what the catalog offered.
	samplesDir string
	err        error
}

// maxParents bounds how many stories may continue each other.
const maxParents = 5

// tell returns what the story in a file ended with. It tells the story when nobody has yet. children are the stories that continue it.
func (s *shelf) tell(t *testing.T, file string, children ...string) *ending {
	t.Helper()
	file = filepath.Clean(file)
	s.mu.Lock()
	found := s.endings[file]
	if found == nil {
		found = &ending{err: errors.New("it did not come to its end")}
		s.endings[file] = found
	}
	s.mu.Unlock()
	if slices.Contains(children, file) || len(children) > maxParents {
		return &ending{err: fmt.Errorf("the stories %s continue each other, at most %d may", strings.Join(append(children, file), ", "), maxParents)}
	}
	found.once.Do(func() { found.err = s.run(t, found, file, children) })
	return found
}

// run tells a story, and puts what it ended with on the shelf.
func (s *shelf) run(t *testing.T, into *ending, file string, children []string) error {
	t.Helper()
	read, err := story.Read(file, (&Story{}).verbs())
	if err != nil {
		return err
	}
	var from *scenario.Snapshot
	offer := offering([]samples.Operator{{Package: "unused", Version: "1.0.0"}})
	if read.From != "" {
		parent := s.tell(t, filepath.Join(filepath.Dir(file), read.From), append(children, file)...)
		if parent.err != nil {
			return fmt.Errorf("%s: telling the story that it continues: %w", file, parent.err)
		}
		from, offer = parent.cluster, func(dir string) error { return os.CopyFS(dir, os.DirFS(parent.samplesDir)) }
	}
	failed := errors.New("its bubble failed")
	RunFrom(t, from, offer, func(told *Story) {
		if failed = told.run(read, s.update); failed != nil {
			return
		}
		into.samplesDir = filepath.Join(s.dir, strings.TrimSuffix(filepath.Base(file), ".yaml"))
		if failed = os.CopyFS(into.samplesDir, os.DirFS(told.Environment.SamplesDir)); failed != nil {
			return
		}
		if told.Manager != nil {
			failed = told.Manager.Stop()
			told.Manager = nil
		}
		into.cluster = told.Snapshot()
	})
	return failed
}
