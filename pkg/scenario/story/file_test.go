package story_test

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

func TestAStoryThatCannotBeReadSaysWhere(t *testing.T) {
	const title = "title: A Widget is resized\n"
	for name, c := range map[string]struct{ text, want string }{
		"an unknown field of the story": {title + "actors: []\nsteps: [{wait: 1s}]", `x.yaml:2: unknown field "actors"; a story has title, from and steps`},
		"an unknown verb":               {title + "steps:\n- wait: 1s\n- dance: 1s\n", `x.yaml:4: unknown field or verb "dance"; the verbs are apply, compact, create, cut,`},
		"two verbs":                     {title + "steps:\n- wait: 1s\n  delete: Widget/a\n", `x.yaml:4: the step has two verbs, "wait" and "delete"; make it two steps`},
		"no verb":                       {title + "steps:\n- title: nothing\n", "x.yaml:3: the step has no verb"},
		"no steps":                      {title + "steps: []\n", "x.yaml:1: the story has no steps"},
		"no title":                      {"steps: [{wait: 1s}]", "x.yaml:1: the story has no title"},
		"a field twice":                 {title + "title: again\nsteps: [{wait: 1s}]", `x.yaml:2: field "title" occurs twice`},
		"steps that are no list":        {title + "steps: {wait: 1s}", "x.yaml:2: this must be a list"},
		"a story that is a list":        {"- wait: 1s", "x.yaml:1: this must be a mapping"},
		"an unknown field of an expectation": {
			title + "steps:\n- wait: 1s\n  then:\n  - {object: Widget/a, colour: red}\n", `x.yaml:5: unknown field "colour"; the fields are absent, conditions, fields, object`},
		"an absent object with fields": {
			title + "steps:\n- wait: 1s\n  then:\n  - {object: Widget/a, absent: true, fields: {a: b}}\n", "x.yaml:5: Widget/a cannot be absent and have conditions or fields"},
		"a title that is no text":   {"title: {a: b}\nsteps: [{wait: 1s}]", "x.yaml:1: "},
		"two documents":             {title + "steps: [{wait: 1s}]\n---\ntitle: another\n", "x.yaml: something follows the story"},
		"what is no document":       {title + "steps: [{wait: 1s}]\n---\n[", "x.yaml: something follows the story"},
		"nothing":                   {"", "x.yaml:1: the file has no story"},
		"too many steps":            {title + "steps:\n" + strings.Repeat("- wait: 1s\n", 201), "x.yaml:1: the story has 201 steps, more than 200"},
		"no YAML":                   {"title: [", "x.yaml:1: did not find expected"},
		"a refusal that is unknown": {title + "steps:\n- wait: 1s\n  refused: never\n", `x.yaml:4: refused is "never"; write must or may, or remove it`},
		"a refusal that is empty":   {title + "steps:\n- wait: 1s\n  refused: ''\n", `x.yaml:4: refused is empty; write must or may, or remove it`},
		"a condition without quotes": {
			title + "steps:\n- wait: 1s\n  then:\n  - {object: Widget/a, conditions: {Ready: True}}\n", `x.yaml:5: Widget/a: condition Ready is "true"; write "True", "False" or "Unknown" in quotes`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := story.Parse("x.yaml", []byte(c.text), story.Verbs())
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s…", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("title: a\nsteps: [{title: b, as: c, wait: 1s, then: [{object: Widget/a, absent: true, conditions: {A: 'True'}, fields: {a.b: null}}]}]")
	f.Add("title: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		read, err := story.Parse("x.yaml", []byte(text), story.Verbs())
		if err == nil && (read.Title == "" || len(read.Steps) == 0 || read.Steps[0].Position.Line == 0) {
			t.Errorf("parsing %q returned %+v", text, read)
		}
		if err != nil {
			return
		}
		if content, err := read.YAML(); err == nil {
			sameStory(t, read, content)
		}
	})
}
