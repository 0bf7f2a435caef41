package scenarios

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

var update = flag.Bool("update", false, "write the golden files of stories")

// TestStories runs the stories in folder scenarios. The golden file beside each story has its expected report. A story that -hosted chooses
// has the same report on a hosted control plane.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d stories in scenarios/*.yaml (error: %v)", len(files), err)
	}
	isCompared := func(file string) bool {
		return isHostedStory("TestStories/" + strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	results := &storyCache{dir: t.TempDir(), update: *update, isCompared: isCompared, results: map[string]*storyResult{}}
	onHosted := &storyCache{dir: t.TempDir(), topology: hostedControlPlane, isCompared: isCompared, results: map[string]*storyResult{}}
	chosen := 0
	defer func() {
		if chosen == 0 {
			t.Error("-run or -skip selects no story; name one by its file without .yaml: -run TestStories/drift-is-repaired")
		}
	}()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			chosen++
			t.Parallel()
			result := results.result(t, file)
			if result.err != nil {
				t.Fatal(result.err)
			}
			if !isCompared(file) {
				return
			}
			t.Run("OM-12 on a hosted control plane", func(t *testing.T) {
				hosted := onHosted.result(t, file)
				if hosted.err != nil {
					t.Fatal(hosted.err)
				}
				compareTopologies(t, result.state, hosted.state)
			})
		})
	}
}

// run runs a story, and compares its report with the golden file. If update is true, it writes the golden file instead.
func (s *Story) run(read *story.Story, update bool) error {
	if err := s.Cluster.Settle(); err != nil {
		return err
	}
	runner := story.Runner{
		Cluster: s.Cluster, Verbs: s.verbs(), State: s.state, Operator: []string{managerUser},
		IsReported: isReportedEvent, Pods: podBehavior, Mask: mask,
		Processes: map[string]*scenario.Process{"manager": s.Manager.process},
	}
	report, err := runner.Run(s.Context(), read)
	if err != nil {
		s.Logf("the report up to the error:\n%s", report)
		return err
	}
	return story.Golden(strings.TrimSuffix(read.File, ".yaml")+".golden", report, update)
}
