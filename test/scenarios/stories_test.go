package scenarios

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/samples"
)

var update = flag.Bool("update", false, "write the golden files of stories")

// TestStories runs the stories in folder scenarios. The file beside each one has what happened.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			Run(t, []samples.Operator{{Package: "unused", Version: "1.0.0"}}, func(s *Story) {
				s.must(s.run(file))
			})
		})
	}
}

// run runs the story of a file, and compares what happened with its golden file.
func (s *Story) run(file string) error {
	verbs := s.verbs()
	read, err := story.Read(file, verbs)
	if err != nil {
		return err
	}
	if err := s.Cluster.Settle(); err != nil {
		return err
	}
	runner := story.Runner{
		Cluster: s.Cluster, Verbs: verbs, State: s.state, Operator: []string{managerUser}, Reports: reports, Pods: podBehavior, Mask: mask,
		Processes: map[string]*scenario.Process{"manager": s.Manager.process},
	}
	report, err := runner.Run(s.Context(), read)
	if err != nil {
		s.Logf("until then:\n%s", report)
		return err
	}
	return story.Golden(strings.TrimSuffix(file, ".yaml")+".golden", report, *update)
}
