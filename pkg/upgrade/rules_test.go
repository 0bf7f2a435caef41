package upgrade

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written is the example of the schema, in the JSON of served catalogs.
const written = `{
	"schema": "io.openshift.operators.upgrades.v1alpha1",
	"package": "example",
	"semantics": "both",
	"steps": [
		{"from": ">=1.2.0 <1.3.0", "to": ">=1.4.0", "through": "1.3.x", "select": "latest", "reason": "1.3 migrates\n stored objects"},
		{"to": ">=2.0.0", "through": "1.9.x || 1.10.x"}
	]
}`

// outlined returns the rules as text.
func outlined(rules Rules) []string {
	lines := []string{"semantics " + string(rules.Semantics)}
	for _, step := range rules.Steps {
		lines = append(lines, fmt.Sprintf("%s → %s of %s → %s # %s", step.From, step.Select, step.Through, step.To, step.Reason))
	}
	return lines
}

func TestReadRules(t *testing.T) {
	for name, test := range map[string]struct {
		raw  string
		want []string
	}{
		"every field": {written, []string{
			"semantics both",
			">=1.2.0 <1.3.0 → latest of 1.3.x → >=1.4.0 # 1.3 migrates stored objects",
			">=0.0.0-0 → any of 1.9.x || 1.10.x → >=2.0.0 # ",
		}},
		"a property's value needs neither schema nor package":  {`{"semantics": "channel"}`, []string{"semantics channel"}},
		"semver is what a package has that says nothing":       {`{"package": "example"}`, []string{"semantics semver"}},
		"an empty list of steps is none":                       {`{"steps": []}`, []string{"semantics semver"}},
		"a long reason is cut":                                 {`{"steps": [{"to": "*", "through": "*", "reason": "` + strings.Repeat("é", 300) + `"}]}`, []string{"semantics semver", ">=0.0.0-0 → any of * → * # " + strings.Repeat("é", 126) + "…"}},
		"a name beside the package's is the blob's own matter": {`{"package": "example", "name": "rules"}`, []string{"semantics semver"}},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := ReadRules("example", Schema, []byte(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outlined(rules)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsOfInvalidRules(t *testing.T) {
	step := func(fields string) string { return `{"steps": [{"to": "*", "through": "*"}, {` + fields + `}]}` }
	for name, test := range map[string]struct {
		schema, raw string
		want        []string
	}{
		"of a later version":             {"io.openshift.operators.upgrades.v1beta1", written, []string{`"io.openshift.operators.upgrades.v1beta1"`, "only", `"` + Schema + `"`, "a newer manager"}},
		"with another schema inside":     {Schema, `{"schema": "io.openshift.operators.upgrades.v2"}`, []string{"v2", "in one place"}},
		"for another package":            {Schema, `{"package": "other"}`, []string{`package "other"`, `package "example"`}},
		"for a package without a name":   {Schema, `{"package": ""}`, []string{`package ""`}},
		"no JSON":                        {Schema, `{"steps": [`, []string{"unexpected EOF"}},
		"nothing at all":                 {Schema, ``, []string{"EOF"}},
		"a list":                         {Schema, `[]`, []string{"array"}},
		"null":                           {Schema, `null`, []string{"null"}},
		"something after it":             {Schema, `{} {}`, []string{"something after it"}},
		"a field that is not known":      {Schema, `{"sematics": "channel"}`, []string{`unknown field "sematics"`}},
		"an unknown field of a step":     {Schema, step(`"to": "*", "through": "*", "soak": "1h"`), []string{`unknown field "soak"`}},
		"a number for a range":           {Schema, step(`"to": 1.4, "through": "*"`), []string{"steps.to is a number", "write it in quotes", `"1.3"`}},
		"a number for a reason":          {Schema, step(`"to": "*", "through": "*", "reason": 13`), []string{"steps.reason is a number", "write it in quotes"}},
		"a number for all steps":         {Schema, `{"steps": 3}`, []string{"number", "steps"}},
		"semantics that are none":        {Schema, `{"semantics": "calver"}`, []string{`semantics: "calver" is none of "semver", "channel", "both"`}},
		"a selection that is none":       {Schema, step(`"to": "*", "through": "*", "select": "first"`), []string{`steps[1].select: "first" is neither "any" nor "latest"`}},
		"without to":                     {Schema, step(`"through": "*"`), []string{"steps[1].to is missing"}},
		"with nothing to pass through":   {Schema, step(`"to": "*", "through": "  "`), []string{"steps[1].through is missing"}},
		"a range that cannot be read":    {Schema, step(`"to": ">=1.x.y <", "through": "*"`), []string{`steps[1].to: ">=1.x.y <" is not a version range`}},
		"a range of endless length":      {Schema, step(`"from": "` + strings.Repeat("1.0.0 || ", 40) + `2.0.0", "to": "*", "through": "*"`), []string{"steps[1].from", "more than 256 characters"}},
		"more steps than anybody writes": {Schema, `{"steps": [` + strings.Repeat(`{"to": "*", "through": "*"},`, 32) + `{"to": "*", "through": "*"}]}`, []string{"steps: there are 33, and at most 32 are read"}},
		"a blob of endless length":       {Schema, `{"name": "` + strings.Repeat("x", 65536) + `"}`, []string{"it has more than 65536 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := ReadRules("example", test.schema, []byte(test.raw))
			if err == nil {
				t.Fatalf("read as %v", outlined(rules))
			}
			contains(t, err.Error(), test.want...)
		})
	}

	t.Run("more steps in all catalogs than are judged count as unreadable", func(t *testing.T) {
		pkg := parsePackage(t, minors)
		for range 3 {
			lines := make([]string, 30)
			for i := range lines {
				lines[i] = "<0.1.0 → 0.1.x → >=0.2.0"
			}
			pkg = steps(t, pkg, Semver, lines...)
		}
		r := New(pkg).From(installedAt(t, "1.2.0"), nil)
		if got := way(t, r, "1.4.1"); got != string(RulesInvalid) {
			t.Fatalf("goes by %s", got)
		}
		contains(t, why(t, r, "1.4.1"), "there are 90 steps in all, and at most 64 are judged")
	})
}

func FuzzReadRules(f *testing.F) {
	f.Add(Schema, []byte(written))
	f.Add(Schema, []byte(`{"semantics": "channel", "steps": [{"through": "1.3.x", "to": ">=1.4.0-0"}]}`))
	f.Add(Schema, []byte(`{"steps": [{"to": "*", "through": "~>1.x || ^2 - 3"}]}`))
	f.Add(Schema, []byte(`{"steps": [`))
	f.Add(Schema, []byte(`null`))
	f.Add(Schema, []byte(`{"unknown": 1}`))
	f.Add(Schema, []byte(`{"steps": [`+strings.Repeat(`{"to": "*", "through": "*"},`, 100)+`{}]}`))
	f.Add(Schema, []byte(`{"steps": [{"to": "`+strings.Repeat("1.0.0||", 1000)+`", "through": "*"}]}`))
	f.Add("io.openshift.operators.upgrades.v9", []byte(`{}`))
	f.Fuzz(func(t *testing.T, schema string, raw []byte) {
		rules, err := ReadRules("example", schema, raw)
		if err != nil {
			if message := err.Error(); len(message) > 2048 || strings.Contains(message, "\n") {
				t.Errorf("%d bytes: %q", len(message), message)
			}
			return
		}
		if schema != Schema || len(rules.Steps) > maxSteps || rules.Semantics != Channel && rules.Semantics != Semver && rules.Semantics != Both {
			t.Errorf("read as %+v", rules)
		}
		for _, step := range rules.Steps {
			if len(step.Reason) > maxReason || len(step.From.String()) > maxRange || step.Select != Any && step.Select != Latest {
				t.Errorf("read as %+v", step)
			}
		}
		// All parsed rules can be evaluated.
		pkg := parsePackage(t, minors)
		rules.Location = "the rules"
		pkg.Rules = []Rules{rules}
		g := New(pkg)
		r := g.From(installedAt(t, "1.2.0"), nil)
		for to := range g.bundles {
			if _, ok := r.Path(to); ok == (r.Refusal(to) != Refusal{}) && g.bundles[to].Version.String() != "1.2.0" {
				t.Errorf("to %s there is a path, %v, and a refusal, %v", g.bundles[to].Version, ok, r.Refusal(to))
			}
		}
		Lint(pkg)
	})
}
