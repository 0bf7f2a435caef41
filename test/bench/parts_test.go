package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/operator-registry/alpha/declcfg"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
	"github.com/openshift/platform-operators/test/samples"
)

// writeSamples writes a catalog and bundles of two packages, one of them with two versions, to a temporary folder. It returns the folder.
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

func TestReadCatalogReturnsJSONLines(t *testing.T) {
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

func TestPartsHaveAllFigures(t *testing.T) {
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
			[]string{"first tenth, all packages: time", "first tenth, all packages: allocated", "first tenth, all packages: allocations", "first tenth, all packages: live",
				"all packages: time", "all packages: allocated", "all packages: allocations", "all packages: live",
				"1 packages: time", "1 packages: allocated", "1 packages: allocations", "1 packages: live"},
		},
		"resolving": {
			func() (part, error) {
				return measureResolve(map[string][]catalog.Package{"first": packages, "second": nil}, []string{"alpha"}, []int{20}, 1)
			},
			wantResolved(),
		},
		"keeping large catalogs": {
			func() (part, error) {
				packages, err := splitPackages(lines)
				if err != nil {
					return part{}, err
				}
				return measureSnapshots(packages, []int{20 << 10, 30 << 10}, 2, 1)
			},
			wantKept(t, lines),
		},
		"upgrade graphs": {
			func() (part, error) {
				graphs, err := upgradePackages(packages)
				if err != nil {
					return part{}, err
				}
				return measureUpgrade(graphs, 40, 1, t.Logf)
			},
			wantGraphs(),
		},
		"rendering": {
			func() (part, error) { return measureRender(folders, 1, t.Logf) },
			[]string{"2 bundles, to objects: time", "2 bundles, to objects: allocated", "2 bundles, to objects: allocations",
				"2 bundles, written out: time", "2 bundles, written out: allocated", "2 bundles, written out: allocations",
				"all 3 bundles, rendered or refused: time", "all 3 bundles, rendered or refused: allocated", "all 3 bundles, rendered or refused: allocations"},
		},
		"planning": {
			func() (part, error) { return measurePlan(20, 1) },
			[]string{"first revision, plan: time", "first revision, plan: allocated", "first revision, plan: allocations",
				"first revision, text: time", "first revision, text: allocated", "first revision, text: allocations",
				"change of every object, plan: time", "change of every object, plan: allocated", "change of every object, plan: allocations",
				"change of every object, text: time", "change of every object, text: allocated", "change of every object, text: allocations"},
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
				if _, ok := f.ratio(); !ok && !strings.HasPrefix(f.name, "all 3") && !strings.HasPrefix(f.name, "simulate") && !strings.HasPrefix(f.name, "a chain") && !strings.HasSuffix(f.name, "live") {
					t.Errorf("there is no baseline: %+v", f)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("figures (-want +got):\n%s", diff)
			}
		})
	}
}

// wantResolved returns the names of the figures of resolving: one operator, all with the synthetic ones, and one of large packages.
func wantResolved() (names []string) {
	for _, subject := range []string{
		"alpha, 2 bundles", "alpha, 2 bundles, installed",
		"1 operators, 2 bundles", "9 operators, 17 bundles",
		"1 operators, 2 bundles, installed", "9 operators, 17 bundles, 5 installed",
		"9 operators, 17 bundles, 5 installed, one package changed (alpha)",
	} {
		names = append(names, subject+": time", subject+": allocated", subject+": allocations", subject+"; baseline with permitted bundles only: time")
	}
	for _, subject := range []string{"20 versions", "20 versions with 32 required steps that no version meets", "2 versions with 10 times as many entries without bundles"} {
		names = append(names, "a chain of "+subject+": time", "a chain of "+subject+": allocated", "a chain of "+subject+": allocations")
	}
	return names
}

// wantKept returns the names of the figures of keeping large catalogs of 20 and 30 KiB.
func wantKept(t *testing.T, lines []byte) (names []string) {
	t.Helper()
	packages, err := splitPackages(lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ part, wanted int }{{10, 1}, {1, 1}, {1, 2}} {
		streams, err := each([]int{20 << 10 / step.part, 30 << 10 / step.part}, func(bytes int) ([]byte, error) { return largeCatalog(bytes, packages) })
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"time", "allocated", "allocations", "live"} {
			names = append(names, fmt.Sprintf("%s, %d packages: %s", size.format(float64(length(streams))), step.wanted, what))
		}
	}
	return names
}

func TestLargeCatalogRepeatsPackagesUnderOtherNames(t *testing.T) {
	lines, err := readCatalog(t.Context(), filepath.Join(writeSamples(t), "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := splitPackages(lines)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := largeCatalog(2*len(lines)+1, packages)
	if err != nil {
		t.Fatal(err)
	}
	got, err := catalog.Read(strings.NewReader(string(stream)), nil)
	if err != nil {
		t.Fatal(err)
	}
	bundles := map[string]int{}
	for _, pkg := range got {
		bundles[pkg.Name] = len(pkg.Bundles)
		if len(pkg.Faults) > 0 {
			t.Errorf("%s: %q", pkg.Name, pkg.Faults)
		}
	}
	if diff := cmp.Diff(map[string]int{"alpha": 2, "alpha-2": 2, "beta": 1, "beta-2": 1}, bundles); diff != "" {
		t.Errorf("bundles of packages (-want +got):\n%s", diff)
	}
	if _, err := declcfg.LoadReader(strings.NewReader(string(stream))); err != nil {
		t.Errorf("declcfg cannot read the catalog: %v", err)
	}
	if _, err := largeCatalog(1, nil); err == nil {
		t.Error("nothing was repeated until it was large")
	}
}

func TestMeasureSnapshotsRejectsSmallCatalogs(t *testing.T) {
	lines, err := readCatalog(t.Context(), filepath.Join(writeSamples(t), "catalog"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compareSnapshots([][]byte{lines}, []string{"alpha", "gamma"}, 1); err == nil {
		t.Error("a package that is not there was taken for kept")
	}
}

// wantGraphs returns the names of the figures of upgrade graphs: of a growing number of packages, and of a synthetic one.
func wantGraphs() (names []string) {
	for _, subject := range []string{
		"1 package, 2 bundles", "2 packages, 3 bundles", "20 packages, 30 bundles", "200 packages, 300 bundles",
		"1 package, 4 bundles", "1 package, 40 bundles",
	} {
		names = append(names, subject+": time", subject+": allocated", subject+": allocations")
		if !strings.HasPrefix(subject, "20") {
			names = append(names, "simulate "+subject+": time")
		}
	}
	return names
}

func TestSolveRejectsAnotherSolution(t *testing.T) {
	m := newPackageIndex(map[string][]catalog.Package{"synthetic": syntheticPackages()})
	requests := []resolve.Request{m.request("synthetic-e", false), m.request("synthetic-f", false)}
	problem, err := newDeppyProblem(requests, new(joint.Cache).ResolveAll(requests, m.clusterState()), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := problem.solve(); err != nil {
		t.Errorf("solving what pkg/resolve decided: %v", err)
	}
	problem.want[0] += "?"
	if err := problem.solve(); err == nil {
		t.Error("a candidate that deppy did not choose was taken for the same answer")
	}
}

func TestSyntheticPackagesDependAndConflict(t *testing.T) {
	m := newPackageIndex(map[string][]catalog.Package{"synthetic": syntheticPackages()})
	var requests []resolve.Request
	for name := range m {
		requests = append(requests, m.request(name, false))
	}
	conflicts := 0
	for name, decision := range new(joint.Cache).ResolveAll(requests, m.clusterState()) {
		if decision.Chosen == nil {
			t.Errorf("%s cannot be installed: %s", name, decision.Message)
		}
		conflicts += len(decision.Conflicts)
	}
	if conflicts == 0 {
		t.Error("nobody is in anybody's way; then nothing has to be decided together")
	}
}

func TestPlannedBundlesDifferInEveryObject(t *testing.T) {
	const objects = 20
	p, err := measurePlan(objects, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Each object has another label, and other values or ports.
	want := []string{fmt.Sprintf("The plan of the first revision creates %d objects, with the Namespace and the Deployment. The plan of the change updates %d objects, in %d fields.",
		objects+2, objects, objects*(plannedFields+1))}
	if diff := cmp.Diff(want, p.notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestCountByPairsEqualsCountByGraph(t *testing.T) {
	pkg, err := largePackage(350) // two major versions
	if err != nil {
		t.Fatal(err)
	}
	pkg.Entries[17].Skips = []string{pkg.Bundles[3].Name}
	if diff := cmp.Diff(countByPairs(pkg), countByGraph(pkg), cmp.AllowUnexported(graphCounts{})); diff != "" {
		t.Errorf("baseline and pkg/upgrade differ (-baseline +ours):\n%s", diff)
	}
	if found := countByGraph(pkg); found.edges < 350 || found.reachable < 350 {
		t.Errorf("the graph has too few edges: %+v", found)
	}
}

func TestRefusedBundlesHaveAReason(t *testing.T) {
	r, err := compareRendering("beta/1.0.0", os.DirFS(filepath.Join(writeSamples(t), "bundles", "beta", "1.0.0")), 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.comparable() || r.refusal == nil || r.baselineRefusal == nil {
		t.Fatalf("got %+v; want both sides to refuse what does not support all namespaces", r)
	}
	row := renderTable([]rendering{r}).rows[0]
	if !strings.HasPrefix(row[1], "refused: ") || !strings.Contains(row[1], "beta.v1.0.0") || row[8] != "—" {
		t.Errorf("got row %q", row)
	}
}

func TestSameContentRejectsADifference(t *testing.T) {
	ours := func() ([][]catalog.Package, error) { return [][]catalog.Package{{{Name: "alpha"}}}, nil }
	theirs := func() ([]*declcfg.DeclarativeConfig, error) {
		return []*declcfg.DeclarativeConfig{{Packages: []declcfg.Package{{Name: "alpha"}, {Name: "beta"}}}}, nil
	}
	if _, err := sameContent(ours, theirs); err == nil {
		t.Error("one package on one side and two on the other were taken for the same")
	}
}

func TestMissingDataErrorNamesTheFlag(t *testing.T) {
	_, catalogErr := readCatalog(t.Context(), t.TempDir())
	_, bundlesErr := bundleFolders(t.TempDir())
	for _, err := range []error{catalogErr, bundlesErr} {
		if err == nil || !strings.Contains(err.Error(), "--data") {
			t.Errorf("got %v; want an error that names the flag", err)
		}
	}
}

func TestRenderSamples(t *testing.T) {
	operators, err := renderSamples(t.TempDir(), sampleOperators("plain", 2))
	if err != nil {
		t.Fatal(err)
	}
	if len(operators) != operatorsPerRound || operators[0].namespace != "plain-2-0" || len(operators[0].objects) == 0 {
		t.Errorf("got %d operators, the first %+v", len(operators), operators[0])
	}
}

func TestPartsAreInTheOrderOfTheDocument(t *testing.T) {
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
		"all of them are not merged":       {options{samples: 1, rounds: 1, merge: true}, nil, true},
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
