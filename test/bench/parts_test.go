package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/operator-registry/alpha/declcfg"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/samples"
)

// writeSamples writes two packages, one of them with two versions, and returns the folder.
func writeSamples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := samples.Write(dir,
		samples.Operator{Package: "alpha", Version: "1.0.0"},
		samples.Operator{Package: "alpha", Version: "1.1.0"},
		samples.Operator{Package: "beta", Version: "1.0.0", SingleNamespaceOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCatalogsAreServedAsJSONLines(t *testing.T) {
	lines, err := readCatalog(t.Context(), filepath.Join(writeSamples(t), "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n")
	if len(got) != 7 { // two packages, two channels, three bundles
		t.Fatalf("got %d lines, want 7:\n%s", len(got), lines)
	}
	for _, line := range got {
		if !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}") {
			t.Errorf("not a JSON object: %s", line)
		}
	}
}

func TestEveryFigureOfAPartIsMeasured(t *testing.T) {
	dir := writeSamples(t)
	lines, err := readCatalog(t.Context(), filepath.Join(dir, "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := catalog.Read(strings.NewReader(string(lines)), nil)
	if err != nil {
		t.Fatal(err)
	}
	folders, err := bundleFolders(filepath.Join(dir, "bundles"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		measure func() (part, error)
		want    []string
	}{
		"reading catalogs": {
			func() (part, error) { return measureCatalogRead([][]byte{lines}, []string{"alpha"}, 1) },
			[]string{"all wanted: time", "all wanted: allocated", "all wanted: allocations", "all wanted: live",
				"1 wanted: time", "1 wanted: allocated", "1 wanted: allocations", "1 wanted: live"},
		},
		"resolving": {
			func() (part, error) {
				return measureResolve(map[string][]catalog.Package{"first": packages, "second": nil}, []string{"alpha"}, 1)
			},
			[]string{"alpha, 2 bundles: time", "alpha, 2 bundles: allocated", "alpha, 2 bundles: allocations"},
		},
		"rendering": {
			func() (part, error) { return measureRender(folders, 1, t.Logf) },
			[]string{"2 bundles, to objects: time", "2 bundles, to objects: allocated", "2 bundles, to objects: allocations",
				"2 bundles, written out: time", "2 bundles, written out: allocated", "2 bundles, written out: allocations",
				"all 3 bundles, rendered or refused: time", "all 3 bundles, rendered or refused: allocated", "all 3 bundles, rendered or refused: allocations"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := tc.measure()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.figures {
				got = append(got, f.name)
				if f.ours <= 0 && !strings.HasSuffix(f.name, "live") || f.n != 1 {
					t.Errorf("nothing was measured: %+v", f)
				}
				if _, ok := f.ratio(); !ok && !strings.HasPrefix(f.name, "all 3") && !strings.HasSuffix(f.name, "live") {
					t.Errorf("there is no baseline: %+v", f)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("figures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARefusedBundleIsListedWithItsReason(t *testing.T) {
	r, err := compareRendering("beta/1.0.0", os.DirFS(filepath.Join(writeSamples(t), "bundles", "beta", "1.0.0")), 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.comparable() || r.refusal == nil || r.baseRefusal == nil {
		t.Fatalf("got %+v; want both sides to refuse what does not support all namespaces", r)
	}
	row := renderTable([]rendering{r}).rows[0]
	if !strings.HasPrefix(row[1], "refused: ") || !strings.Contains(row[1], "beta.v1.0.0") || row[8] != "—" {
		t.Errorf("got row %q", row)
	}
}

func TestADifferenceInContentStopsTheComparison(t *testing.T) {
	ours := func() ([][]catalog.Package, error) { return [][]catalog.Package{{{Name: "alpha"}}}, nil }
	theirs := func() ([]*declcfg.DeclarativeConfig, error) {
		return []*declcfg.DeclarativeConfig{{Packages: []declcfg.Package{{Name: "alpha"}, {Name: "beta"}}}}, nil
	}
	if _, err := sameContent(ours, theirs); err == nil {
		t.Error("one package on one side and two on the other were taken for the same")
	}
}

func TestAbsentDataIsSaidWithWhatToDo(t *testing.T) {
	_, catalogErr := readCatalog(t.Context(), t.TempDir())
	_, bundlesErr := bundleFolders(t.TempDir())
	for _, err := range []error{catalogErr, bundlesErr} {
		if err == nil || !strings.Contains(err.Error(), "--data") {
			t.Errorf("got %v; want an error that names the flag", err)
		}
	}
}

func TestSampleOperatorsForThePlainLoopAreRendered(t *testing.T) {
	operators, err := renderSamples(t.TempDir(), sampleOperators("plain", 2))
	if err != nil {
		t.Fatal(err)
	}
	if len(operators) != operatorsPerRound || operators[0].namespace != "plain-2-0" || len(operators[0].objects) == 0 {
		t.Errorf("got %d operators, the first %+v", len(operators), operators[0])
	}
}

func TestPartsAreMeasuredInTheOrderOfTheDocument(t *testing.T) {
	for name, tc := range map[string]struct {
		options options
		want    []string
		refused bool
	}{
		"all of them by default":           {options{samples: 1, rounds: 1}, partNames, false},
		"some, whatever order they are in": {options{samples: 1, rounds: 1, only: "render,catalog"}, []string{"catalog", "render"}, false},
		"an unknown one is refused":        {options{samples: 1, rounds: 1, only: "catalogue"}, nil, true},
		"no samples are refused":           {options{rounds: 1}, nil, true},
		"no rounds are refused":            {options{samples: 1}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.options.parts()
			if (err != nil) != tc.refused {
				t.Fatalf("got error %v, want one: %t", err, tc.refused)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
