package story_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// verbsOfAllStories returns the verbs of this package, and the names of those that the operators in this repository add.
func verbsOfAllStories() map[string]story.Verb {
	verbs := story.Verbs()
	for _, name := range []string{"publish", "manager", "openshift", "network", "operator"} {
		verbs[name] = verbs["wait"]
	}
	return verbs
}

// sameStory fails the test if the content is not a file with the story.
func sameStory(t *testing.T, want *story.Story, content []byte) {
	t.Helper()
	read, err := story.Parse("x.yaml", content, verbsOfAllStories())
	if err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	decoded := cmp.Transformer("decoded", func(a story.Arguments) any {
		var value any
		if err := a.Into(&value); err != nil {
			t.Fatal(err)
		}
		return value
	})
	positions := cmp.FilterPath(func(path cmp.Path) bool {
		return path.Last().Type() == reflect.TypeFor[story.Position]() || path.Last().String() == ".File"
	}, cmp.Ignore())
	empty := cmp.FilterValues(func(a, b any) bool { // an empty map of an expectation is not written
		x, y := reflect.ValueOf(a), reflect.ValueOf(b)
		return x.Kind() == reflect.Map && y.Kind() == reflect.Map && x.Len() == 0 && y.Len() == 0
	}, cmp.Ignore())
	if diff := cmp.Diff(want, read, decoded, positions, empty); diff != "" {
		t.Errorf("the story differs from (-want +read):\n%s\n%s", content, diff)
	}
}

func TestAStoryThatIsWrittenIsReadBack(t *testing.T) {
	files, err := filepath.Glob("../../../test/*/s[ct]*/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d stories, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			read, err := story.Read(file, verbsOfAllStories())
			if err != nil {
				t.Fatal(err)
			}
			content, err := read.YAML()
			if err != nil {
				t.Fatal(err)
			}
			sameStory(t, read, content)
		})
	}
}

func TestAStoryThatIsMadeInCodeIsReadBack(t *testing.T) {
	for name, value := range map[string]any{
		"nothing":                   nil,
		"texts that look like YAML": []string{"", "yes", "on", "1.0", "null", "~", "a: b", "- a", "{a}", "a, b", "#", "a\nb", " a ", "*a", "!a", "0x1", "1_000", "2000-01-01", "ä\t\x00"},
		"numbers":                   []any{1, -1, 1.5, 1e30, int64(9007199254740993), true, false},
		"a struct":                  story.Expectation{Object: "Widget/a", Fields: map[string]any{"spec.size": nil}},
		"names that look like YAML": map[string]any{"yes": 1, "1": map[string]any{"a/b": []any{}, "": map[string]any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			arguments, err := story.NewArguments(value)
			if err != nil {
				t.Fatal(err)
			}
			made := &story.Story{Title: "yes: it is", From: "a, b.yaml", Steps: []story.Step{
				{Title: "# one", As: "system:admin", Refused: story.MayBeRefused, Verb: "create", Arguments: arguments},
				{Verb: "compact", Then: []story.Expectation{{Object: "Widget/a", Conditions: map[string]string{"Ready": "True"}}, {Object: "Widget/b", Absent: true}}},
			}}
			content, err := made.YAML()
			if err != nil {
				t.Fatal(err)
			}
			sameStory(t, made, content)
		})
	}
}

func TestAStoryThatParseWouldRefuseIsNotWritten(t *testing.T) {
	step := []story.Step{{Verb: "compact"}}
	for name, c := range map[string]struct {
		made story.Story
		want string
	}{
		"no title":                {story.Story{Steps: step}, `story "": the story has no title`},
		"no steps":                {story.Story{Title: "a"}, `story "a": the story has no steps`},
		"no verb":                 {story.Story{Title: "a", Steps: []story.Step{{}}}, `story "a", step 1: the step has no verb`},
		"an unknown refusal":      {story.Story{Title: "a", Steps: []story.Step{{Verb: "compact", Refused: "often"}}}, `story "a", step 1: refused is "often"`},
		"a malformed expectation": {story.Story{Title: "a", Steps: []story.Step{{Verb: "compact", Then: []story.Expectation{{Conditions: map[string]string{"Ready": "Yes"}}}}}}, `story "a", step 1: : condition Ready is "Yes"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.made.YAML(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s…", err, c.want)
			}
		})
	}
	if _, err := story.NewArguments(func() {}); err == nil {
		t.Error("a function became arguments")
	}
}
