package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/samples"
)

// storyCache keeps the results of stories, by file, for the stories that continue them. It runs each story once.
type storyCache struct {
	// dir is the directory in which each story's samples are stored.
	dir string
	// update is whether golden files are written instead of compared.
	update bool
	// topology is the topology on which the stories run. isCompared reports whether a story, given by its file, is compared with the other
	// topology; its result then has the state of the cluster. If isCompared is nil, no story is compared.
	topology   topology
	isCompared func(file string) bool

	mu      sync.Mutex
	results map[string]*storyResult
}

// storyResult is the state of the cluster and the catalogs at the end of a story, or the error of the story.
type storyResult struct {
	once    sync.Once
	cluster *scenario.Snapshot
	// samplesDir is the directory with the samples in the catalogs.
	samplesDir string
	// state is the content of the cluster if the story is compared with the other topology.
	state harness.State
	err   error
}

// maxStories is the maximum number of stories in a chain in which each story continues the next.
const maxStories = 5

// result returns the result of the story in a file. The first call runs the story.
func (c *storyCache) result(t *testing.T, file string) *storyResult {
	t.Helper()
	file = filepath.Clean(file)
	c.mu.Lock()
	found := c.results[file]
	if found == nil {
		found = &storyResult{err: errors.New("the story did not finish")}
		c.results[file] = found
	}
	c.mu.Unlock()
	found.once.Do(func() { found.err = c.run(t, found, file) })
	return found
}

// readStory returns the story in a file. It reads the chain of stories that the story continues, too, and returns an error if the chain
// has more than maxStories. A story in a cycle would otherwise wait for itself.
func readStory(file string) (*story.Story, error) {
	verbs := (&Story{}).verbs()
	first, err := story.Read(file, verbs)
	chain := []string{file}
	for each := first; err == nil && each.From != ""; {
		chain = append(chain, parentOf(each))
		if len(chain) > maxStories {
			return nil, fmt.Errorf("at most %d stories may continue each other: %s", maxStories, strings.Join(chain, ", "))
		}
		position := each.FromPosition
		if each, err = story.Read(parentOf(each), verbs); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: from: %w", position, err)
		}
	}
	return first, err
}

// parentOf returns the path of the file of the story that a story continues.
func parentOf(each *story.Story) string { return filepath.Join(filepath.Dir(each.File), each.From) }

// run runs a story after the stories that it continues. It stores the cluster and the samples at the end of the story in into.
func (c *storyCache) run(t *testing.T, into *storyResult, file string) error {
	t.Helper()
	parsed, err := readStory(file)
	if err != nil {
		return err
	}
	from := Origin{Offer: sampleWriter([]samples.Operator{{Package: "unused", Version: "1.0.0"}})}
	if parsed.From != "" {
		parent := c.result(t, parentOf(parsed))
		if parent.err != nil {
			return fmt.Errorf("%s: running the story that it continues: %w", file, parent.err)
		}
		from = Origin{Cluster: parent.cluster, Offer: func(dir string) error { return os.CopyFS(dir, os.DirFS(parent.samplesDir)) }}
	}
	from.Topology = c.topology
	failed := errors.New("the story failed")
	RunFrom(t, from, func(s *Story) {
		if failed = s.run(parsed, c.update); failed != nil {
			return
		}
		into.samplesDir = filepath.Join(c.dir, strings.TrimSuffix(filepath.Base(file), ".yaml"))
		if failed = os.CopyFS(into.samplesDir, os.DirFS(s.Environment.SamplesDir)); failed != nil {
			return
		}
		if c.isCompared != nil && c.isCompared(file) {
			if into.state, failed = s.endState(s.Context()); failed != nil {
				return
			}
		}
		if s.Manager != nil {
			s.StopManager()
		}
		into.cluster = s.Snapshot()
		if s.Failed() {
			failed = errors.New("the story failed")
		}
	})
	return failed
}

func TestStoriesThatContinueOneAnotherInACycleAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for file, from := range map[string]string{"a.yaml": "b.yaml", "b.yaml": "a.yaml"} {
		text := "title: A story\nfrom: " + from + "\nsteps: [{wait: 1s}]\n"
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := readStory(filepath.Join(dir, "a.yaml"))
	if err == nil || !strings.HasPrefix(err.Error(), "at most 5 stories may continue each other: ") {
		t.Errorf("got %v", err)
	}
}
