package catalog

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead holds that no stream panics, that what was read is sorted and the same however the bytes arrive, and that a
// stream which is cut short is never taken for a whole one.
func FuzzRead(f *testing.F) {
	f.Add([]byte(jsonLines))
	f.Add([]byte(reversed(jsonLines)))
	f.Add([]byte("---\nschema: olm.package\nname: demo\n--- # x\n  a: b\n"))
	f.Add([]byte(`{"schema":"olm.bundle","package":"p","name":"\\\"","properties":[{"type":"olm.maxOpenShiftVersion","value":4.10}]}`))
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
		for _, p := range got {
			for _, b := range p.Bundles {
				if found, ok := p.Bundle(b.Name); !ok || found.Image != b.Image {
					t.Errorf("bundle %q is not found by its name", b.Name)
				}
			}
		}
	})
}

// FuzzObject holds that walking raw JSON finds what encoding/json finds, on every input that encoding/json takes.
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

func TestReadInAnyOrderGivesTheSame(t *testing.T) {
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
