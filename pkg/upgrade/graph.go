package upgrade

import (
	"cmp"
	"fmt"
	"slices"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// Package is what is known of a package, and how it is to be judged.
type Package struct {
	Name string
	// Bundles are what can be moved to, in any order.
	Bundles []Bundle
	// Entries are those of the channels that count.
	Entries []Entry
	// Rules are the author's; where several catalogs have some, all hold.
	Rules []Rules
	// Unreadable says what of the author's rules cannot be read. As long as there is something, nothing moves.
	Unreadable []string
	// Default are the semantics of a package without rules.
	Default Semantics
	// Override are semantics that take the place of the package's own; empty for its own. Steps hold all the same.
	Override Semantics
	// OnlyPrereleases says that the channels that count hold nothing but pre-releases.
	OnlyPrereleases bool
	// SelfCertified permits every move, down too, without regard to edges and steps.
	SelfCertified bool
}

// Bundle is one bundle of a package, as far as upgrades go.
type Bundle struct {
	Name    string
	Version Version
	// Deprecated ones are passed through only where nothing else will do.
	Deprecated bool
	// Unfit is why this cluster must not run it, as the rest of a sentence about it; empty if it may.
	Unfit string
}

// Entry is a bundle's place in a channel.
type Entry struct {
	Channel string
	catalog.Entry
}

// SourceKind says what an edge comes from.
type SourceKind string

// What edges come from.
const (
	FromReplaces      SourceKind = "replaces"
	FromSkips         SourceKind = "skips"
	FromSkipRange     SourceKind = "skipRange"
	FromSemver        SourceKind = "semver"
	FromSelfCertified SourceKind = "self-certified"
)

// Source is what an edge comes from. Channel is set for those that a channel's entry gives.
type Source struct {
	Kind    SourceKind
	Channel string
}

func (s Source) String() string {
	if s.Channel == "" {
		return string(s.Kind)
	}
	return fmt.Sprintf("%s in channel %q", s.Kind, s.Channel)
}

// Graph answers what may follow what in one package. It is safe for concurrent use.
type Graph struct {
	pkg Package
	// bundles are in ascending order; order has their indices as they are preferred on a path.
	bundles []Bundle
	order   []int
	// naming has, for each name of a bundle, what replaces or skips it; covering are the ranges, each with what skips it.
	naming   map[string][]arrow
	covering []covering
	// semantics are those that a hop has to be an edge of, all of them.
	semantics []Semantics
	steps     []step
	notes     []string
	// masks of the steps that concern each bundle.
	masks []mask
}

// arrow is the head of a channel edge.
type arrow struct {
	to     int
	source Source
}

type covering struct {
	covers blang.Range
	arrows []arrow
}

// New makes the graph of a package. Of bundles with the same name and version the first one counts.
func New(pkg Package) *Graph {
	g := &Graph{pkg: pkg, naming: map[string][]arrow{}}
	g.bundles = slices.Clone(pkg.Bundles)
	slices.SortStableFunc(g.bundles, ascending)
	g.bundles = slices.CompactFunc(g.bundles, func(a, b Bundle) bool { return ascending(a, b) == 0 })
	g.order = make([]int, len(g.bundles))
	for i := range g.order {
		g.order[i] = i
	}
	slices.SortFunc(g.order, func(a, b int) int { return preferred(g.bundles[a], g.bundles[b]) })
	g.connect()
	g.semantics = semanticsOf(pkg)
	g.steps = compile(g)
	g.masks = make([]mask, len(g.bundles))
	for i, bundle := range g.bundles {
		g.masks[i] = g.maskOf(bundle.Version)
	}
	return g
}

// Bundles are the graph's bundles, the lowest version first. They are shared and must not be changed.
func (g *Graph) Bundles() []Bundle { return g.bundles }

// Notes name what of the channels' entries could not be used, sorted.
func (g *Graph) Notes() []string { return g.notes }

func ascending(a, b Bundle) int {
	return cmp.Or(a.Version.Compare(b.Version), cmp.Compare(a.Name, b.Name))
}

// preferred orders what a path rather goes through: no deprecated version, no pre-release, the newest.
func preferred(a, b Bundle) int {
	return cmp.Or(
		compareBool(a.Deprecated, b.Deprecated),
		compareBool(a.Version.Prerelease(), b.Version.Prerelease()),
		ascending(b, a),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// connect reads the entries: which bundle they are of, and what they replace and skip.
func (g *Graph) connect() {
	byName := map[string][]int{}
	for i, bundle := range g.bundles {
		byName[bundle.Name] = append(byName[bundle.Name], i)
	}
	ranges := map[string]int{} // by text: thousands of entries share a few
	notes := map[string]bool{}
	for _, entry := range g.pkg.Entries {
		for _, to := range byName[entry.Name] {
			if entry.Replaces != "" {
				g.name(entry.Replaces, arrow{to, Source{FromReplaces, entry.Channel}})
			}
			for _, skipped := range entry.Skips {
				g.name(skipped, arrow{to, Source{FromSkips, entry.Channel}})
			}
		}
		if entry.SkipRange == "" {
			continue
		}
		at, known := ranges[entry.SkipRange]
		if !known {
			at = -1
			if covers, err := blang.ParseRange(entry.SkipRange); err == nil {
				at = len(g.covering)
				g.covering = append(g.covering, covering{covers: covers})
			}
			ranges[entry.SkipRange] = at
		}
		if at < 0 {
			notes[fmt.Sprintf("skipRange %.80q of entry %.80q in channel %.80q is not a version range and leads nowhere", entry.SkipRange, entry.Name, entry.Channel)] = true
			continue
		}
		for _, to := range byName[entry.Name] {
			g.covering[at].arrows = append(g.covering[at].arrows, arrow{to, Source{FromSkipRange, entry.Channel}})
		}
	}
	for note := range notes {
		g.notes = append(g.notes, note)
	}
	slices.Sort(g.notes)
}

func (g *Graph) name(name string, arrow arrow) {
	g.naming[name] = append(g.naming[name], arrow)
}

// arrowsFrom calls f with every channel edge that leaves a bundle, whatever it leads to.
func (g *Graph) arrowsFrom(from Bundle, f func(arrow)) {
	for _, arrow := range g.naming[from.Name] {
		f(arrow)
	}
	if from.Version.IsZero() {
		return
	}
	for _, covering := range g.covering {
		if !covering.covers(from.Version.strict) {
			continue
		}
		for _, arrow := range covering.arrows {
			f(arrow)
		}
	}
}

// compatible says whether semantic versioning promises that to can take the place of from. Nothing is promised by 0.0.z, by 0.y
// of the next, and by a pre-release, which is a new thing every time: it leads to its release and what comes after, and to
// later pre-releases of the same version. Where there is nothing but pre-releases they are taken for releases.
func (g *Graph) compatible(from, to Version) bool {
	a, b := from.semantic, to.semantic
	if a == nil || b == nil || to.Compare(from) <= 0 || a.Major() != b.Major() {
		return false
	}
	if a.Minor() == b.Minor() && a.Patch() == b.Patch() {
		return b.Prerelease() == "" || a.Prerelease() != ""
	}
	if b.Prerelease() != "" && !(g.pkg.OnlyPrereleases && a.Prerelease() != "") {
		return false
	}
	return a.Major() > 0 || a.Minor() == b.Minor() && a.Minor() > 0
}

func semanticsOf(pkg Package) []Semantics {
	switch {
	case pkg.Override != "":
		return []Semantics{pkg.Override}
	case len(pkg.Rules) == 0:
		return []Semantics{cmp.Or(pkg.Default, Channel)}
	}
	var all []Semantics
	for _, rules := range pkg.Rules {
		if !slices.Contains(all, rules.Semantics) {
			all = append(all, rules.Semantics)
		}
	}
	return all
}

// permit says whether an edge that the channels give, or not, and that semantic versioning gives, or not, is one.
func permit(semantics []Semantics, channel, semver bool) bool {
	for _, each := range semantics {
		if !(channel && each != Semver || semver && each != Channel) {
			return false
		}
	}
	return true
}
