package crdsafety_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/crdsafety"
)

func parse(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	var o unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	return &o
}

// definition returns a CustomResourceDefinition with these versions and this status, as YAML in one line.
func definition(tb testing.TB, versions, rest string) *unstructured.Unstructured {
	tb.Helper()
	if rest == "" {
		rest = "scope: Namespaced"
	}
	return parse(tb, fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: notes.example.com},
  spec: {group: example.com, names: {kind: Note, plural: notes}, %s, versions: [%s]}}`, rest, versions))
}

// version returns a served version with these properties of spec.
func version(name, spec string) string {
	return fmt.Sprintf("{name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, %s}}}}}", name, name == "v1", spec)
}

func field(schema string) string { return version("v1", "properties: {a: {"+schema+"}}") }

func textOf(findings []crdsafety.Finding) []string {
	var texts []string
	for _, each := range findings {
		text := fmt.Sprintf("%s at %s: %s", each.Rule, each.Path, each.Message)
		if !each.Blocks() {
			text += " (waived: " + each.Waiver + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestENG_P3_UnsafeChangesAreFound(t *testing.T) {
	for sentence, test := range map[string]struct {
		old, updated         string
		oldRest, updatedRest string
		want                 []string
	}{
		"the same definition is safe": {old: field("type: string"), updated: field("type: string")},
		"a changed scope": {old: field("type: string"), updated: field("type: string"), updatedRest: "scope: Cluster",
			want: []string{`scope at spec.scope: scope changed: "Namespaced" -> "Cluster"`}},
		"a removed version in which no object is stored is safe": {old: version("v1beta1", "") + ", " + version("v1", ""), updated: version("v1", "")},
		"without a status, the storage version counts as stored": {old: version("v1", ""), updated: strings.ReplaceAll(version("v2", ""), "false", "true"),
			want: []string{"storedVersionRemoval at status.storedVersions: stored versions removed: [v1]"}},
		"a removed field with fields below it": {old: field("type: object, properties: {b: {type: string}, c: {type: string}}"), updated: version("v1", ""),
			want: []string{"existingFieldRemoval at v1: .spec.a: field removed: the API server drops its values"}},
		"a field removed from the items of a list": {old: field("type: array, items: {type: object, properties: {b: {type: string}}}"), updated: field("type: array, items: {type: object}"),
			want: []string{"existingFieldRemoval at v1: .spec.a[*].b: field removed: the API server drops its values"}},
		"a field with a name that is no identifier": {old: version("v1", "properties: {a-b: {type: string}}"), updated: version("v1", ""),
			want: []string{"existingFieldRemoval at v1: .spec['a-b']: field removed: the API server drops its values"}},
		"an added field is safe":                          {old: version("v1", ""), updated: field("type: string")},
		"a field added to the values of a map is safe":    {old: field("type: object, additionalProperties: {type: object}"), updated: field("type: object, additionalProperties: {type: object, properties: {b: {type: string}}}")},
		"an added version with the same fields is safe":   {old: field("type: string"), updated: field("type: string") + ", " + version("v2", "properties: {a: {type: string}}")},
		"other documentation is safe":                     {old: field("type: string, description: a, title: b, example: c"), updated: field("type: string, description: d, externalDocs: {url: e}")},
		"other documentation below allOf and map is safe": {old: field("type: object, additionalProperties: {type: string, description: a}, allOf: [{description: b}]"), updated: field("type: object, additionalProperties: {type: string}, allOf: [{}]")},
		"a field that is named description is a field":    {old: version("v1", "properties: {description: {type: string}}"), updated: version("v1", ""), want: []string{"existingFieldRemoval at v1: .spec.description: field removed: the API server drops its values"}},
		"a narrowed enum":                                 {old: field("type: string, enum: [x, z]"), updated: field("type: string, enum: [z]"), want: []string{`enum at v1: .spec.a: allowed enum values removed: ["x"]`}},
		"an added enum":                                   {old: field("type: string"), updated: field("type: string, enum: [z]"), want: []string{`enum at v1: .spec.a: enum constraint added when there was none previously: ["z"]`}},
		"a wider enum is safe":                            {old: field("type: string, enum: [x]"), updated: field("type: string, enum: [z, x]")},
		"required fields": {old: version("v1", "required: [c], properties: {a: {type: string}}"), updated: version("v1", "required: [d, c, b, a], properties: {a: {type: string}}"),
			want: []string{"required at v1: .spec: new required fields: a, b, d"}},
		"a field that is no longer required is safe": {old: version("v1", "required: [a]"), updated: version("v1", "")},
		"another type":                    {old: field("type: string"), updated: field("type: integer"), want: []string{`type at v1: .spec.a: type changed: "string" -> "integer"`}},
		"another default":                 {old: field("type: string, default: x"), updated: field("type: string, default: z"), want: []string{`default at v1: .spec.a: default value changed: "\"x\"" -> "\"z\""`}},
		"a default in another layout":     {old: field("type: object, default: {b: 1, a: 2}"), updated: field("type: object, default: {a: 2.0, b: 1}")},
		"a removed default":               {old: field("type: string, default: x"), updated: field("type: string"), want: []string{`default at v1: .spec.a: default value removed: "\"x\""`}},
		"another pattern":                 {old: field("type: string, pattern: a"), updated: field("type: string, pattern: b"), want: []string{`pattern at v1: .spec.a: pattern changed: "a" -> "b"`}},
		"a removed pattern is safe":       {old: field("type: string, pattern: a"), updated: field("type: string")},
		"a value that can become null":    {old: field("type: string"), updated: field("type: string, nullable: true")},
		"a value that cannot be null now": {old: field("type: string, nullable: true"), updated: field("type: string"), want: []string{"nullable at v1: .spec.a: nullable removed: true -> false"}},
		"a lower maximum":                 {old: field("type: integer, maximum: 5"), updated: field("type: integer, maximum: 4"), want: []string{"maximum at v1: .spec.a: maximum decreased: 5 -> 4"}},
		"a higher maximum is safe":        {old: field("type: integer, maximum: 5"), updated: field("type: integer, maximum: 6")},
		"tightened bounds": {old: field("type: string, maxLength: 5, minLength: 1"), updated: field("type: string, maxLength: 4, minLength: 2"),
			want: []string{"maxLength at v1: .spec.a: maximum decreased: 5 -> 4", "minLength at v1: .spec.a: minimum increased: 1 -> 2"}},
		"tightened bounds of a list": {old: field("type: array, items: {type: string}"), updated: field("type: array, items: {type: string}, maxItems: 3, minItems: 1"),
			want: []string{"maxItems at v1: .spec.a: maximum constraint added when there was none previously: 3", "minItems at v1: .spec.a: minimum constraint added when there was none previously: 1"}},
		"tightened bounds of a map and a number": {old: field("type: object"), updated: field("type: object, maxProperties: 3, minProperties: 1, minimum: 0"),
			want: []string{"maxProperties at v1: .spec.a: maximum constraint added when there was none previously: 3", "minProperties at v1: .spec.a: minimum constraint added when there was none previously: 1",
				"minimum at v1: .spec.a: minimum constraint added when there was none previously: 0"}},
		"a change without a rule": {old: field("type: string, format: date, multipleOf: 2"), updated: field("type: string, format: date-time, anyOf: [{pattern: a}]"),
			want: []string{`unhandled at v1: .spec.a: no rule covers the change of anyOf (added): [{"pattern":"a"}]; format (changed): "date" -> "date-time"; multipleOf (removed): 2`}},
		"values of a map that were not restricted": {old: field("type: object, x-kubernetes-preserve-unknown-fields: true"), updated: field("type: object, x-kubernetes-preserve-unknown-fields: true, additionalProperties: {type: string}"),
			want: []string{`unhandled at v1: .spec.a: no rule covers the change of additionalProperties (added): {}`}},
		"an added validation rule": {old: field("type: string, x-kubernetes-validations: [{rule: a}]"), updated: field("type: string, x-kubernetes-validations: [{rule: b}, {rule: a}]"),
			want: []string{`unhandled at v1: .spec.a: no rule covers the change of x-kubernetes-validations (added): [{"rule":"b"}]`}},
		"validation rules that are removed or have another message are safe": {old: field("type: string, x-kubernetes-validations: [{rule: a}, {rule: b, message: m}]"), updated: field("type: string, x-kubernetes-validations: [{rule: b, message: other}]")},
		"a list that becomes a set": {old: field("type: array, x-kubernetes-list-type: atomic"), updated: field("type: array, x-kubernetes-list-type: set"),
			want: []string{`unhandled at v1: .spec.a: no rule covers the change of x-kubernetes-list-type (added): "set"`}},
		"a list that is no longer a map of its items is safe": {old: field("type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b]"), updated: field("type: array, x-kubernetes-list-type: atomic")},
		"a list whose items have another key": {old: field("type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b]"), updated: field("type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [c]"),
			want: []string{`unhandled at v1: .spec.a: no rule covers the change of x-kubernetes-list-map-keys (changed): ["b"] -> ["c"]`}},
		"a map that becomes atomic is safe":         {old: field("type: object"), updated: field("type: object, x-kubernetes-map-type: atomic")},
		"unknown fields that become valid are safe": {old: field("type: object"), updated: field("type: object, x-kubernetes-preserve-unknown-fields: true")},
		"pruning of objects that were not pruned": {old: version("v1", ""), oldRest: "scope: Namespaced, preserveUnknownFields: true", updated: version("v1", ""),
			want: []string{"unhandled at v1: .: no rule covers the change of x-kubernetes-preserve-unknown-fields (removed): true"}},
		"a schema for a version without one": {old: "{name: v1, served: true, storage: true}", updated: version("v1", ""),
			want: []string{"unhandled at v1: .: no rule covers the change of x-kubernetes-preserve-unknown-fields (removed): true"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			change := crdsafety.Change{Old: definition(t, test.old, test.oldRest), New: definition(t, test.updated, test.updatedRest)}
			report, err := crdsafety.Check([]crdsafety.Change{change})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, textOf(report.Findings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if report.Total != len(test.want) || report.Blocks() != (len(test.want) > 0) {
				t.Errorf("%d findings in total, blocks: %t", report.Total, report.Blocks())
			}
		})
	}
}

func TestENG_P3_VersionsInWhichObjectsMayBeStoredStay(t *testing.T) {
	old, updated := definition(t, version("v1beta1", "")+", "+version("v1", ""), ""), definition(t, version("v1", ""), "")
	if err := unstructured.SetNestedStringSlice(old.Object, []string{"v1beta1", "v1"}, "status", "storedVersions"); err != nil {
		t.Fatal(err)
	}
	report, err := crdsafety.Check([]crdsafety.Change{{Old: old, New: updated}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"storedVersionRemoval at status.storedVersions: stored versions removed: [v1beta1]"}
	if diff := cmp.Diff(want, textOf(report.Findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestENG_P3_ServedVersionsAreComparedWithoutAWebhook(t *testing.T) {
	const none, webhook = "scope: Namespaced, conversion: {strategy: None}", "scope: Namespaced, conversion: {strategy: Webhook}"
	one := field("type: string")
	both := one + ", " + version("v2", "properties: {a: {type: integer}}")
	const found = `type at v1 -> v2: .spec.a: type changed: "string" -> "integer"`
	for sentence, test := range map[string]struct {
		old, updated         string
		oldRest, updatedRest string
		want                 []string
	}{
		"an added version that differs":                      {one, both, none, none, []string{found}},
		"an added version that a webhook converts":           {one, both, none, webhook, nil},
		"versions that differed before":                      {both, both + ", " + version("v3", "properties: {a: {type: integer}}"), none, none, []string{`type at v1 -> v3: .spec.a: type changed: "string" -> "integer"`}},
		"versions that lose their webhook":                   {both, both, webhook, none, []string{found}},
		"versions that get a webhook":                        {both, both, none, webhook, nil},
		"a version that was not served":                      {one + ", " + strings.Replace(version("v2", "properties: {a: {type: integer}}"), "served: true", "served: false", 1), both, none, none, []string{found}},
		"a field that the later version does not have":       {one, one + ", " + version("v2", ""), none, none, []string{"existingFieldRemoval at v1 -> v2: .spec.a: field removed: the API server drops its values"}},
		"a field that the later version did not have before": {one + ", " + version("v2", ""), one + ", " + version("v2", "properties: {b: {type: string}}"), none, none, nil},
	} {
		change := crdsafety.Change{Old: definition(t, test.old, test.oldRest), New: definition(t, test.updated, test.updatedRest)}
		report, err := crdsafety.Check([]crdsafety.Change{change})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, textOf(report.Findings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

func TestENG_P3_WaiversPermitFindings(t *testing.T) {
	old := definition(t, version("v1", "properties: {a: {type: string}, b: {type: string, maxLength: 5}, c: {type: string}}"), "scope: Cluster")
	updated := definition(t, version("v1", "properties: {a: {type: integer}, b: {type: string, maxLength: 4}, c: {type: integer}}"), "")
	waiver := func(rule, crd string) corev1alpha2.CRDWaiver {
		return corev1alpha2.CRDWaiver{Rule: rule, CRD: crd, Reason: "no object has it"}
	}
	waivers := []corev1alpha2.CRDWaiver{
		waiver("type", "notes.example.com"), waiver("type", "memos.example.com"), waiver("enum", "notes.example.com"), waiver("scope", "notes.example.com"),
		{Rule: "maxLength", CRD: "notes.example.com"},
	}
	report, err := crdsafety.Check([]crdsafety.Change{{Old: old, New: updated}})
	if err != nil {
		t.Fatal(err)
	}
	unused := report.Waive(waivers)
	want := []string{
		"maxLength at v1: .spec.b: maximum decreased: 5 -> 4",
		`scope at spec.scope: scope changed: "Cluster" -> "Namespaced"`,
		`type at v1: .spec.a: type changed: "string" -> "integer" (waived: no object has it)`,
		`type at v1: .spec.c: type changed: "string" -> "integer" (waived: no object has it)`,
	}
	if diff := cmp.Diff(want, textOf(report.Findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(waivers[1:], unused); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
	if !report.Blocks() {
		t.Error("findings without a waiver do not block")
	}
	updated.Object["spec"].(map[string]any)["scope"] = "Cluster"
	report, err = crdsafety.Check([]crdsafety.Change{{Old: old, New: updated}})
	if err != nil {
		t.Fatal(err)
	}
	unused = report.Waive([]corev1alpha2.CRDWaiver{waiver("type", "notes.example.com"), waiver("maxLength", "notes.example.com")})
	if report.Blocks() || len(report.Findings) != 3 || unused != nil {
		t.Errorf("with a waiver for each rule: %+v, unused: %v", report, unused)
	}
}

func TestENG_P4_WaiversPermitStoredObjects(t *testing.T) {
	stored := crdsafety.Finding{CRD: "notes.example.com", Rule: crdsafety.RuleStoredObjects, Path: "ns/n: spec.a", Message: "Required value"}
	other := crdsafety.Finding{CRD: "notes.example.com", Rule: "enum", Path: "v1: .spec.a", Message: "b"}
	waivers := []corev1alpha2.CRDWaiver{{CRD: "notes.example.com", Rule: "storedObjects", Reason: "it is corrected after the upgrade"}}
	for sentence, test := range map[string]struct {
		findings       []crdsafety.Finding
		blocks, unused bool
	}{
		"an object":                    {findings: []crdsafety.Finding{stored}},
		"no object":                    {unused: true},
		"objects that are not checked": {findings: []crdsafety.Finding{other}, blocks: true},
		"an object, and a change without a waiver": {findings: []crdsafety.Finding{stored, other}, blocks: true},
	} {
		report := &crdsafety.Report{}
		report.Add(test.findings...)
		if unused := report.Waive(waivers); report.Blocks() != test.blocks || (unused != nil) != test.unused || report.Total != len(test.findings) {
			t.Errorf("%s: %+v, unused: %v", sentence, report, unused)
		}
		if len(report.Findings) > 0 && report.Findings[0].Blocks() != test.blocks {
			t.Errorf("%s: %+v", sentence, report.Findings)
		}
	}
}

func TestENG_P3_TheCheckIsEnforcedUnlessItIsTurnedOff(t *testing.T) {
	for sentence, test := range map[string]struct {
		preflight *corev1alpha2.Preflight
		want      bool
	}{
		"no preflight":                         {nil, true},
		"an empty preflight":                   {&corev1alpha2.Preflight{}, true},
		"enforcement Strict":                   {&corev1alpha2.Preflight{CRDUpgradeSafety: &corev1alpha2.CRDUpgradeSafety{Enforcement: corev1alpha2.CRDEnforcementStrict}}, true},
		"enforcement None, as in OLM v1":       {&corev1alpha2.Preflight{CRDUpgradeSafety: &corev1alpha2.CRDUpgradeSafety{Enforcement: corev1alpha2.CRDEnforcementNone}}, false},
		"disabled, as in manifests for rukpak": {&corev1alpha2.Preflight{CRDUpgradeSafety: &corev1alpha2.CRDUpgradeSafety{Disabled: true}}, false},
	} {
		if got := test.preflight.CRDSafety().IsEnforced(); got != test.want {
			t.Errorf("%s: enforced: %t", sentence, got)
		}
	}
}

func TestENG_P5_ANewCustomResourceDefinitionIsSafe(t *testing.T) {
	report, err := crdsafety.Check([]crdsafety.Change{{New: definition(t, field("type: string"), "")}})
	if err != nil || len(report.Findings) > 0 || report.Blocks() {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestENG_P3_UnreadableDefinitionsAreErrors(t *testing.T) {
	good := definition(t, field("type: string"), "")
	other := definition(t, version("v1", ""), "")
	for want, updated := range map[string]string{
		`reading the new CustomResourceDefinition "notes.example.com": it has kind "CustomResourceDefinition" and apiVersion "apiextensions.k8s.io/v1beta1"; convert it to a CustomResourceDefinition of apiextensions.k8s.io/v1`:        "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: notes.example.com}, spec: {versions: []}}",
		`reading the new CustomResourceDefinition "notes.example.com": spec.versions is empty; add a version that is served and stored`:                                                                                                  "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: notes.example.com}}",
		`reading the new CustomResourceDefinition "notes.example.com": version "v1" has no schema; add schema.openAPIV3Schema to it`:                                                                                                     "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: notes.example.com}, spec: {versions: [{name: v1}]}}",
		`reading the new CustomResourceDefinition "notes.example.com": json: cannot unmarshal string into Go struct field CustomResourceDefinitionSpec.spec.versions of type []v1.CustomResourceDefinitionVersion; correct the manifest`: "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: notes.example.com}, spec: {versions: a}}",
	} {
		changes := []crdsafety.Change{{Old: good, New: parse(t, updated)}, {Old: good, New: other}}
		report, err := crdsafety.Check(changes)
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		if len(report.Findings) != 1 {
			t.Errorf("the other definition has %d findings", len(report.Findings))
		}
	}
}
