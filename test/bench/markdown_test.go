package main

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/provenance"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestDocument(t *testing.T) {
	d := document{
		facts: []provenance.Fact{{"commit", "0123abc, with uncommitted changes"}, {"command", "`go run -C test/bench .`"}},
		parts: []part{
			{
				title: "Frying", text: "How long an egg takes.", ours: "our pan", baseline: "their pan",
				figures: append(
					costFigures("one egg", cost{90 * time.Second, 1 << 20, 1200}, cost{3 * time.Minute, 1 << 10, 600}, 5),
					figure{name: "without a baseline", unit: count, ours: 12, n: 1},
					figure{name: "of nothing", unit: size, ours: 0, baseline: 10, n: 3},
				),
				notes: []string{"Eggs differ."},
			},
			{
				title: "Boiling", text: "Another part, with a longer table.", ours: "our pot", baseline: "their pot",
				details: table{caption: "Each egg.", head: []string{"egg", "outcome"}, rows: [][]string{{"1", "soft | hard"}, {"2", "refused: raw"}}},
			},
		},
	}
	var got bytes.Buffer
	if err := d.write(&got); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/document.md"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the document differs from %s; if that is meant, run the test with -update (-want +got):\n%s", golden, diff)
	}
}

func TestFormat(t *testing.T) {
	for want, tc := range map[string]struct {
		unit  unit
		value float64
	}{
		"0":        {count, 0},
		"7":        {count, 7},
		"2.50":     {count, 2.5},
		"999":      {count, 999},
		"1.00 k":   {count, 999.6},
		"1.23 M":   {count, 1_234_000},
		"12000 G":  {count, 12e12},
		"512 B":    {size, 512},
		"1.50 KiB": {size, 1536},
		"28.4 MiB": {size, 28.4 * (1 << 20)},
		"15 ns":    {seconds, 15e-9},
		"293 µs":   {seconds, 293e-6},
		"77.1 ms":  {seconds, 77.1e-3},
		"10.0 ms":  {seconds, 9.999e-3},
		"90.0 s":   {seconds, 90},
	} {
		if got := tc.unit.format(tc.value); got != want {
			t.Errorf("%v: got %q, want %q", tc.value, got, want)
		}
	}
}

func TestFormatRatio(t *testing.T) {
	for want, ratio := range map[string]float64{"142×": 142.4, "10×": 9.96, "4.7×": 4.68, "1.0×": 0.996, "0.29×": 0.292, "0.005×": 0.005} {
		if got := formatRatio(ratio); got != want {
			t.Errorf("%v: got %q, want %q", ratio, got, want)
		}
	}
}
