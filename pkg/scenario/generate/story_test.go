package generate_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

const paintedProperties = `{color: {type: string, enum: [red, blue]}, painted: {type: boolean}, size: {type: integer, minimum: 1},
	serial: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}, labels: {type: object, additionalProperties: {type: string}},
	wheel: {type: object, properties: {front: {type: object, properties: {size: {type: integer}}}, rear: {type: object, properties: {size: {type: integer}}}}},
	parts: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}}`

// painted returns a kind with values of all classes.
func painted(t testing.TB) *generate.Kind {
	t.Helper()
	kind, err := generate.ParseKind([]byte(`
kind: Widget
base: {metadata: {name: a}, spec: {size: 1, serial: "1"}}
immutable: [spec.serial]
fields:
  spec.color: {}
  spec.painted: {valid: [true, false], omitted: a boolean has no invalid value}
  spec.size: {valid: [2, 3], reported: [100]}
  spec.serial: {valid: ["1", "2"], omitted: all texts are valid}
  spec.labels: {valid: [{a: b}], omitted: all labels are valid}
  spec.parts: {whole: true, valid: [[{name: a}], []], refused: [[{}]], omitted: all names are valid}
  spec.wheel: {whole: true, valid: [{front: {size: 1}, rear: null}, {front: null, rear: {size: 2}}], omitted: all sizes are valid}
`), widgets(t, paintedProperties))
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// generator returns a generator of stories with a step of another actor.
func generator(t testing.TB) generate.Generator {
	t.Helper()
	return generate.Generator{Kinds: []*generate.Kind{painted(t)}, Verbs: story.Verbs(), Proposers: []generate.Proposer{
		func(random *rand.Rand) ([]story.Step, error) {
			arguments, err := story.NewArguments(map[string]any{"user": "operator", "verb": "update", "nth": 1 + random.IntN(3), "code": 500})
			return []story.Step{{Title: "The API server fails", Verb: "fail", Arguments: arguments}}, err
		},
	}}
}

func yamlOf(t *testing.T, s *story.Story) string {
	t.Helper()
	content, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestASeedAlwaysMakesTheSameStory(t *testing.T) {
	seen := map[string]generate.Seed{}
	for seed := range generate.Seed(60) {
		var contents [2]string
		for i := range contents {
			generated, err := generator(t).Story(seed)
			if err != nil {
				t.Fatal(err)
			}
			contents[i] = yamlOf(t, generated.Story)
		}
		if diff := cmp.Diff(contents[0], contents[1]); diff != "" {
			t.Fatalf("seed %s makes two stories:\n%s", seed, diff)
		}
		_, content, _ := strings.Cut(contents[0], "\n") // without the title
		if other, isSeen := seen[content]; isSeen {
			t.Errorf("seeds %s and %s make the same story", other, seed)
		}
		seen[content] = seed
	}
}

// Most stories begin with the base object of Main. Steps of Before stand right before the steps for which they were made.
func TestStoriesBeginWithMainAndInsertStepsOfBefore(t *testing.T) {
	g := generator(t)
	g.Main = g.Kinds[0]
	g.Before = func(_ *rand.Rand, next story.Step) ([]story.Step, error) {
		arguments, err := story.NewArguments(map[string]any{"user": "operator", "lose": true})
		return []story.Step{{Title: "before: " + next.Title, Verb: "fail", Arguments: arguments}}, err
	}
	begins, inserted := 0, 0
	for seed := range generate.Seed(100) {
		made, err := g.Story(seed)
		if err != nil {
			t.Fatal(err)
		}
		steps := made.Story.Steps
		if len(steps) != generate.DefaultSteps {
			t.Errorf("seed %s: %d steps", seed, len(steps))
		}
		if strings.HasSuffix(steps[0].Title, " creates Widget/a") {
			begins++
		}
		for i, step := range steps {
			next, isBefore := strings.CutPrefix(step.Title, "before: ")
			if isBefore && (i+1 == len(steps) || steps[i+1].Title != next) {
				t.Errorf("seed %s: step %d is not before its step", seed, i+1)
			}
			if isBefore {
				inserted++
			}
		}
		for _, assignment := range made.Assignments {
			if !slices.ContainsFunc(steps, func(step story.Step) bool {
				return step.Position == assignment.Step && strings.Contains(step.Title, string(assignment.Path))
			}) {
				t.Errorf("seed %s: no step sets %s at %s", seed, assignment.Path, assignment.Step)
			}
		}
	}
	if begins < 40 || inserted < 100 {
		t.Errorf("of 100 stories, %d begin with the Widget; %d steps were inserted", begins, inserted)
	}
}

var update = flag.Bool("update", false, "write the golden story")

// A change of the generator that makes another story from a seed must increase Version.
func TestTheStoryOfASeed(t *testing.T) {
	g := generator(t)
	g.Steps = 6
	generated, err := g.Story(4711)
	if err != nil {
		t.Fatal(err)
	}
	if err := story.Golden("testdata/seed-4-4711.yaml", yamlOf(t, generated.Story), *update); err != nil {
		t.Errorf("the seed makes another story; if you intend the change, increase Version and run this test with -update: %v", err)
	}
}

// hasRightType reports whether a value of the painted Widget is neither a text for a field that takes none, nor a number for one that takes
// no number.
func hasRightType(value any) bool {
	if labels, isMap := value.(map[string]any); isMap {
		return labels["example"] == nil
	}
	return value != "maybe" && value != "many" && value != "text" && value != int64(7)
}

func TestAllValuesAreTried(t *testing.T) {
	g := generator(t)
	untried := map[string]bool{}
	for _, field := range g.Kinds[0].Fields {
		for _, value := range field.Values {
			if hasRightType(value.Value) {
				untried[fmt.Sprint(field.Path, value)] = true
			}
		}
	}
	corrected, verbs := 0, map[string]int{}
	for seed := range generate.Seed(150) {
		generated, err := g.Story(seed)
		if err != nil {
			t.Fatal(err)
		}
		if count := len(generated.Story.Steps); count != generate.DefaultSteps {
			t.Errorf("seed %s: %d steps", seed, count)
		}
		for _, assignment := range generated.Assignments {
			delete(untried, fmt.Sprint(assignment.Path, assignment.Value))
			if len(assignment.Leaves()) == 0 && assignment.Path != "spec.parts" {
				t.Errorf("%s tries no leaf", assignment.Path)
			}
		}
		for _, step := range generated.Story.Steps {
			verbs[step.Verb]++
			if strings.Contains(step.Title, " restores ") {
				corrected++
			}
			if step.Verb == "patch" && strings.Contains(step.Title, "spec.serial") {
				t.Errorf("seed %s changes an immutable field: %s", seed, step.Title)
			}
		}
	}
	if len(untried) > 0 {
		t.Errorf("these values are never tried: %v", untried)
	}
	if corrected == 0 {
		t.Error("no field with a reported value is restored")
	}
	for _, verb := range []string{"create", "apply", "patch", "delete", "wait", "fail"} {
		if verbs[verb] == 0 {
			t.Errorf("no story has verb %s: %v", verb, verbs)
		}
	}
}

// Each generated story can be performed: values that must be refused are refused, and no step fails in another way.
func TestAGeneratedStoryCanBePerformed(t *testing.T) {
	content, err := os.ReadFile("testdata/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	verbs := story.Verbs()
	prepare, err := story.Parse("testdata/widgets.yaml", content, verbs)
	if err != nil {
		t.Fatal(err)
	}
	const seedsPerCluster = 12
	for first := generate.Seed(0); first < 3*seedsPerCluster; first += seedsPerCluster {
		synctest.Test(t, func(t *testing.T) {
			cluster, err := scenario.Start(t.Context(), scenario.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Stop()
			if _, err := (&story.Runner{Cluster: cluster, Verbs: verbs}).Run(t.Context(), prepare); err != nil {
				t.Fatal(err)
			}
			for seed := first; seed < first+seedsPerCluster; seed++ {
				generated, err := generator(t).Story(seed)
				if err != nil {
					t.Fatal(err)
				}
				runner := &story.Runner{Cluster: cluster, Verbs: verbs}
				for _, step := range generated.Story.Steps {
					if err := runner.Do(t.Context(), step); err != nil {
						t.Errorf("seed %s, %s (%s): %v\n%s", seed, step.Position, step.Title, err, yamlOf(t, generated.Story))
						break
					}
				}
				runner.RemoveFaults()
			}
		})
	}
}

func TestStoryReturnsAnErrorForAnInvalidGenerator(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		change func(*generate.Generator)
		want   string
	}{
		"no kinds":                   {func(g *generate.Generator) { g.Kinds = nil }, "the generator has no kinds"},
		"too many steps":             {func(g *generate.Generator) { g.Steps = 101 }, "a generated story cannot have 101 steps; choose 1 to 100"},
		"a negative number of steps": {func(g *generate.Generator) { g.Steps = -1 }, "a generated story cannot have -1 steps"},
		"an unknown verb":            {func(g *generate.Generator) { g.Verbs = map[string]story.Verb{} }, "seed-4-7.yaml:"},
		"a proposer without steps": {func(g *generate.Generator) {
			g.Proposers = []generate.Proposer{func(*rand.Rand) ([]story.Step, error) { return nil, nil }}
		}, "a proposer returned no steps"},
		"a proposer that has failed": {func(g *generate.Generator) {
			g.Proposers = []generate.Proposer{func(*rand.Rand) ([]story.Step, error) { return nil, broken }}
		}, "seed 4-7, step "},
		"a first step without a verb": {func(g *generate.Generator) { g.First = []story.Step{{}} }, "step 1: the step has no verb"},
	} {
		t.Run(name, func(t *testing.T) {
			g := generator(t)
			c.change(&g)
			if _, err := g.Story(7); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
