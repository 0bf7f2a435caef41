package main

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// allSemantics are the semantics under which each package is measured.
var allSemantics = []upgrade.Semantics{upgrade.Channel, upgrade.Semver, upgrade.Both}

const (
	// largeBundles is the number of bundles of the synthetic package, ten times as many as in any real one.
	largeBundles = 1500
	// longSample is the size, in bundles, from which a measurement takes at most maxLongSamples samples, because each sample takes seconds.
	longSample = 1000
)

// graphCounts holds the number of edges, and the number of bundles from which the newest bundle can be reached, each summed over all
// semantics.
type graphCounts struct{ edges, reachable int }

func (c *graphCounts) add(other graphCounts) {
	c.edges += other.edges
	c.reachable += other.reachable
}

// graphs is a set of packages to measure.
type graphs struct {
	name     string
	packages []upgrade.Package
	// times is the number of times that the packages are processed. A value above 1 simulates larger catalogs.
	times int
}

// measureUpgrade measures counting edges and reachable bundles under all semantics, and simulating the upgrades of every
// version.
func measureUpgrade(packages []upgrade.Package, large int, n int, logf func(string, ...any)) (part, error) {
	tenth, err := largePackage(large / 10)
	if err != nil {
		return part{}, err
	}
	whole, err := largePackage(large)
	if err != nil {
		return part{}, err
	}
	var some []upgrade.Package
	for i := 0; i < len(packages); i += 10 {
		some = append(some, packages[i])
	}
	sizes := [][]graphs{
		{namedGraphs(some, 1), namedGraphs(packages, 1), namedGraphs(packages, 10), namedGraphs(packages, 100)},
		{namedGraphs([]upgrade.Package{tenth}, 1), namedGraphs([]upgrade.Package{whole}, 1)},
	}
	p := part{
		title: "Upgrade graphs",
		text: "The time to count the edges of every package, and the bundles from which the newest one can be reached, under each of the three semantics, with the entries of all channels. “Simulate” returns for every version its target, the path, and why the head is out of reach; it has no baseline. Sizes above that of the real catalogs process the same packages repeatedly, without a cache.\n\n" +
			"The baseline tests every pair of bundles for an edge and runs a breadth-first search from every bundle. The benchmark checks that both sides count the same. The baseline knows no paths, preferences or required steps. Commit c02a7af took 762 ms and 590 MiB for 1 package of 1,500 bundles.",
		ours: "`pkg/upgrade`", baseline: "every pair, breadth-first search",
		details: table{caption: "Growth of time, each size relative to the previous one:", head: []string{"size", "ours", "baseline"}},
	}
	for _, row := range sizes {
		var before figure
		for i, g := range row {
			figures, err := compareGraphs(g, reducedSamples(n, g))
			if err != nil {
				return part{}, err
			}
			p.figures = append(p.figures, figures...)
			logf("looked at %s: %s, baseline %s", g.name, seconds.format(figures[0].ours), seconds.format(figures[0].baseline))
			if i > 0 {
				p.details.rows = append(p.details.rows, []string{g.name, formatRatio(figures[0].ours / before.ours), formatRatio(figures[0].baseline / before.baseline)})
			}
			before = figures[0]
		}
	}
	return p, nil
}

func namedGraphs(packages []upgrade.Package, times int) graphs {
	g := graphs{packages: packages, times: times}
	g.name = fmt.Sprintf("%d packages, %d bundles", times*len(packages), times*g.bundles())
	if len(packages) == 1 {
		g.name = fmt.Sprintf("1 package, %d bundles", g.bundles())
	}
	return g
}

func (g graphs) bundles() (bundles int) {
	for _, pkg := range g.packages {
		bundles += len(pkg.Bundles)
	}
	return bundles
}

// reducedSamples returns the number of samples for a size: n, or fewer for large sizes.
func reducedSamples(n int, g graphs) int {
	switch {
	case g.times >= 100:
		return 1
	case g.times >= 10 || len(g.packages) == 1 && g.bundles() >= longSample:
		return min(n, maxLongSamples)
	}
	return n
}

// compareGraphs returns the figures for one size; the first is the time for counting. It returns an error if the two sides count
// differently. It simulates upgrades only if g.times is 1.
func compareGraphs(g graphs, n int) ([]figure, error) {
	var found, want graphCounts
	costs, err := measureAlternately(n,
		subject{"pkg/upgrade", func() error { found = g.all(countByGraph); return nil }},
		subject{"every pair", func() error { want = g.all(countByPairs); return nil }})
	if err != nil {
		return nil, err
	}
	if found != want {
		return nil, fmt.Errorf("comparing the graphs of %s: pkg/upgrade found %+v, the baseline %+v; their costs cannot be compared", g.name, found, want)
	}
	figures := costFigures(g.name, costs[0], costs[1], n)
	if g.times > 1 {
		return figures, nil
	}
	costs, err = measureAlternately(n, subject{"simulate", func() error {
		for _, pkg := range g.packages {
			if got := upgrade.Simulate(pkg); len(got.Results) != len(allSemantics) {
				return fmt.Errorf("simulating package %q: %d results", pkg.Name, len(got.Results))
			}
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return append(figures, costFigures("simulate "+g.name, costs[0], cost{}, n)[0]), nil
}

func (g graphs) all(in func(upgrade.Package) graphCounts) (sum graphCounts) {
	for range g.times {
		for _, pkg := range g.packages {
			sum.add(in(pkg))
		}
	}
	return sum
}

// countByGraph counts the edges and reachable bundles of a package with pkg/upgrade.
func countByGraph(pkg upgrade.Package) (found graphCounts) {
	for _, semantics := range allSemantics {
		pkg.Override = semantics
		graph := upgrade.New(pkg)
		found.edges += graph.EdgeCount()
		found.reachable += len(graph.Ancestors(len(graph.Bundles()) - 1))
	}
	return found
}

// upgradePackages converts the packages of a catalog for pkg/upgrade, with the entries of all channels. It returns an error if a bundle's
// version is invalid.
func upgradePackages(packages []catalog.Package) ([]upgrade.Package, error) {
	var all []upgrade.Package
	for _, from := range packages {
		pkg := upgrade.Package{Name: from.Name}
		for _, bundle := range from.Bundles {
			version, err := upgrade.ParseVersion(bundle.Version, bundle.Release)
			if err != nil {
				return nil, fmt.Errorf("reading the version of bundle %q: %w", bundle.Name, err)
			}
			pkg.Bundles = append(pkg.Bundles, upgrade.Bundle{Name: bundle.Name, Version: version, Deprecated: bundle.Deprecated != ""})
		}
		for _, channel := range from.Channels {
			for _, entry := range channel.Entries {
				pkg.Entries = append(pkg.Entries, upgrade.Entry{Channel: channel.Name, Entry: entry})
			}
		}
		all = append(all, pkg)
	}
	return all, nil
}

// largePackage returns a synthetic package with a channel for each minor version. Each major version has 15 minor versions with 20 patches.
// Each bundle replaces the previous one. Its skipRange covers all lower versions of its own minor version and of the previous one.
func largePackage(bundles int) (upgrade.Package, error) {
	made := catalog.Package{Name: "large"}
	before := ""
	for i := range bundles {
		major, minor, patch := 1+i/300, i%300/20, i%20
		version := fmt.Sprintf("%d.%d.%d", major, minor, patch)
		entry := catalog.Entry{Name: "large.v" + version, Replaces: before, SkipRange: fmt.Sprintf(">=%d.%d.0 <%s", major, max(minor-1, 0), version)}
		name := fmt.Sprintf("stable-%d.%d", major, minor)
		if last := len(made.Channels) - 1; last < 0 || made.Channels[last].Name != name {
			made.Channels = append(made.Channels, catalog.Channel{Name: name})
		}
		last := &made.Channels[len(made.Channels)-1]
		last.Entries = append(last.Entries, entry)
		made.Bundles = append(made.Bundles, catalog.Bundle{Name: entry.Name, Version: version})
		before = entry.Name
	}
	packages, err := upgradePackages([]catalog.Package{made})
	if err != nil {
		return upgrade.Package{}, fmt.Errorf("making up a large package: %w", err)
	}
	return packages[0], nil
}
