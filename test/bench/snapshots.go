package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/operator-framework/operator-registry/alpha/declcfg"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
)

// largeCatalogs are the published sizes, in bytes, of the three catalogs that a cluster has by default.
var largeCatalogs = []int{55 << 20, 32 << 20, 29 << 20}

// largeWanted is the number of packages that are kept from each large catalog.
const largeWanted = 20

// measureSnapshots measures reading catalogs and keeping the packages with the most bundles. The catalogs have the given sizes, in bytes,
// or a tenth of them, and repeat packages under other names. many is the larger number of packages to keep from each catalog; the smaller
// one is a tenth of it.
func measureSnapshots(packages []packageLines, sizes []int, many, n int) (part, error) {
	packages = mostBundlesFirst(packages)
	var wanted []string
	for _, p := range packages {
		if len(wanted) < many && !slices.Contains(wanted, p.name) { // some packages are in several catalogs
			wanted = append(wanted, p.name)
		}
	}
	few := wanted[:(len(wanted)+9)/10]
	large, err := each(sizes, func(bytes int) ([]byte, error) { return largeCatalog(bytes, packages) })
	if err != nil {
		return part{}, err
	}
	small, err := each(sizes, func(bytes int) ([]byte, error) { return largeCatalog(bytes/10, packages) })
	if err != nil {
		return part{}, err
	}
	p := part{
		title: "Keeping large catalogs",
		text: fmt.Sprintf("%d catalogs of %s in total, and of about a tenth of that, are read as streams of JSON lines into the snapshots of `pkg/catalogsource`. They repeat the real packages under other names. The packages to keep are those with the most bundles, and each catalog has them.\n\n"+
			"“Live” is the heap that the snapshots keep after garbage collection, including which packages provide which kinds. The baseline keeps the blobs of the same packages.", len(sizes), size.format(float64(length(large)))),
		ours: "`pkg/catalogsource.Snapshots`", baseline: "operator-registry's `declcfg`",
		details: table{caption: "Growth when one dimension grows about ten times:", head: []string{"dimension", "figure", "ours", "baseline"}},
	}
	var before []figure
	for _, step := range []struct {
		grew    string
		streams [][]byte
		wanted  []string
	}{{"", small, few}, {"bytes", large, few}, {"packages to keep", large, wanted}} {
		figures, err := compareSnapshots(step.streams, step.wanted, n)
		if err != nil {
			return part{}, err
		}
		if before != nil {
			for _, row := range growthTable("", before, figures).rows {
				p.details.rows = append(p.details.rows, append([]string{step.grew}, row...))
			}
		}
		p.figures, before = append(p.figures, figures...), figures
	}
	p.notes = []string{fmt.Sprintf("The packages to keep are the first %d or %d of %s.", len(few), len(wanted), joinCode(wanted))}
	return p, nil
}

func mostBundlesFirst(packages []packageLines) []packageLines {
	return slices.SortedStableFunc(slices.Values(packages), func(a, b packageLines) int { return cmp.Compare(b.bundles, a.bundles) })
}

// compareSnapshots measures how both sides read the streams and keep the wanted packages. It returns an error unless each stream contains
// all wanted packages.
func compareSnapshots(streams [][]byte, wanted []string, n int) ([]figure, error) {
	want := func(pkg string) bool { return slices.Contains(wanted, pkg) }
	ours := func() (*catalogsource.Snapshots, error) { return keep(streams, wanted) }
	baseline := func() ([]*declcfg.DeclarativeConfig, error) {
		return each(streams, func(lines []byte) (*declcfg.DeclarativeConfig, error) { return loadOnly(lines, want) })
	}
	packages, err := sameContent(func() ([][]catalog.Package, error) {
		kept, err := ours()
		if err != nil {
			return nil, err
		}
		all := make([][]catalog.Package, len(streams))
		for i := range streams {
			snapshot, _ := kept.Get(largeID(i))
			all[i] = snapshot.Packages
		}
		return all, nil
	}, baseline)
	if err != nil {
		return nil, err
	}
	if packages != len(streams)*len(wanted) {
		return nil, fmt.Errorf("keeping %d packages of each of %d catalogs: found %d; the catalogs are too small to have them all", len(wanted), len(streams), packages)
	}
	costs, err := measureAlternately(n,
		subject{"pkg/catalogsource", func() error { _, err := ours(); return err }},
		subject{"declcfg", func() error { _, err := baseline(); return err }})
	if err != nil {
		return nil, err
	}
	live, err := measureLiveAlternately(n,
		func() (any, error) { return ours() },
		func() (any, error) { return baseline() })
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s, %d packages", size.format(float64(length(streams))), len(wanted))
	return append(costFigures(name, costs[0], costs[1], n),
		figure{name: name + ": live", unit: size, ours: live[0], baseline: live[1], n: n}), nil
}

// keep reads the wanted packages from the streams into snapshots, as the catalogs controller does.
func keep(streams [][]byte, wanted []string) (*catalogsource.Snapshots, error) {
	names := map[string]bool{}
	for _, name := range wanted {
		names[name] = true
	}
	snapshots := catalogsource.NewSnapshots()
	for i, lines := range streams {
		packages, providers, err := catalog.ReadServed(bytes.NewReader(lines), func(pkg string) bool { return names[pkg] }, nil)
		if err != nil {
			return nil, err
		}
		snapshots.Set(catalogsource.Info{ID: largeID(i), Wanted: names}, packages)
		snapshots.SetProviders(largeID(i), providers)
	}
	return snapshots, nil
}

func largeID(i int) catalog.ID {
	return catalog.ID{Kind: catalog.KindClusterCatalog, Name: fmt.Sprintf("large-%d", i)}
}

func length(streams [][]byte) (bytes int) {
	for _, lines := range streams {
		bytes += len(lines)
	}
	return bytes
}
