package mutants

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/environment"
)

var (
	stories = flag.Bool("stories", false, "run the stories that find mutants, which takes minutes; needs make scenario-objects")
	sample  = flag.Int("sample", 0, "run this many mutants of invariants, chosen by -seed; 0 runs all of them")
	seed    = flag.Int64("seed", 1, "random seed for -sample")
)

// storyTimeout is the maximum duration of a story against a mutant. A story takes seconds, and minutes on a busy machine.
const storyTimeout = 10 * time.Minute

// program is the stories with several mutants.
type program struct{ root, path string }

// buildStories builds the stories with mutants. It skips the test without the flag -stories.
func buildStories(t *testing.T, mutants ...Mutant) program {
	t.Helper()
	if !*stories {
		t.Skip("only with -args -stories: building and running the stories takes minutes")
	}
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := SwitchedOverlay(root, t.TempDir(), mutants...)
	if err != nil {
		t.Fatal(err)
	}
	built := program{root, filepath.Join(t.TempDir(), "stories.test")}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-buildvcs=false", "-vet=off", "-overlay", overlay,
		"-o", built.path, "./test/scenarios")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the stories with all mutants: %v\n%s", err, output)
	}
	return built
}

// run runs stories against a manager with mutants. story is the value of the go command's flag -run. The error is nil if the stories pass.
func (p program) run(t *testing.T, mutants []Mutant, story string, flags ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), storyTimeout)
	defer cancel()
	var ids []string
	for _, each := range mutants {
		ids = append(ids, each.ID())
	}
	command := exec.CommandContext(ctx, p.path, append([]string{"-test.run=" + story, "-test.v"}, flags...)...)
	command.Dir = filepath.Join(p.root, "test", "scenarios")
	command.Env = append(os.Environ(), SwitchVariable+"="+strings.Join(ids, ","))
	output, err := command.CombinedOutput()
	if err == nil && !strings.Contains(string(output), "--- PASS: ") {
		t.Fatalf("-run=%s selects no story", story)
	}
	return string(output), err
}
