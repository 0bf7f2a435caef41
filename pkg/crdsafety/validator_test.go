package crdsafety_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/crdsafety"
)

// note returns a custom resource with this spec, as YAML in one line.
func note(tb testing.TB, version, spec string) *unstructured.Unstructured {
	tb.Helper()
	return parse(tb, fmt.Sprintf("{apiVersion: example.com/%s, kind: Note, metadata: {namespace: ns, name: n, labels: {a: b}}, spec: {%s}}", version, spec))
}

// validate validates an object with the Validator of a change, if there is one. It only finds panics and texts that are too long.
func validate(t *testing.T, change crdsafety.Change) {
	t.Helper()
	if affects, err := change.AffectsObjects(); err != nil || !affects {
		return
	}
	validator, err := crdsafety.NewValidator(change)
	if err != nil {
		return
	}
	resource := validator.Resource()
	object := parse(t, `{kind: Note, metadata: {name: n}, spec: {a: [1, {b: null}, "c"], replicas: -1, size: {x: y}, "": null}, status: text}`)
	object.SetAPIVersion(resource.GroupVersion().String())
	for _, each := range validator.Validate(t.Context(), object) {
		if each.Field == "" || len(each.Field) > 256 || each.Message == "" || len(each.Message) > 512 {
			t.Errorf("%+v", each)
		}
	}
}

func TestENG_P4_ViolationsOfTheNewSchema(t *testing.T) {
	const secret = "hunter2"
	for sentence, test := range map[string]struct {
		old, updated, spec string
		want               []crdsafety.Violation
	}{
		"a valid object":              {field("type: string"), field("type: string, maxLength: 9"), "a: short", nil},
		"an object without the field": {field("type: string"), field("type: string, maxLength: 1"), "", nil},
		"another type": {field("type: string"), field("type: integer"), "a: " + secret,
			[]crdsafety.Violation{{Field: "spec.a", Message: `Invalid value: spec.a in body must be of type integer`}}},
		"a format, whose value is not repeated": {field("type: string"), field("type: string, format: date-time"), "a: " + secret,
			[]crdsafety.Violation{{Field: "spec.a", Message: "Invalid value: spec.a in body must be of type date-time"}}},
		"a pattern": {field("type: string"), field("type: string, pattern: ^x"), "a: " + secret,
			[]crdsafety.Violation{{Field: "spec.a", Message: "Invalid value: spec.a in body should match '^x'"}}},
		"an enum": {field("type: string"), field("type: string, enum: [a, b]"), "a: " + secret,
			[]crdsafety.Violation{{Field: "spec.a", Message: `Unsupported value: supported values: "a", "b"`}}},
		"bounds": {field("type: string, maxLength: 100"), field("type: string, maxLength: 3"), "a: " + secret,
			[]crdsafety.Violation{{Field: "spec.a", Message: "Too long: may not be more than 3 bytes"}}},
		"a required field": {version("v1", "properties: {a: {type: string}}"), version("v1", "required: [a], properties: {a: {type: string}}"), "",
			[]crdsafety.Violation{{Field: "spec.a", Message: "Required value"}}},
		"a required field with a default": {version("v1", ""), version("v1", "required: [a], properties: {a: {type: string, default: x}}"), "", nil},
		"a set with duplicates": {field("type: array, items: {type: string}"), field("type: array, items: {type: string}, x-kubernetes-list-type: set"), "a: [x, x]",
			[]crdsafety.Violation{{Field: "spec.a[1]", Message: "Duplicate value"}}},
		"a removed field is dropped, and not invalid": {field("type: string"), version("v1", ""), "a: x", nil},
		"a validation rule": {field("type: integer"), field("type: integer, x-kubernetes-validations: [{rule: self > 3, message: must be large}]"), "a: 1",
			[]crdsafety.Violation{{Field: "spec.a", Message: "Invalid value: failed rule: self > 3"}}},
		"a validation rule about a change":                    {field("type: integer"), field("type: integer, x-kubernetes-validations: [{rule: self > oldSelf}]"), "a: 1", nil},
		"an object that was invalid before in the same field": {field("type: integer, maximum: 5"), field("type: integer, maximum: 3"), "a: 9", nil},
		"an object that was invalid before in another field": {version("v1", "properties: {a: {type: integer, maximum: 5}, b: {type: integer}}"), version("v1", "properties: {a: {type: integer, maximum: 5}, b: {type: integer, maximum: 5}}"), "a: 9, b: 9",
			[]crdsafety.Violation{{Field: "spec.b", Message: "Invalid value: spec.b in body should be less than or equal to 5"}}},
	} {
		t.Run(sentence, func(t *testing.T) {
			change := crdsafety.Change{Old: definition(t, test.old, ""), New: definition(t, test.updated, "")}
			validator, err := crdsafety.NewValidator(change)
			if err != nil {
				t.Fatal(err)
			}
			object := note(t, "v1", test.spec)
			before := object.DeepCopy()
			got := validator.Validate(t.Context(), object)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(fmt.Sprint(got), secret) {
				t.Error("the value of the field is in the message")
			}
			if diff := cmp.Diff(before, object); diff != "" {
				t.Errorf("the object has changed: %s", diff)
			}
		})
	}
}

func TestENG_P4_ObjectsAreValidatedInTheirVersionAndAsTheyWillBeStored(t *testing.T) {
	beta := strings.Replace(version("v1beta1", "properties: {a: {type: integer}}"), "storage: false", "storage: true", 1)
	stricter := version("v1", "properties: {a: {type: integer, maximum: 5}}")
	later := beta[:strings.Index(beta, "storage: true")] + "storage: false" + beta[strings.Index(beta, "storage: true")+len("storage: true"):] + ", " + stricter
	const webhook = "scope: Namespaced, conversion: {strategy: Webhook}"
	for sentence, test := range map[string]struct {
		old, updated, rest string
		want               int
	}{
		"another storage version, without a webhook":              {beta, later, "", 1},
		"another storage version, which a webhook converts to":    {beta, later, webhook, 0},
		"the version of the object is removed":                    {beta, stricter, "", 1},
		"the version of the object is removed, and has a webhook": {beta, stricter, webhook, 0},
		"versions that differ as before":                          {later, later + ", " + version("v2", ""), "", 0},
	} {
		change := crdsafety.Change{Old: definition(t, test.old, ""), New: definition(t, test.updated, test.rest)}
		if affects, err := change.AffectsObjects(); err != nil || affects != (test.want > 0) {
			t.Errorf("%s: affects objects: %t, %v", sentence, affects, err)
		}
		validator, err := crdsafety.NewValidator(change)
		if err != nil {
			t.Fatal(err)
		}
		if got := validator.Validate(t.Context(), note(t, "v1beta1", "a: 9")); len(got) != test.want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}

func TestENG_P4_ObjectsAreListedInAVersionThatIsServed(t *testing.T) {
	one, stored := version("v1beta1", ""), version("v1", "")
	notServed := strings.Replace(stored, "served: true", "served: false", 1)
	for sentence, test := range map[string]struct{ old, updated, want string }{
		"the storage version":                       {one + ", " + stored, one + ", " + stored, "v1"},
		"the storage version is not served":         {one + ", " + notServed, one + ", " + notServed, "v1beta1"},
		"a version that stays is preferred":         {one + ", " + stored, one, "v1beta1"},
		"a version that goes, if there is no other": {stored, one, "v1"},
	} {
		validator, err := crdsafety.NewValidator(crdsafety.Change{Old: definition(t, test.old, ""), New: definition(t, test.updated, "")})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := validator.Resource(), (schema.GroupVersionResource{Group: "example.com", Version: test.want, Resource: "notes"}); got != want {
			t.Errorf("%s: %s", sentence, got)
		}
	}
}

func TestENG_P4_ChangesThatAffectNoObject(t *testing.T) {
	old := definition(t, field("type: string, description: a"), "")
	for sentence, test := range map[string]struct {
		change crdsafety.Change
		want   bool
	}{
		"a new definition":     {crdsafety.Change{New: old}, false},
		"the same definition":  {crdsafety.Change{Old: old, New: old}, false},
		"other documentation":  {crdsafety.Change{Old: old, New: definition(t, field("type: string, description: b"), "")}, false},
		"an added field":       {crdsafety.Change{Old: old, New: definition(t, version("v1", "properties: {a: {type: string}, b: {type: string}}"), "")}, true},
		"an unreadable schema": {crdsafety.Change{Old: old, New: definition(t, "{name: v1}", "")}, false},
	} {
		if got, err := test.change.AffectsObjects(); got != test.want || (err != nil) != (sentence == "an unreadable schema") {
			t.Errorf("%s: %t, %v", sentence, got, err)
		}
	}
}

func TestENG_P4_SchemasThatCannotBeCompiled(t *testing.T) {
	odd := version("v1", "properties: {a: {type: array}}")
	good := field("type: array, items: {type: string}")
	_, err := crdsafety.NewValidator(crdsafety.Change{Old: definition(t, good, ""), New: definition(t, odd, "")})
	const want = `compiling the schema of version "v1" of the new CustomResourceDefinition "notes.example.com": `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
	validator, err := crdsafety.NewValidator(crdsafety.Change{Old: definition(t, odd, ""), New: definition(t, good, "")})
	if err != nil {
		t.Fatal(err)
	}
	if got := validator.Validate(t.Context(), note(t, "v1", "a: [1]")); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
