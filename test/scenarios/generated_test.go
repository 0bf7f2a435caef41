package scenarios

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/environment"
)

var (
	generated     = flag.Int("generated", 4, "number of generated stories")
	generatedSeed = flag.String("generated-seed", "", "seed of the first story, such as 4-4711-ab12; the default is derived from -seed")
	replay        = flag.String("replay", "", "path of a generated story to play instead of new ones")
)

// maxMinimizeRuns is the maximum number of runs in which a failing story is minimized.
const maxMinimizeRuns = 40

// Promise OM-18: After each story of a generated sample, when errors are corrected and pauses have ended, the manager is at rest, and a
// restart changes nothing. Except for its history, the cluster has the same state as a fresh cluster with the same installed versions and
// the same specs.
func TestOM_18_GeneratedStoriesEndAsDeclared(t *testing.T) {
	t.Parallel()
	if *replay != "" {
		replayStory(t, *replay)
		return
	}
	generator, err := newGenerator()
	if err != nil {
		t.Fatal(err)
	}
	first := generate.Seed(*seed) * 1000 // so that the next values of -seed have other stories
	if *generatedSeed != "" {
		if first, err = generator.ParseSeed(*generatedSeed); err != nil {
			t.Fatal(err)
		}
	}
	stories := make([]generate.Generated, *generated)
	for i := range stories {
		if stories[i], err = generator.Story(first + generate.Seed(i)); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("-generated-seed=%s: %d generated stories\n", stories[0].Seed, *generated)
	counts := &tally{}
	t.Cleanup(func() {
		t.Attr("first-seed", stories[0].Seed)
		t.Attr("stories", fmt.Sprint(*generated))
		counts.reportStories(t)
		counts.report(t)
	})
	for _, made := range stories {
		t.Run(made.Seed, func(t *testing.T) {
			t.Parallel()
			checker := newStoryChecker(t)
			checker.operator = counts.count(checker.operator)
			if err := checker.check(t, made.Story, made.Corrections); err != nil {
				checker.report(t, made, err)
				return
			}
			counts.noteLeaves(checker.kinds, made.Assignments)
			counts.noteStory(checker.versions, made)
		})
	}
}

// replayStory plays a story from a file, which the same or another commit wrote.
func replayStory(t *testing.T, file string) {
	t.Helper()
	read, err := story.Read(file, (&Story{}).verbs())
	if err != nil {
		t.Fatal(err)
	}
	isCorrection := func(step story.Step) bool { return strings.HasPrefix(step.Title, correctionPrefix) }
	corrections := slices.IndexFunc(read.Steps, isCorrection)
	if corrections < 0 {
		corrections = len(read.Steps)
	}
	played := *read
	played.Steps = read.Steps[:corrections]
	checker := newStoryChecker(t)
	checker.first = firstStepsIn(&played)
	if err := checker.check(t, &played, read.Steps[corrections:]); err != nil {
		t.Fatal(err)
	}
}

// firstStepsIn returns the steps of firstSteps with which a story in a file begins. Only these steps create objects without a title.
func firstStepsIn(read *story.Story) []story.Step {
	count := 0
	for i, step := range read.Steps {
		if step.Title != "" || step.Verb != "create" && (i > 0 || step.Verb != "publish") {
			break
		}
		count++
	}
	return read.Steps[:count:count]
}

// newGenerator returns a generator of stories about all kinds of the payload.
func newGenerator() (*generate.Generator, error) {
	kinds, err := shippedKinds()
	if err != nil {
		return nil, err
	}
	first, err := firstSteps(kinds)
	if err != nil {
		return nil, err
	}
	return &generate.Generator{
		Kinds: kinds, Verbs: (&Story{}).verbs(), First: first, Main: kindOf(kinds, "PlatformOperator"), GitOps: gitOpsUser,
		Proposers: proposers, Before: proposeFault,
	}, nil
}

// kindOf returns the kind with a name, or nil.
func kindOf(kinds []*generate.Kind, name string) *generate.Kind {
	i := slices.IndexFunc(kinds, func(each *generate.Kind) bool { return each.GroupVersionKind.Kind == name })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// firstSteps returns the steps with which all generated stories begin. They publish the packages, create the pull secret that the values in
// folder values name, and permit what GitOps and the tenant may do.
func firstSteps(kinds []*generate.Kind) ([]story.Step, error) {
	publish, err := newStep("publish", offersAt(0))
	if err != nil {
		return nil, err
	}
	secret, err := newStep("create", map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "pull", "namespace": environment.Namespace},
		"type": "kubernetes.io/dockerconfigjson", "stringData": map[string]any{".dockerconfigjson": `{"auths": {}}`},
	})
	if err != nil {
		return nil, err
	}
	roles, err := permitActors(kinds)
	return append([]story.Step{publish, secret}, roles...), err
}

// storyChecker checks generated stories.
type storyChecker struct {
	operator harness.Operator
	kinds    []*generate.Kind
	first    []story.Step
	// versions has checked the versions that the last story installed.
	versions *versionSteps
}

func newStoryChecker(t *testing.T) *storyChecker {
	t.Helper()
	kinds, err := shippedKinds()
	if err != nil {
		t.Fatal(err)
	}
	first, err := firstSteps(kinds)
	if err != nil {
		t.Fatal(err)
	}
	operator := underTest(t)
	operator.NormalizeHistory = removeHistoryAndOwners
	return &storyChecker{operator: operator, kinds: kinds, first: first}
}

// check plays a story and then the corrections in a new bubble.
func (c *storyChecker) check(t *testing.T, read *story.Story, corrections []story.Step) (err error) {
	t.Helper()
	published, err := catalogCorrection(read)
	if err != nil {
		return err
	}
	references := &referenceBuilder{first: c.first, corrections: slices.Concat(corrections, published), operator: c.operator, kinds: c.kinds}
	corrected := &story.Story{Steps: slices.Concat(read.Steps, published)}
	c.versions = &versionSteps{}
	oracle := generate.Oracle{
		Operator: c.operator, From: fresh, Reference: references.read, RemovePermitted: removePermitted,
		CheckState:   func(ctx context.Context, ended *harness.System) error { return checkVersions(ctx, corrected, ended) },
		ExcessWrites: excessWrites,
		AfterStep:    c.versions.afterStep,
		Finish:       references.finish,
	}
	synctest.Test(t, func(t *testing.T) { err = oracle.Check(t.Context(), read) })
	return err
}

// numbers matches the parts of an error that differ from story to story.
var numbers = regexp.MustCompile(`[0-9]+`)

// normalizeError returns the first two lines of an error, which say what failed and for which object. It replaces numbers, and removes the
// position of a step.
func normalizeError(err error) string {
	lines := strings.SplitN(err.Error(), "\n", 3)
	if _, after, found := strings.Cut(lines[0], ".yaml:"); found {
		lines[0] = after
	}
	return numbers.ReplaceAllString(strings.Join(lines[:min(2, len(lines))], "\n"), "N")
}

// correctionPrefix is the prefix of the titles of corrections in the files of failed stories.
const correctionPrefix = "Correction: "

// report minimizes a failing story as long as it fails in the same way, writes the result to a file for -replay, and fails the test.
func (c *storyChecker) report(t *testing.T, failing generate.Generated, failure error) {
	t.Helper()
	whole := *failing.Story
	shortened := whole
	shortened.Steps = whole.Steps[len(c.first):] // the reference needs the first steps, too
	withFirst := func(s *story.Story) *story.Story {
		complete := *s
		complete.Steps = slices.Concat(whole.Steps[:len(c.first)], s.Steps)
		return &complete
	}
	shortest, err := generate.Minimize(t.Context(), &shortened, maxMinimizeRuns, func(_ context.Context, shorter *story.Story) (bool, error) {
		if !failing.IsCorrected(shorter) {
			return false, nil
		}
		err := c.check(t, withFirst(shorter), failing.Corrections)
		isSame := err != nil && !errors.As(err, new(generate.StepError)) && normalizeError(err) == normalizeError(failure)
		if isSame {
			failure = err
		}
		return isSame, nil
	})
	if err != nil {
		t.Errorf("minimizing the story: %v", err)
	}
	replayed := withFirst(shortest)
	for _, step := range failing.Corrections {
		step.Title = correctionPrefix + step.Title
		replayed.Steps = append(replayed.Steps, step)
	}
	content, err := replayed.YAML()
	if err != nil {
		t.Fatal(err)
	}
	file := failedStoryFile(t)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Errorf("%v\nTo repeat the failure, run:\n\tgo test -vet=off ./test/scenarios -run TestOM_18 -args -replay=%s\n"+
		"The shortened story:\n%s", failure, file, content)
}
