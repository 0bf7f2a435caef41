package main

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// everySemantics are those that packages are looked at under.
var everySemantics = []upgrade.Semantics{upgrade.Channel, upgrade.Semver, upgrade.Both}

const (
	// largeBundles is how many bundles the made-up package has: ten times as many as any real one.
	largeBundles = 1500
	// longSample is the size, in bundles, from which on fewer samples are taken: one of them takes seconds.
	longSample = 1000
)

// connections are what was found in packages under every semantics: edges, and bundles that the newest one can be reached
// from.
type connections struct{ edges, arriving int }

func (c *connections) add(other connections) {
	c.edges += other.edges
	c.arriving += other.arriving
}

// graphs is one size of a problem.
type graphs struct {
	name     string
	packages []upgrade.Package
	// times is how often the packages are looked at, as if there were so many times as many.
	times int
}

// measureUpgrade measures making the graphs of packages under every semantics and asking for all edges and for what is
// reached from everywhere, and simulating what becomes of every version.
func measureUpgrade(packages []upgrade.Package, large int, n int, say func(string, ...any)) (part, error) {
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
		text: "How many edges every package has, and from how many bundles the newest one can be reached, under each of the three semantics; with the entries of all channels. At c02a7af, which made each edge and each path for that, 1 package of 1,500 bundles took 762 ms and 590 MiB. “Simulate” says of every version where it is moved to, by which path, and in a sentence why the head is out of reach; nothing else does that. " +
			"Where there are more packages than the catalogs have, the same are looked at again, each time from the beginning. " +
			"The baseline is what one would write first: it looks at every pair of bundles whether there is an edge, and does a breadth-first search from every bundle. It finds as many edges and as many bundles with a way to the newest one, which is checked; it knows no path, no preference, no steps and not what gives an edge.",
		ours: "`pkg/upgrade`", baseline: "every pair, breadth-first search",
		details: table{caption: "Growth of time, each size over the one before it:", head: []string{"edges and reachability of", "ours", "baseline"}},
	}
	for _, row := range sizes {
		var before figure
		for i, g := range row {
			figures, err := compareGraphs(g, fewer(n, g))
			if err != nil {
				return part{}, err
			}
			p.figures = append(p.figures, figures...)
			say("looked at %s: %s, baseline %s", g.name, seconds.format(figures[0].ours), seconds.format(figures[0].baseline))
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

// fewer bounds how often a large size is measured, the largest once.
func fewer(n int, g graphs) int {
	switch {
	case g.times >= 100:
		return 1
	case g.times >= 10 || len(g.packages) == 1 && g.bundles() >= longSample:
		return min(n, mostLongSamples)
	}
	return n
}

// compareGraphs returns the figures of one size, the time of edges and reachability first.
func compareGraphs(g graphs, n int) ([]figure, error) {
	var found, want connections
	costs, err := inTurns(n,
		subject{"pkg/upgrade", func() error { found = g.all(connect); return nil }},
		subject{"every pair", func() error { want = g.all(connectPlainly); return nil }})
	if err != nil {
		return nil, err
	}
	if found != want {
		return nil, fmt.Errorf("comparing the graphs of %s: pkg/upgrade found %+v, the baseline %+v; a comparison of their costs would mean nothing", g.name, found, want)
	}
	figures := costFigures(g.name, costs[0], costs[1], n)
	if g.times > 1 {
		return figures, nil
	}
	costs, err = inTurns(n, subject{"simulate", func() error {
		for _, pkg := range g.packages {
			if got := upgrade.Simulate(pkg); len(got.Results) != len(everySemantics) {
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

func (g graphs) all(in func(upgrade.Package) connections) (sum connections) {
	for range g.times {
		for _, pkg := range g.packages {
			sum.add(in(pkg))
		}
	}
	return sum
}

// connect asks pkg/upgrade.
func connect(pkg upgrade.Package) (found connections) {
	for _, semantics := range everySemantics {
		pkg.Override = semantics
		graph := upgrade.New(pkg)
		found.edges += graph.EdgeCount()
		found.arriving += len(graph.Ancestors(len(graph.Bundles()) - 1))
	}
	return found
}

// upgradePackages are packages of a catalog as pkg/upgrade takes them, with the entries of all their channels.
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

// largePackage makes up a package: fifteen minor versions of each major one with twenty patches each, a channel for each
// minor version, where each bundle replaces the one before and skips the rest of its own and the last minor version.
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
