package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rulesV1 = "io.openshift.operators.upgrades.v1alpha1"

// rulesOf reads a stream that has package demo, and returns only that package.
func rulesOf(t *testing.T, stream string) Package {
	t.Helper()
	packages, err := Read(strings.NewReader(stream), only("demo"))
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 1 {
		t.Fatalf("%d packages", len(packages))
	}
	return packages[0]
}

func TestUpgradeRulesAreReadFromBlobsAndProperties(t *testing.T) {
	want := UpgradeRules{
		Schema: rulesV1, Location: "blob " + rulesV1,
		Raw: `{"package":"demo","schema":"` + rulesV1 + `","steps":[{"from":">=1.0.0 <2.0.0","through":"1.9.x"}]}`,
	}
	onBundle := want
	onBundle.Location = `property ` + rulesV1 + ` of bundle "b"`
	onAnother := want
	onAnother.Location = `property ` + rulesV1 + ` of bundle "a"`

	const blob = `{"schema":"` + rulesV1 + `","package":"demo","steps":[{"from":">=1.0.0 <2.0.0","through":"1.9.x"}]}` + "\n"
	property := func(bundle, value string) string {
		return `{"schema":"olm.bundle","package":"demo","name":"` + bundle + `","properties":[{"type":"` + rulesV1 + `","value":` + value + `}]}` + "\n"
	}
	const steps = `"steps":[{"through":"1.9.x","from":"\u003e=1.0.0 \u003c2.0.0"}]`
	for name, test := range map[string]struct {
		stream string
		want   UpgradeRules
	}{
		"as a blob":                           {blob, want},
		"as YAML":                             {"schema: " + rulesV1 + "\npackage: demo\nsteps:\n- from: \">=1.0.0 <2.0.0\"\n  through: 1.9.x\n", want},
		"as a blob with keys in another case": {strings.Replace(blob, `"package"`, `"Package"`, 1), want},
		"as a property":                       {property("b", `{`+steps+`}`), onBundle},
		"as a property that names its package and schema": {property("b", `{"schema":"`+rulesV1+`","package":"demo",`+steps+`}`), onBundle},
		"as a blob and as a property":                     {blob + property("b", `{`+steps+`}`), want},
		"as a blob that occurs twice":                     {blob + blob, want},
		"as a property of two bundles":                    {property("b", `{`+steps+`}`) + property("a", `{`+steps+`}`), onAnother},
		"on a bundle that is left out for another property": {
			strings.Replace(property("b", `{`+steps+`}`), `"properties":[`, `"properties":[{"type":"olm.gvk","value":1},`, 1), onBundle},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]UpgradeRules{test.want}, rulesOf(t, test.stream).UpgradeRules); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUpgradeRulesOfUnknownSchemasAreRetained(t *testing.T) {
	later := "io.openshift.operators.upgrades.v2"
	p := rulesOf(t, `{"schema":"`+later+`","package":"demo","x":1}
{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"`+rulesV1+`","value":{"package":"other"}}]}
{"schema":"`+rulesV1+`","package":"other"}
{"schema":"`+rulesV1+`"}
{"schema":"io.openshift.operators.upgrade","package":"demo"}
`)
	want := []UpgradeRules{
		{Schema: rulesV1, Location: `property ` + rulesV1 + ` of bundle "b"`, Raw: `{"package":"other","schema":"` + rulesV1 + `"}`},
		{Schema: later, Location: "blob " + later, Raw: `{"package":"demo","schema":"` + later + `","x":1}`},
	}
	if diff := cmp.Diff(want, p.UpgradeRules); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnreliableUpgradeRulesHaveAFault(t *testing.T) {
	long := strings.Repeat("x", maxRules)
	for name, test := range map[string]struct{ value, fault, raw string }{
		"no object":                  {`["steps"]`, `an object was expected, found "[\"steps\"]"`, ""},
		"nothing":                    {`null`, `an object was expected, found "null"`, ""},
		"a key twice":                {`{"steps":[],"steps":[{}]}`, `key "steps" occurs twice`, ""},
		"a key twice by case":        {`{"steps":[],"Steps":[{}]}`, `key "Steps" occurs twice (keys are compared without regard to case)`, ""},
		"a key twice by folding":     {"{\"steps\":[],\"\u017fteps\":[{}]}", `occurs twice`, ""},
		"a key twice far inside":     {`{"steps":[{"from":"a","from":"b"}]}`, `key "from" occurs twice`, ""},
		"a number beyond all":        {`{"n":1e999}`, `1e999`, ""},
		"more than may be kept":      {`{"reason":"` + long + `"}`, "bytes, but at most 65536 are allowed", `{"package":"demo","reason":"xxxxxx`},
		"more than may be looked at": {`{"reason":"` + strings.Repeat(long, 17) + `"}`, "larger than 524288 bytes", ""},
		"nested without an end":      {`{"a":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`, "nested deeper than 64", ""},
		"more values than are read":  {`{"steps":[` + strings.Repeat("{},", 3000) + `{}]}`, "more than 4000 values", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := rulesOf(t, `{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"`+rulesV1+`","value":`+test.value+`}]}`)
			if len(p.UpgradeRules) != 1 || p.Faults != nil {
				t.Fatalf("%d rules, faults %q", len(p.UpgradeRules), p.Faults)
			}
			got := p.UpgradeRules[0]
			if !strings.Contains(got.Fault, test.fault) || len(got.Fault) > maxSentence+3 {
				t.Errorf("fault %q, want %q in it", got.Fault, test.fault)
			}
			if !strings.HasPrefix(got.Raw, test.raw) || (test.raw == "") != (got.Raw == "") || len(got.Raw) > maxRules {
				t.Errorf("raw: %d bytes, %.60q, want %q", len(got.Raw), got.Raw, test.raw)
			}
		})
	}
	t.Run("white space does not count", func(t *testing.T) {
		p := rulesOf(t, `{"schema":"`+rulesV1+`","package":"demo",`+strings.Repeat(" \n", maxRawRules/4)+`"x":1}`)
		if got := p.UpgradeRules[0]; got.Fault != "" || got.Raw != `{"package":"demo","schema":"`+rulesV1+`","x":1}` {
			t.Errorf("%+v", got)
		}
	})
	t.Run("long ones that differ in their end are two", func(t *testing.T) {
		var stream string
		for _, end := range []string{"1", "2"} {
			stream += `{"schema":"` + rulesV1 + `","package":"demo","reason":"` + long + end + `"}`
		}
		if p := rulesOf(t, stream); len(p.UpgradeRules) != 2 {
			t.Errorf("%d rules", len(p.UpgradeRules))
		}
	})
}

func TestRetainedUpgradeRulesDoNotDependOnTheOrder(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf(`{"schema":%q,"package":"demo","n":%d}`, rulesV1, i))
	}
	first := rulesOf(t, strings.Join(lines, "\n"))
	if len(first.UpgradeRules) != maxUpgradeRules || len(first.Faults) != 1 || !strings.Contains(first.Faults[0], "more than 8 different blobs of upgrade rules") {
		t.Fatalf("%d rules, faults %q", len(first.UpgradeRules), first.Faults)
	}
	for seed := range uint64(50) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if got := rulesOf(t, strings.Join(lines, "\n")); !reflect.DeepEqual(got, first) {
			t.Fatalf("seed %d (-first +got):\n%s", seed, cmp.Diff(first, got))
		}
	}
}

// FuzzCanonical checks that the canonical form of a value is equal to it, and does not depend on its formatting.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"schema":"` + rulesV1 + `","package":"demo","steps":[{"from":">=1.0.0 <2.0.0","through":"1.9.x","select":"latest"}]}`,
		`{"a":[1.50,-0,1e2,9007199254740993,null,true,"<\u00e9\ud800>"],"A\u0000":{}}`, `{"k":1,"K":2}`, `{"s":1,"ſ":2}`, `[]`, `{} {}`, `{"a":1,}`, `{`, `{"a":[`, `{"a" 1}`, `{,}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		form, err := canonical(in, nil)
		if err != nil {
			return
		}
		var want, got map[string]any
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatalf("encoding/json does not take %q: %v", in, err)
		}
		if err := json.Unmarshal(form, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q (%v)", in, form, err)
		}
		indented, err := json.MarshalIndent(want, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := canonical(indented, nil); err != nil || !bytes.Equal(again, form) {
			t.Errorf("%q became %q, and written otherwise %q (%v)", in, form, again, err)
		}
	})
}

// FuzzFoldCase checks that folding agrees with strings.EqualFold.
func FuzzFoldCase(f *testing.F) {
	f.Add("steps", "ſTEPS")
	f.Add("k", "\u212a")
	f.Add("ß", "ss")
	f.Fuzz(func(t *testing.T, a, b string) {
		if a, b = strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""); (foldCase(a) == foldCase(b)) != strings.EqualFold(a, b) {
			t.Errorf("%q and %q: folded %q and %q, equal by fold %t", a, b, foldCase(a), foldCase(b), strings.EqualFold(a, b))
		}
	})
}
