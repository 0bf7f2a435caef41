package drift

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHRD_U8_FieldOfAPointer(t *testing.T) {
	object := map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"a/b": "c", "a~b": "d"}},
		"spec":     map[string]any{"replicas": int64(1), "revision": nil, "items": []any{map[string]any{"name": "a"}, "b"}},
	}
	for pointer, test := range map[string]struct {
		has    bool
		beside []string
	}{
		"/spec/replicas":              {true, nil},
		"/spec/revision":              {true, nil},
		"/spec":                       {true, nil},
		"/spec/items/0/name":          {true, nil},
		"/spec/items/1":               {true, nil},
		`/spec/items/[name="c"]`:      {true, nil}, // as status.drift has items that others added
		"/metadata/annotations/a~1b":  {true, nil},
		"/metadata/annotations/a~0b":  {true, nil},
		"/spec/replica":               {false, []string{"/spec/replicas", "/spec/revision", "/spec/items"}},
		"/spec/items/2":               {false, nil},
		"/spec/items/0/image/x":       {false, []string{"/spec/items/0/name"}},
		"/spec/replicas/x":            {false, nil},
		"/specs":                      {false, []string{"/spec", "/metadata"}},
		"/metadata/annotations/a~1bc": {false, []string{"/metadata/annotations/a~1b", "/metadata/annotations/a~0b"}},
	} {
		t.Run(pointer, func(t *testing.T) {
			if got := HasField(object, pointer); got != test.has {
				t.Errorf("HasField is %v", got)
			}
			if diff := cmp.Diff(test.beside, FieldsBeside(object, pointer)); diff != "" {
				t.Errorf("FieldsBeside (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHRD_U8_TextOfAnUnmatchedIgnore(t *testing.T) {
	many := strings.Split("a b c d e f g", " ")
	for want, unmatched := range map[string]Unmatched{
		"The target of spec.drift.ignore[1] selects no object of the bundle: correct or remove it. The bundle has Deployment memo/memo of group apps.":            {Entry: 1, Existing: []string{"Deployment memo/memo of group apps"}},
		`Pointer "/spec/x" of spec.drift.ignore[0] selects no field of Service a: correct or remove it.`:                                                          {Pointer: "/spec/x", Object: "Service a"},
		`Pointer "/x" of spec.drift.ignore[0] selects no field of Service a or of 2 others: correct or remove it. The fields there are a, b, c, d, e and 2 more.`: {Pointer: "/x", Object: "Service a", More: 2, Existing: many},
	} {
		if got := unmatched.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
