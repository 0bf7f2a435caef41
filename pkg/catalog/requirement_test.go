package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// requirements adds one property to a bundle and returns the requirements that the Builder retains.
func requirements(t *testing.T, kind, value string) []Requirement {
	t.Helper()
	b := Bundle{Name: "b"}
	if err := b.AddProperty(kind, []byte(value)); err != nil {
		t.Fatal(err)
	}
	var builder Builder
	builder.AddBundle("demo", b)
	return builder.Build()[0].Bundles[0].Requirements
}

func TestRequirementsFromProperties(t *testing.T) {
	socket := &GVK{Group: "power.example.com", Version: "v1", Kind: "Socket"}
	const socketJSON = `{"group":"power.example.com","version":"v1","kind":"Socket"}`
	tests := map[string]struct {
		kind, value string
		want        Requirement
		says        string
	}{
		"a kind": {
			"olm.gvk.required", socketJSON,
			Requirement{GVK: socket}, `kind "power.example.com/v1, Kind=Socket"`,
		},
		"a kind of the core group": {
			"olm.gvk.required", `{"version":"v1","kind":"Pod"}`,
			Requirement{GVK: &GVK{Version: "v1", Kind: "Pod"}}, `kind "v1, Kind=Pod"`,
		},
		"a kind without a name": {
			"olm.gvk.required", `{"version":"v1"}`,
			Requirement{Unsupported: `a required kind without version or kind: "v1, Kind="`}, `a required kind without version or kind: "v1, Kind="`,
		},
		"a package": {
			"olm.package.required", `{"packageName":"mains","versionRange":">1.0.0"}`,
			Requirement{Package: &PackageRange{"mains", ">1.0.0"}}, `package "mains" in version range ">1.0.0"`,
		},
		"a package in a range that nobody can read": {
			"olm.package.required", `{"packageName":"mains","versionRange":"newer"}`,
			Requirement{Package: &PackageRange{"mains", "newer"}}, `package "mains" in version range "newer"`,
		},
		"a package without a name": {
			"olm.package.required", `{"versionRange":">1.0.0"}`,
			Requirement{Unsupported: `a required package without a name, in version range ">1.0.0"`}, `a required package without a name, in version range ">1.0.0"`,
		},
		"a constraint on a kind, with what its author says": {
			"olm.constraint", `{"failureMessage":"plug it in","gvk":` + socketJSON + `}`,
			Requirement{GVK: socket, Message: "plug it in"}, `kind "power.example.com/v1, Kind=Socket"`,
		},
		"a constraint in another case": {
			"olm.constraint", `{"GVK":{"GROUP":"power.example.com","Version":"v1","Kind":"Socket"}}`,
			Requirement{GVK: socket}, `kind "power.example.com/v1, Kind=Socket"`,
		},
		"constraints in one another, in any order": {
			"olm.constraint", `{"all":{"constraints":[{"package":{"packageName":"b"}},{"any":{"constraints":[{"not":{"constraints":[{"gvk":` + socketJSON + `}]}}]}},{"package":{"packageName":"a"}},{"package":{"packageName":"a"}}]}}`,
			Requirement{All: []Requirement{
				{Any: []Requirement{{Not: []Requirement{{GVK: socket}}}}},
				{Package: &PackageRange{Name: "a"}}, {Package: &PackageRange{Name: "b"}},
			}}, `all of (any of (none of (kind "power.example.com/v1, Kind=Socket")); package "a"; package "b")`,
		},
		"a CEL rule": {
			"olm.constraint", `{"cel":{"rule":"properties.exists(p, p.type == \"x\")"},"failureMessage":"no x"}`,
			Requirement{Unsupported: "a CEL rule in an olm.constraint", Message: "no x"}, "a CEL rule in an olm.constraint",
		},
		"a member that nobody knows": {
			"olm.constraint", `{"label":{"label":"x"}}`,
			Requirement{Unsupported: `an olm.constraint with the unknown member "label"`}, `an olm.constraint with the unknown member "label"`,
		},
		"nothing": {
			"olm.constraint", `{"failureMessage":"?"}`,
			Requirement{Unsupported: "an olm.constraint that names nothing", Message: "?"}, "an olm.constraint that names nothing",
		},
		"two things at once": {
			"olm.constraint", `{"package":{"packageName":"a"},"gvk":` + socketJSON + `}`,
			Requirement{Unsupported: `an olm.constraint with more than one member: ["gvk" "package"]`}, `an olm.constraint with more than one member: ["gvk" "package"]`,
		},
		"an empty list": {
			"olm.constraint", `{"any":{"constraints":[]}}`,
			Requirement{Unsupported: "an olm.constraint that cannot be read: its list is empty"}, "an olm.constraint that cannot be read: its list is empty",
		},
		"a list of something else": {
			"olm.constraint", `{"any":{"rules":[]}}`,
			Requirement{Unsupported: `an olm.constraint that cannot be read: the field "rules" is not known`}, `an olm.constraint that cannot be read: the field "rules" is not known`,
		},
		"a constraint that is no object": {
			"olm.constraint", `"x"`,
			Requirement{Unsupported: `an olm.constraint that cannot be read: an object was expected, found "\"x\""`}, `an olm.constraint that cannot be read: an object was expected, found "\"x\""`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := requirements(t, test.kind, test.value)
			if diff := cmp.Diff([]Requirement{test.want}, got); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if got[0].String() != test.says {
				t.Errorf("it says %q, want %q", got[0], test.says)
			}
		})
	}
}

func TestConstraintsAreLimited(t *testing.T) {
	leaf := `{"failureMessage":"%s","package":{"packageName":"p%d"}}`
	many := func(n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(leaf, "", i))
		}
		return `{"failureMessage":"f","all":{"constraints":[` + strings.Join(members, ",") + `]}}`
	}
	deep := func(n int) string {
		return strings.Repeat(`{"failureMessage":"f","any":{"constraints":[`, n) + fmt.Sprintf(leaf, "f", 0) + strings.Repeat(`]}}`, n)
	}
	for name, test := range map[string]struct{ value, want string }{
		"sixty-four with the one that holds them": {many(63), ""},
		"one more":                      {many(64), "an olm.constraint of more than 64 constraints"},
		"a hundred thousand":            {many(100_000), "an olm.constraint of more than 64 constraints"},
		"eight in one another":          {deep(8), ""},
		"nine in one another":           {deep(9), "olm.constraints nested deeper than 8"},
		"ten thousand in one another":   {deep(10_000), "olm.constraints nested deeper than 8"},
		"a message of a hundred pages":  {fmt.Sprintf(leaf, strings.Repeat("m", 1<<20), 1), ""},
		"a member of a hundred letters": {`{"` + strings.Repeat("m", 100) + `":1}`, `an olm.constraint with the unknown member "` + strings.Repeat("m", 80) + `"…`},
	} {
		t.Run(name, func(t *testing.T) {
			got := requirements(t, "olm.constraint", test.value)
			if len(got) != 1 || got[0].Unsupported != test.want || len(got[0].Message) > maxFailureMessage {
				t.Errorf("%d requirements, unsupported %q, a message of %d bytes", len(got), got[0].Unsupported, len(got[0].Message))
			}
		})
	}
}

func TestProvidedKindsAndRequirementsAreLimited(t *testing.T) {
	b := Bundle{Name: "b"}
	for i := range 10_000 {
		for kind, value := range map[string]string{
			"olm.gvk":              fmt.Sprintf(`{"group":"g","version":"v1","kind":"K%05d"}`, i),
			"olm.package.required": fmt.Sprintf(`{"packageName":"p%05d"}`, i),
		} {
			if err := b.AddProperty(kind, []byte(value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var builder Builder
	builder.AddBundle("demo", b)
	p := builder.Build()[0]
	got := p.Bundles[0]
	if len(got.ProvidedGVKs) != maxGVKs || len(got.Requirements) != maxRequirements+1 {
		t.Errorf("%d kinds and %d requirements", len(got.ProvidedGVKs), len(got.Requirements))
	}
	if last := got.Requirements[maxRequirements]; last.Unsupported != "more than 64 requirements" {
		t.Errorf("the last requirement is %+v: the bundle looks as if it needed less", last)
	}
	want := []string{
		`bundle "b" has more than 64 requirements; the others are left out`,
		`bundle "b" provides more than 4096 kinds; the others are left out`,
	}
	if diff := cmp.Diff(want, p.Faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestBundlesShareEqualLists(t *testing.T) {
	var builder Builder
	for i := range 2 {
		b := Bundle{Name: fmt.Sprintf("b%d", i)}
		for kind, value := range map[string]string{
			"olm.gvk":          `{"group":"g","version":"v1","kind":"K"}`,
			"olm.csv.metadata": `{"installModes":[{"type":"AllNamespaces","supported":true}]}`,
		} {
			if err := b.AddProperty(kind, []byte(value)); err != nil {
				t.Fatal(err)
			}
		}
		builder.AddBundle("demo", b)
	}
	bundles := builder.Build()[0].Bundles
	if &bundles[0].ProvidedGVKs[0] != &bundles[1].ProvidedGVKs[0] {
		t.Error("equal lists of kinds are kept twice")
	}
	bundles[0].InstallModes["probe"] = true
	if !bundles[1].InstallModes["probe"] {
		t.Error("equal install modes are kept twice")
	}
}
