package crdsafety_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/crdsafety"
)

// large returns a definition of about 1 MiB: versions with many fields, all of the given type.
func large(tb testing.TB, fieldType string) *unstructured.Unstructured {
	tb.Helper()
	var fields strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&fields, "f%d: {type: %s, format: of-%s, description: %q, enum: [a]}, ", i, fieldType, fieldType, strings.Repeat("x", 40))
	}
	return definition(tb, version("v1", "properties: {"+fields.String()+"}")+", "+version("v2", "properties: {"+fields.String()+"}"), "")
}

func TestENG_P3_FindingsAreBounded(t *testing.T) {
	change := crdsafety.Change{Old: large(t, "string"), New: large(t, "integer")}
	report, err := crdsafety.Check([]crdsafety.Change{change, {Old: large(t, "string"), New: large(t, "string")}})
	if err != nil {
		t.Fatal(err)
	}
	const rules, versions, fields = 2, 2, 3000
	if len(report.Findings) != rules*20 || report.Total != rules*versions*fields {
		t.Errorf("%d of %d findings", len(report.Findings), report.Total)
	}
}

func TestENG_P3_TextsAreBounded(t *testing.T) {
	name, long := strings.Repeat("ü", 400), strings.Repeat("ü", 3000)
	old := definition(t, version("v1", "properties: {"+name+": {type: string}, b: {type: string, pattern: "+long+"}}"), "")
	updated := definition(t, version("v1", "properties: {b: {type: string, pattern: z"+long+"}}"), "")
	report, err := crdsafety.Check([]crdsafety.Change{{Old: old, New: updated}})
	if err != nil || len(report.Findings) != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	checkTexts(t, report)
}

func TestENG_P3_ManyServedVersionsAreNotCompared(t *testing.T) {
	var versions []string
	for i := range 17 {
		versions = append(versions, version(fmt.Sprintf("v%d", i+1), ""))
	}
	old := definition(t, versions[0], "")
	report, err := crdsafety.Check([]crdsafety.Change{{Old: old, New: definition(t, strings.Join(versions, ", "), "")}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"unhandled at spec.versions: 17 versions are served; the manager compares at most 16 with one another"}
	if diff := cmp.Diff(want, textOf(report.Findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkTexts fails if a finding does not fit into status.plan.crdFindings.
func checkTexts(t *testing.T, report *crdsafety.Report) {
	t.Helper()
	for _, each := range report.Findings {
		if each.Rule == "" || len(each.Rule) > 64 || each.Path == "" || len(each.Path) > 512 || each.Message == "" || len(each.Message) > 1024 {
			t.Errorf("%d, %d and %d bytes in %+v", len(each.Rule), len(each.Path), len(each.Message), each)
		}
	}
}

// The input of the fuzz target are two values of spec as JSON. Check must not panic, and the result depends on the input only.
func FuzzENG_P3_Check(f *testing.F) {
	f.Add([]byte(`{"scope":"Cluster","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["b"]}}}}}}]}`),
		[]byte(`{"versions":[{"name":"v1","served":true,"schema":{"openAPIV3Schema":{"required":["c","b"],"properties":{"a":{"items":{"default":{},"x-kubernetes-validations":[{"rule":"self"}]}}}}}},{"name":"v2","served":true,"schema":{"openAPIV3Schema":{}}}]}`))
	f.Add([]byte(`{"preserveUnknownFields":true,"versions":[{"name":"v1"}]}`), []byte(`{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"additionalProperties":{"not":{"items":[{}]}},"dependencies":{"a":["b"]},"definitions":{"a":{}}}}}]}`))
	f.Add([]byte(`{"versions":[{"name":"v1","schema":{"openAPIV3Schema":null}}]}`), []byte(`{"versions":[null,{"schema":{"openAPIV3Schema":{"properties":null}}}],"conversion":null}`))
	f.Fuzz(func(t *testing.T, old, updated []byte) {
		const format = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a.b"},"status":{"storedVersions":["v1"]},"spec":%s}`
		var before, after unstructured.Unstructured
		if before.UnmarshalJSON(fmt.Appendf(nil, format, old)) != nil || after.UnmarshalJSON(fmt.Appendf(nil, format, updated)) != nil {
			return
		}
		changes := []crdsafety.Change{{Old: &before, New: &after}}
		report, err := crdsafety.Check(changes)
		checkTexts(t, report)
		again, errAgain := crdsafety.Check(changes)
		if diff := cmp.Diff(report, again); diff != "" || (err == nil) != (errAgain == nil) {
			t.Errorf("two results: %s; %v; %v", diff, err, errAgain)
		}
		validate(t, changes[0])
	})
}

func BenchmarkCheck(b *testing.B) {
	changes := []crdsafety.Change{{Old: large(b, "string"), New: large(b, "integer")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := crdsafety.Check(changes); err != nil {
			b.Fatal(err)
		}
	}
}
