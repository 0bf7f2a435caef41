package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead checks that no stream panics, that the result is sorted and does not depend on how the bytes arrive, and that a truncated stream
// is never accepted as complete.
func FuzzRead(f *testing.F) {
	f.Add([]byte(jsonLines))
	f.Add([]byte(reversed(jsonLines)))
	f.Add([]byte("---\nschema: olm.package\nname: demo\n--- # x\n  a: b\n"))
	f.Add([]byte(`{"schema":"olm.bundle","package":"p","name":"\\\"","properties":[{"type":"olm.maxOpenShiftVersion","value":4.10}]}`))
	f.Add([]byte(deprecations + jsonLines))
	f.Add([]byte(`{"schema":"` + rulesV1 + `","package":"demo","steps":[{"from":">=1.0.0 <2.0.0","through":"1.9.x"}]}{"schema":"` + rulesV1 + `","package":"demo","a":1,"A":2}`))
	f.Add([]byte(`{"schema":"olm.bundle","package":"p","name":"b","properties":[{"type":"` + rulesV1 + `","value":{"semantics":"both"}},` +
		`{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"K"}},{"type":"olm.gvk.required","value":{"version":"v1","kind":"K"}},` +
		`{"type":"olm.package.required","value":{"packageName":"q","versionRange":">1.0.0"}},` +
		`{"type":"olm.constraint","value":{"failureMessage":"m","all":{"constraints":[{"cel":{"rule":"x"}},{"not":{"constraints":[{"gvk":{}}]}}]}}},` +
		`{"type":"olm.csv.metadata","value":{"annotations":{"createdAt":"2026"},"apiServiceDefinitions":{"owned":[{}]}}}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Read(bytes.NewReader(in), nil)
		again, errAgain := Read(iotest.OneByteReader(bytes.NewReader(in)), nil)
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("at once: %v; byte by byte: %v", err, errAgain)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Fatalf("depends on how bytes arrive:\n%s", diff)
		}
		if err != nil {
			return
		}
		if !slices.IsSortedFunc(got, func(a, b Package) int { return strings.Compare(a.Name, b.Name) }) {
			t.Error("packages are not sorted")
		}
		_, providers, err := ReadServed(bytes.NewReader(in), func(string) bool { return false }, nil)
		if errors.Is(err, errNotJSON) {
			return // such a stream is read from a file
		}
		if err != nil {
			t.Fatalf("read whole, and not where nothing is wanted: %v", err)
		}
		for _, p := range got {
			checkBounds(t, p)
			if len(in) <= maxKindProperty { // so that no property exceeds the limit
				checkProviders(t, p, providers)
			}
			for _, b := range p.Bundles {
				if found, ok := p.Bundle(b.Name); !ok || found.Image != b.Image {
					t.Errorf("bundle %q is not found by its name", b.Name)
				}
			}
		}
	})
}

// checkProviders checks that the providers include the kinds of a package that the read did not want.
func checkProviders(t *testing.T, p Package, providers *Providers) {
	t.Helper()
	for _, b := range p.Bundles {
		for _, gvk := range b.ProvidedGVKs {
			if gvk.Version != "" && gvk.Kind != "" && !slices.Contains(providers.ForKind(gvk), p.Name) {
				t.Errorf("bundle %q provides %q, of which %q are known", b.Name, gvk, providers.ForKind(gvk))
			}
		}
	}
}

func checkBounds(t *testing.T, p Package) {
	t.Helper()
	if len(p.UpgradeRules) > maxUpgradeRules || len(p.Deprecated) > maxDeprecated || len(p.Faults) > maxFaults+1 {
		t.Errorf("package %q: %d upgrade rules, %d faults, deprecated in %d bytes", p.Name, len(p.UpgradeRules), len(p.Faults), len(p.Deprecated))
	}
	for _, rules := range p.UpgradeRules {
		if len(rules.Raw) > maxRules || rules.Fault == "" && !json.Valid([]byte(rules.Raw)) || !IsUpgradeSchema(rules.Schema) {
			t.Errorf("package %q: upgrade rules %+v", p.Name, rules)
		}
	}
	for _, b := range p.Bundles {
		if len(b.CreatedAt) > maxCreatedAt || len(b.ProvidedGVKs) > maxGVKs || len(b.Requirements) > maxRequirements+1 {
			t.Errorf("bundle %q is beyond the bounds", b.Name)
		}
		for _, r := range b.Requirements {
			checkRequirement(t, r, maxNesting)
		}
	}
}

func checkRequirement(t *testing.T, r Requirement, depth int) {
	t.Helper()
	set := 0
	for _, is := range []bool{r.GVK != nil, r.Package != nil, r.All != nil, r.Any != nil, r.Not != nil, r.Unsupported != ""} {
		if is {
			set++
		}
	}
	if set != 1 || depth < 0 || len(r.Message) > maxFailureMessage {
		t.Errorf("requirement %+v: %d members are set, %d levels deep", r, set, maxNesting-depth)
	}
	for _, members := range [][]Requirement{r.All, r.Any, r.Not} {
		for _, member := range members {
			checkRequirement(t, member, depth-1)
		}
	}
}

// FuzzObject checks that object returns the same fields as encoding/json, for every input that encoding/json accepts.
func FuzzObject(f *testing.F) {
	for line := range strings.Lines(jsonLines) {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"a\"":[{},[],"\\",1e5,null,true],"":""}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		got := map[string]string{}
		err := object(in, func(key, value []byte) error {
			got[string(key)] = string(value)
			return nil
		})
		var raw map[string]json.RawMessage
		if json.Unmarshal(in, &raw) != nil || raw == nil {
			return
		}
		if err != nil {
			t.Fatalf("walking valid JSON: %v", err)
		}
		want := map[string]string{}
		for key, value := range raw {
			want[key] = string(value)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-encoding/json +ours):\n%s", diff)
		}
	})
}

func TestReadDoesNotDependOnTheOrderOfBlobs(t *testing.T) {
	lines := slices.Collect(strings.Lines(jsonLines))
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		got, err := Read(strings.NewReader(strings.Join(lines, "")), only("demo"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Package{demoPackage()}, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}
