package invariants

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestDifferenceReturnsTheFirstDifferentField(t *testing.T) {
	for name, test := range map[string]struct {
		declared, live, ignored, want string
	}{
		"equal":                             {"{data: {a: '1'}}", "{data: {a: '1'}}", "", ""},
		"more fields":                       {"{data: {a: '1'}}", "{data: {a: '1', b: '2'}}", "", ""},
		"another value":                     {"{data: {a: '1'}}", "{data: {a: '2'}}", "", "/data/a"},
		"a field is missing":                {"{data: {a: '1'}}", "{}", "", "/data/a"},
		"an ignored field":                  {"{data: {a: '1'}}", "{data: {a: '2'}}", "/data/a", ""},
		"below an ignored field":            {"{data: {a: '1'}}", "{data: {a: '2'}}", "/data", ""},
		"a name with a slash":               {"{data: {a/b: '1'}}", "{data: {a/b: '2'}}", "", "/data/a~1b"},
		"a label":                           {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: c}}}", "", "/metadata/labels/a"},
		"other metadata":                    {"{metadata: {uid: a}}", "{metadata: {uid: b}}", "", ""},
		"items in another order":            {"{items: [{name: a}, {name: b}]}", "{items: [{name: b}, {name: a, x: 1}]}", "", ""},
		"an item is missing":                {"{items: [{name: a}, {name: b}]}", "{items: [{name: a}]}", "", "/items/1"},
		"a quantity in another notation":    {"{cpu: 1000m}", "{cpu: '1'}", "", ""},
		"another quantity":                  {"{cpu: 1000m}", "{cpu: '2'}", "", "/cpu"},
		"a missing field with a zero value": {"{a: '', b: false, c: 0, d: null, e: {}, f: []}", "{}", "", ""},
		"the status":                        {"{status: {a: b}}", "{}", "", ""},
	} {
		if got := difference(object(t, test.declared), object(t, test.live), []string{test.ignored}); got != test.want {
			t.Errorf("%s: the difference is %q, want %q", name, got, test.want)
		}
	}
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	content, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &found.Object); err != nil {
		t.Fatal(err)
	}
	return found
}
