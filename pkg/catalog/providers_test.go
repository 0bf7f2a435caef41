package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bundleBlob returns the blob of a bundle, followed by a line feed; properties are JSON objects.
func bundleBlob(pkg, version string, properties ...string) string {
	return fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%s.v%s","properties":[%s]}`+"\n", pkg, pkg, version, strings.Join(properties, ","))
}

func provides(kind string) string {
	return fmt.Sprintf(`{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":%q}}`, kind)
}

func kindOf(kind string) GVK { return GVK{Group: "g", Version: "v1", Kind: kind} }

func TestProvidersIncludeUnwantedPackages(t *testing.T) {
	packages, providers, err := ReadServed(strings.NewReader(
		`{"schema":"olm.package","name":"baker"}`+"\n"+
			bundleBlob("grocer", "1.0.0", provides("Cake"), provides("Bread"))+
			bundleBlob("baker", "1.0.0", provides("Bread"))+bundleBlob("baker", "1.1.0", provides("Bread"), provides("Pie"))+
			bundleBlob("smith", "1.0.0", `{"type":"olm.gvk.required","value":{"group":"g","version":"v1","kind":"Bread"}}`)),
		func(pkg string) bool { return pkg == "baker" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 1 || len(packages[0].Bundles) != 2 {
		t.Errorf("%d packages were kept", len(packages))
	}
	for kind, want := range map[string][]string{"Bread": {"baker", "grocer"}, "Cake": {"grocer"}, "Pie": {"baker"}, "Stone": nil} {
		if diff := cmp.Diff(want, providers.ForKind(kindOf(kind))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		if !providers.IsCompleteFor(kindOf(kind)) {
			t.Errorf("of %s it is not known", kind)
		}
	}
	if !providers.IsComplete() {
		t.Error("something was left out")
	}
}

func TestUnreadablePropertiesOfUnwantedPackagesProvideNothing(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	for name, blob := range map[string]string{
		"properties that are no list":       `{"schema":"olm.bundle","package":"p","name":"p.v1","properties":{"type":"olm.gvk"}}`,
		"no properties":                     `{"schema":"olm.bundle","package":"p","name":"p.v1"}`,
		"a property that is no object":      bundleBlob("p", "1", `"olm.gvk"`),
		"a value that is no object":         bundleBlob("p", "1", `{"type":"olm.gvk","value":"Bread"}`),
		"no value":                          bundleBlob("p", "1", `{"type":"olm.gvk"}`),
		"a kind without a version":          bundleBlob("p", "1", `{"type":"olm.gvk","value":{"group":"g","kind":"K"}}`),
		"a kind without a name":             bundleBlob("p", "1", `{"type":"olm.gvk","value":{"group":"g","version":"v1"}}`),
		"a kind whose name is too long":     bundleBlob("p", "1", provides(long)),
		"a property that is too long":       bundleBlob("p", "1", `{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K","x":"`+strings.Repeat(long, 4)+`"}}`),
		"a bundle of no package":            `{"schema":"olm.bundle","name":"p.v1","properties":[` + provides("K") + `]}`,
		"something else that is not bundle": `{"schema":"olm.other","package":"p","name":"p.v1","properties":[` + provides("K") + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, providers, err := ReadServed(strings.NewReader(blob+"\n"+bundleBlob("q", "1", provides("Bread"))), func(string) bool { return false }, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := &ProvidersBuilder{}
			want.Add("q", kindOf("Bread"))
			if !providers.Equal(want.Build()) {
				t.Errorf("%v", providers)
			}
		})
	}
}

func TestProvidersAreLimitedAndDoNotDependOnTheOrder(t *testing.T) {
	type pair struct{ pkg, kind string }
	short, long := make([]pair, 0, 3*maxProvided), make([]pair, 0, 4000)
	for i := range 3 * maxProvided {
		short = append(short, pair{fmt.Sprintf("p%d", i%7), fmt.Sprintf("K%06d", i/2)})
	}
	for i := range 4000 {
		long = append(long, pair{"p", fmt.Sprintf("%06d%s", i, strings.Repeat("k", 1000))})
	}
	for name, test := range map[string]struct {
		pairs []pair
		// known is a kind of which all packages are known, and beyond one of which a package was omitted.
		known, beyond string
	}{
		"too many":     {short, "K000001", fmt.Sprintf("K%06d", maxProvided)},
		"too much":     {long, long[10].kind, long[2000].kind},
		"within bound": {short[:maxProvided], "K000001", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var first *Providers
			for seed := range uint64(4) {
				if seed > 0 { // the first time in order
					rand.New(rand.NewPCG(seed, 1)).Shuffle(len(test.pairs), func(i, j int) { test.pairs[i], test.pairs[j] = test.pairs[j], test.pairs[i] })
				}
				var builder ProvidersBuilder
				for _, each := range test.pairs {
					builder.Add(each.pkg, kindOf(each.kind))
				}
				got := builder.Build()
				if first == nil {
					first = got
				}
				if !got.Equal(first) {
					t.Errorf("another order: %d kinds, then %d", len(first.kinds), len(got.kinds))
				}
			}
			text := 0
			for _, gvk := range first.kinds {
				text += len(gvk.Kind)
			}
			if len(first.packages) > maxProvided || text > maxProvidedText {
				t.Errorf("%d are kept, of %d bytes", len(first.packages), text)
			}
			if len(first.ForKind(kindOf(test.known))) == 0 || !first.IsCompleteFor(kindOf(test.known)) {
				t.Errorf("%s is not known", test.known)
			}
			if first.IsComplete() != (test.beyond == "") {
				t.Errorf("complete: %t", first.IsComplete())
			}
			if test.beyond != "" && (first.IsCompleteFor(kindOf(test.beyond)) || len(first.ForKind(kindOf(test.beyond))) > 0) {
				t.Errorf("%.20s is known, and should be beyond the bounds", test.beyond)
			}
		})
	}
}

func TestProvidersOfAnEmptyCatalog(t *testing.T) {
	var none *Providers
	empty := (&ProvidersBuilder{}).Build()
	if none.ForKind(kindOf("K")) != nil || none.IsCompleteFor(kindOf("K")) || none.IsComplete() || !none.Equal(nil) || none.Equal(empty) || empty.Equal(none) {
		t.Error("nil knows something")
	}
	if empty.ForKind(kindOf("K")) != nil || !empty.IsCompleteFor(kindOf("K")) || !empty.IsComplete() || !empty.Equal((&ProvidersBuilder{}).Build()) {
		t.Error("an empty catalog does not know that it has nothing")
	}
}

func TestVisitKindsOfARequirement(t *testing.T) {
	kind := func(name string) Requirement { gvk := kindOf(name); return Requirement{GVK: &gvk} }
	var got []string
	Requirement{All: []Requirement{kind("A"), {Any: []Requirement{kind("B"), {Package: &PackageRange{Name: "p"}}}}, {Not: []Requirement{kind("C")}}, {Unsupported: "x"}}}.
		VisitKinds(func(gvk GVK) { got = append(got, gvk.Kind) })
	if !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("%q", got)
	}
}
