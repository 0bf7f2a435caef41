package generate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// The correction restores the field, and the fields that were set with it.
func TestAReportedValueIsCorrected(t *testing.T) {
	kind, err := generate.ParseKind([]byte(`
kind: Widget
base: {metadata: {name: a}, spec: {color: red}}
with:
  spec.paint: {spec.color: null}
fields:
  spec.color: {omitted: it is set with paint}
  spec.paint.name: {valid: [blue], reported: [no-such-paint]}
`), widgets(t, "{color: {type: string}, paint: {type: object, properties: {name: {type: string}}}}"))
	if err != nil {
		t.Fatal(err)
	}
	g := generate.Generator{Kinds: []*generate.Kind{kind}, Verbs: story.Verbs()}
	corrections := map[string]int{}
	for seed := range generate.Seed(100) {
		generated, err := g.Story(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range generated.Story.Steps {
			if !strings.Contains(step.Title, " restores ") {
				continue
			}
			var arguments struct {
				Object any            `json:"object"`
				Every  string         `json:"every"`
				Spec   map[string]any `json:"spec"`
			}
			if err := step.Arguments.Into(&arguments); err != nil {
				t.Fatal(err)
			}
			spec := arguments.Spec
			if step.Verb == "apply" {
				spec = arguments.Object.(map[string]any)["spec"].(map[string]any)
			}
			if paint := spec["paint"]; paint != nil || spec["color"] != "red" {
				t.Errorf("seed %s: %s: the spec is %v", seed, step.Title, spec)
			}
			corrections[step.Verb]++
		}
	}
	if corrections["patch"] == 0 || corrections["apply"] == 0 {
		t.Errorf("corrections by verb: %v", corrections)
	}
}

// A merge patch that only sets the enclosing fields would keep the reported value.
func TestACorrectionRemovesAFieldThatTheBaseObjectOmits(t *testing.T) {
	kind, err := generate.ParseKind([]byte(`
kind: Widget
base: {metadata: {name: a}, spec: {paint: {name: red}}}
with:
  spec.paint: {spec.paint.name: red}
fields:
  spec.paint.name: {omitted: it is set with shade}
  spec.paint.shade: {valid: [dark], reported: [no-such-shade]}
`), widgets(t, "{paint: {type: object, properties: {name: {type: string}, shade: {type: string}}}}"))
	if err != nil {
		t.Fatal(err)
	}
	g := generate.Generator{Kinds: []*generate.Kind{kind}, Verbs: story.Verbs()}
	found := false
	for seed := range generate.Seed(100) {
		generated, err := g.Story(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range append(generated.Story.Steps, generated.Corrections...) {
			var patch struct {
				Spec struct {
					Paint map[string]any `json:"paint"`
				} `json:"spec"`
				Object any `json:"object"`
			}
			if !strings.Contains(step.Title, "An admin restores ") || step.Arguments.Into(&patch) != nil {
				continue
			}
			found = true
			if shade, isSet := patch.Spec.Paint["shade"]; !isSet || shade != nil || patch.Spec.Paint["name"] != "red" {
				t.Errorf("seed %s: %s: the patch is %v", seed, step.Title, patch)
			}
		}
	}
	if !found {
		t.Error("no patch restores the field")
	}
}

// Without its correction, a reported value can make a minimized story fail for another reason.
func TestAMinimizedStoryKeepsTheCorrectionsOfItsReportedValues(t *testing.T) {
	g := generator(t)
	needed := 0
	for seed := range generate.Seed(100) {
		generated, err := g.Story(seed)
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range generated.Story.Steps {
			shorter := *generated.Story
			shorter.Steps = slices.Delete(slices.Clone(shorter.Steps), i, i+1)
			if generated.IsCorrected(&shorter) {
				continue
			}
			needed++
			corrects := strings.Contains(step.Title, "restores") || strings.Contains(step.Title, "removes") ||
				strings.Contains(step.Title, " value") || step.Verb == "delete"
			if !corrects {
				t.Errorf("seed %s: step %q corrects nothing", seed, step.Title)
			}
		}
		if !generated.IsCorrected(generated.Story) {
			t.Errorf("seed %s: the complete story lacks corrections", seed)
		}
	}
	if needed == 0 {
		t.Error("no step is needed as a correction")
	}
}
