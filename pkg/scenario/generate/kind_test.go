package generate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
)

// widgetSchema is a CustomResourceDefinition, with %s for the properties of spec.
const widgetSchema = `
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1beta1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {former: {type: string}}}}}}}
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: %s
`

func widgets(t testing.TB, properties string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(fmt.Appendf(nil, widgetSchema, properties), definition); err != nil {
		t.Fatal(err)
	}
	return []*apiextensionsv1.CustomResourceDefinition{definition}
}

const base = "kind: Widget\nbase: {metadata: {name: a}, spec: {size: 1}}\n"

func TestLeavesReturnsTheFieldsWithoutSubfields(t *testing.T) {
	for name, c := range map[string]struct {
		properties string
		want       []generate.Path
	}{
		"scalars":                       {"{size: {type: integer}, name: {type: string}}", []generate.Path{"spec.name", "spec.size"}},
		"an object":                     {"{wheel: {type: object, properties: {size: {type: integer}}}}", []generate.Path{"spec.wheel.size"}},
		"a list of scalars":             {"{tags: {type: array, items: {type: string}}}", []generate.Path{"spec.tags"}},
		"a list of objects":             {"{parts: {type: array, items: {type: object, properties: {name: {type: string}}}}}", []generate.Path{"spec.parts[].name"}},
		"a list of lists":               {"{grid: {type: array, items: {type: array, items: {type: integer}}}}", []generate.Path{"spec.grid[]"}},
		"a map of texts":                {"{labels: {type: object, additionalProperties: {type: string}}}", []generate.Path{"spec.labels"}},
		"a map of objects":              {"{parts: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}", []generate.Path{"spec.parts{}.a"}},
		"an object with unknown fields": {"{free: {type: object, x-kubernetes-preserve-unknown-fields: true}}", []generate.Path{"spec.free"}},
		"a number or a text":            {"{port: {x-kubernetes-int-or-string: true}}", []generate.Path{"spec.port"}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := widgets(t, c.properties)[0].Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["spec"]
			leaves, err := generate.Leaves("spec", &spec)
			if diff := cmp.Diff(c.want, leaves); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	spec := widgets(t, "{a.b: {type: string}}")[0].Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["spec"]
	if _, err := generate.Leaves("spec", &spec); err == nil || !strings.Contains(err.Error(), `spec has the property "a.b"`) {
		t.Errorf("a property with a dot: %v", err)
	}
}

// valuesOf returns the values of a field by class.
func valuesOf(kind *generate.Kind, path generate.Path) map[generate.Class][]any {
	values := map[generate.Class][]any{}
	for _, field := range kind.Fields {
		for _, value := range field.Values {
			if field.Path == path {
				values[value.Class] = append(values[value.Class], value.Value)
			}
		}
	}
	return values
}

func TestValuesFollowFromTheSchema(t *testing.T) {
	kind, err := generate.ParseKind([]byte(base+"fields: {spec.size: {valid: [2], reported: [9]}, spec.tags: {valid: [[a]]}, spec.since: {valid: ['2000-01-01T00:00:00Z']}, "+
		"spec.color: {}, spec.painted: {valid: [false, true], omitted: a reason}, spec.labels: {valid: [{a: b}], omitted: a reason}, "+
		"spec.free: {valid: [{}], omitted: a reason}, spec.port: {valid: [80], omitted: a reason}}"), widgets(t, `{color: {type: string, enum: [red, blue]}, painted: {type: boolean},
		size: {type: integer, minimum: 1, maximum: 9}, tags: {type: array, minItems: 1, items: {type: string, minLength: 1, maxLength: 2}}, since: {type: string, format: date-time},
		labels: {type: object, additionalProperties: {type: string}}, free: {type: object, x-kubernetes-preserve-unknown-fields: true}, port: {x-kubernetes-int-or-string: true}}`))
	if err != nil {
		t.Fatal(err)
	}
	seven := int64(7)
	for path, want := range map[generate.Path]map[generate.Class][]any{
		"spec.color":   {generate.Valid: {"red", "blue"}, generate.Refused: {"NoSuchValue", seven}},
		"spec.painted": {generate.Valid: {false, true}, generate.Refused: {"maybe"}},
		"spec.size":    {generate.Valid: {int64(2)}, generate.Reported: {int64(9)}, generate.Refused: {int64(0), int64(10), "many"}},
		"spec.tags":    {generate.Valid: {[]any{"a"}}, generate.Refused: {"text", []any{}, []any{""}, []any{"xxx"}, []any{seven}}},
		"spec.since":   {generate.Valid: {"2000-01-01T00:00:00Z"}, generate.Refused: {"soon", seven}},
		"spec.labels":  {generate.Valid: {map[string]any{"a": "b"}}, generate.Refused: {"text", map[string]any{"example": seven}}},
		"spec.free":    {generate.Valid: {map[string]any{}}, generate.Refused: {"text"}},
		"spec.port":    {generate.Valid: {int64(80)}, generate.Refused: {true}},
	} {
		if diff := cmp.Diff(want, valuesOf(kind, path)); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}

func TestParseKindNamesErrorsInTheFile(t *testing.T) {
	const properties = `{size: {type: integer}, parts: {type: array, items: {type: object, properties: {name: {type: string}, weight: {type: integer}}}}, any: {}}`
	const rest = "spec.any: {omitted: a reason}"
	const parts = "spec.parts: {whole: true, valid: [[{name: a, weight: 1}]], reported: [[{name: b, weight: 9}]]}"
	for name, c := range map[string]struct{ file, want string }{
		"a leaf without values":                 {base + "fields: {" + parts + ", " + rest + "}", "spec.size is not in the file; add its values"},
		"a leaf without an invalid value":       {base + "fields: {spec.any: {valid: [1]}, spec.size: {valid: [2], refused: [3]}, " + parts + "}", "spec.any has no value that is refused or reported"},
		"a leaf that no whole value has":        {base + "fields: {spec.size: {valid: [2]}, spec.parts: {whole: true, valid: [[{name: a}]]}, " + rest + "}", "spec.parts[].weight has no valid value"},
		"a path that the schema does not have":  {base + "fields: {spec.sizes: {valid: [2]}}", "fields: Widget has no field spec.sizes"},
		"a path of with":                        {base + "with: {spec.color: {}}", "with: Widget has no field spec.color"},
		"a path below with":                     {base + "with: {spec.size: {spec.color: 1}}", "with.spec.size: Widget has no field spec.color"},
		"an immutable path":                     {base + "immutable: [spec.color]", "immutable: Widget has no field spec.color"},
		"a field with fields":                   {base + "fields: {spec.parts: {valid: [[]]}}", "spec.parts has fields below it; name these, or write whole: true"},
		"a reason beside all values":            {base + "fields: {spec.size: {valid: [1], reported: [2], omitted: a reason}}", "spec.size has valid and invalid values, and a reason"},
		"a value that is null":                  {base + "fields: {spec.size: {valid: [null]}}", "spec.size has the value null"},
		"an unknown field of the file":          {base + "field: {}", `unknown field "field"`},
		"a kind that no definition has":         {"kind: Gadget", `no CustomResourceDefinition has kind "Gadget"`},
		"a version that the definition has not": {"kind: Widget\nversion: v2", `CustomResourceDefinition widgets.example.com has no version "v2"`},
		"a base without a name":                 {"kind: Widget\nbase: {}", "base has no metadata.name"},
		"no YAML":                               {"{", "yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := generate.ParseKind([]byte(c.file), widgets(t, properties)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	kind, err := generate.ParseKind([]byte(base+"fields: {spec.size: {valid: [2], refused: [3]}, "+parts+", "+rest+"}"), widgets(t, properties))
	if err != nil || kind.Omitted["spec.any"] != "a reason" || valuesOf(kind, "spec.parts[].name") != nil && len(valuesOf(kind, "spec.parts[].name")) > 0 {
		t.Errorf("a complete file: %v, %+v", err, kind)
	}
	if _, err := generate.ReadKind("no-such-file.yaml", nil); err == nil {
		t.Error("a file that does not exist was read")
	}
}

// A values file without errors names a field that the schema got later.
func TestParseKindNamesNewFields(t *testing.T) {
	const file = base + "fields: {spec.size: {valid: [2], refused: [3]}, spec.parts: {whole: true, valid: [[{name: a}]], reported: [[{name: b}]]}, " +
		"spec.volumes: {whole: true, valid: [[{name: a}]], reported: [[{}]], omitted: Kubernetes validates them}}"
	for name, c := range map[string]struct {
		spec, part, volume string
		want               []string
	}{
		"none":                      {},
		"a boolean":                 {spec: "painted: {type: boolean}", want: []string{"spec.painted is not in the file"}},
		"an enum":                   {spec: "color: {type: string, enum: [red]}", want: []string{"spec.color is not in the file"}},
		"a number with limits":      {spec: "width: {type: integer, minimum: 1}", want: []string{"spec.width is not in the file"}},
		"a boolean in another one":  {spec: "wheel: {type: object, properties: {used: {type: boolean}}}", want: []string{"spec.wheel.used is not in the file"}},
		"one below a whole field":   {part: "used: {type: boolean}", want: []string{"spec.parts[].used has no valid value; add one", "spec.parts[].used has no value that is refused"}},
		"one below a reason":        {volume: "disk: {type: string}", want: []string{"spec.volumes[].disk has no valid value; add it to a valid value of the enclosing field"}},
		"an object below a reason":  {volume: "disk: {type: object, properties: {id: {type: string}}}", want: []string{"spec.volumes[].disk.id has no valid value"}},
		"an object in a whole list": {part: "disk: {type: object, properties: {id: {type: string}}}", want: []string{"spec.parts[].disk.id has no valid value"}},
	} {
		t.Run(name, func(t *testing.T) {
			list := "{type: array, items: {type: object, properties: {name: {type: string}, %s}}}"
			properties := fmt.Sprintf("{size: {type: integer}, parts: "+list+", volumes: "+list+", %s}", c.part, c.volume, c.spec)
			_, err := generate.ParseKind([]byte(file), widgets(t, properties))
			if (err == nil) != (len(c.want) == 0) {
				t.Fatalf("got %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		})
	}
}

// An invalid value counts only for the leaves that it contains, and only if a story can set it.
func TestParseKindCountsOnlyInvalidValuesThatStoriesSet(t *testing.T) {
	const properties = `{painted: {type: boolean}, parts: {type: array, items: {type: object, properties: {name: {type: string}, weight: {type: integer}}}}}`
	const lacks = " has no value that is refused or reported"
	for name, c := range map[string]struct{ fields, want string }{
		"a derived value of a wrong type": {"spec.painted: {}, spec.parts: {omitted: a reason}", "spec.painted" + lacks},
		"a value of a wrong type":         {"spec.painted: {refused: [7]}, spec.parts: {omitted: a reason}", "spec.painted" + lacks},
		"a value without the leaf": {
			"spec.painted: {omitted: a reason}, spec.parts: {whole: true, valid: [[{name: a, weight: 1}]], refused: [[{name: b}]]}", "spec.parts[].weight" + lacks,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := generate.ParseKind([]byte(base+"fields: {"+c.fields+"}"), widgets(t, properties))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestOmittedAppliesToTheFieldsBelow(t *testing.T) {
	kind, err := generate.ParseKind([]byte(base+"fields: {spec.wheel: {omitted: no wheels}, spec.wheel.size: {valid: [1], reported: [2]}}"),
		widgets(t, "{wheel: {type: object, properties: {size: {type: integer}, color: {type: string}}}}"))
	if err != nil {
		t.Fatal(err)
	}
	if kind.Omitted["spec.wheel.color"] == "" || kind.Omitted["spec.wheel.size"] != "" || len(valuesOf(kind, "spec.wheel.size")) == 0 {
		t.Errorf("omitted: %v", kind.Omitted)
	}
}

func TestSetAndPatchAlsoSetTheFieldsOfWith(t *testing.T) {
	kind, err := generate.ParseKind([]byte(`
kind: Widget
base: {metadata: {name: a}, spec: {color: red, parts: [{name: a, weight: 1}]}}
with:
  spec.paint: {spec.color: null, spec.parts: []}
fields:
  spec.color: {valid: [red], reported: [wet]}
  spec.paint.name: {valid: [blue], reported: [wet]}
  spec.parts[].name: {valid: [b], reported: [wet]}
  spec.parts[].weight: {valid: [2], reported: [0]}
  spec.by{}.a: {valid: [c], reported: [wet]}
`), widgets(t, `{color: {type: string}, paint: {type: object, properties: {name: {type: string}}},
		parts: {type: array, items: {type: object, properties: {name: {type: string}, weight: {type: integer}}}},
		by: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[generate.Path]struct{ patched, object map[string]any }{
		"spec.paint.name": {
			map[string]any{"color": nil, "paint": map[string]any{"name": "x"}, "parts": []any{}},
			map[string]any{"paint": map[string]any{"name": "x"}, "parts": []any{}},
		},
		"spec.parts[].name": {
			map[string]any{"parts": []any{map[string]any{"name": "x"}}},
			map[string]any{"color": "red", "parts": []any{map[string]any{"name": "x", "weight": int64(1)}}},
		},
		"spec.by{}.a": {
			map[string]any{"by": map[string]any{"example": map[string]any{"a": "x"}}},
			map[string]any{"color": "red", "by": map[string]any{"example": map[string]any{"a": "x"}}, "parts": []any{map[string]any{"name": "a", "weight": int64(1)}}},
		},
	} {
		patch, err := kind.Patch(path, "x")
		if diff := cmp.Diff(map[string]any{"spec": want.patched}, patch); err != nil || diff != "" {
			t.Errorf("the patch of %s: %v\n%s", path, err, diff)
		}
		object := kind.Base()
		err = kind.Set(object, path, "x")
		if diff := cmp.Diff(want.object, object["spec"]); err != nil || diff != "" {
			t.Errorf("the object with %s: %v\n%s", path, err, diff)
		}
	}
	object := kind.Base()
	if err := kind.Set(object, "spec.color", nil); err != nil || object["spec"].(map[string]any)["color"] != nil {
		t.Errorf("removing a field: %v, %v", err, object)
	}
	if err := kind.Set(object, "spec.paint", map[string]any{"name": nil}); err != nil || len(object["spec"].(map[string]any)["paint"].(map[string]any)) != 0 {
		t.Errorf("the null of a value is in the object: %v, %v", err, object)
	}
	if patch, err := kind.Patch("spec.paint.name", nil); err != nil || !cmp.Equal(patch, map[string]any{"spec": map[string]any{"paint": map[string]any{"name": nil}}}) {
		t.Errorf("a removal sets other fields: %v, %v", patch, err)
	}
	if err := kind.Set(map[string]any{"spec": "text"}, "spec.color", "x"); err == nil || !strings.Contains(err.Error(), "setting spec.color: an enclosing value is not an object") {
		t.Errorf("a string instead of an object: %v", err)
	}
	if diff := cmp.Diff(kind.Base()["kind"], "Widget"); diff != "" || kind.Name() != "a" || kind.Namespace() != "" {
		t.Errorf("the base object is %v", kind.Base())
	}
}

func FuzzParseKind(f *testing.F) {
	f.Add(base + "fields: {spec.size: {valid: [2]}, spec.parts: {whole: true, valid: [[{name: a}]]}}")
	f.Add(base + "with: {spec.parts: {spec.size: null}}\nimmutable: [spec.size]\nfields: {spec.size: {omitted: a}, 'spec.parts[].name': {refused: [1]}}")
	f.Add("kind: Widget\nbase: {metadata: {name: {}}}\nfields: {spec: {whole: true, valid: [1, {parts: {}}]}}")
	f.Fuzz(func(t *testing.T, file string) {
		kind, err := generate.ParseKind([]byte(file), widgets(t, "{size: {type: integer}, parts: {type: array, items: {type: object, properties: {name: {type: string}}}}}"))
		if err != nil {
			return
		}
		for _, field := range kind.Fields {
			for _, value := range field.Values {
				_ = kind.Set(kind.Base(), field.Path, value.Value) // must not panic
				if patch, err := kind.Patch(field.Path, value.Value); err == nil {
					_ = runtime.DeepCopyJSON(patch)
				}
			}
		}
		if !slices.IsSorted(kind.Leaves) {
			t.Errorf("the leaves are not sorted: %v", kind.Leaves)
		}
	})
}
