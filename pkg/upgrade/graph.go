package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	// Limit bounds the work that is done about it.
	Limit Limit
}

// Bundle is one bundle of a package, as far as upgrades go.
type Bundle struct {
	Name    string
	Version Version
	// Deprecated ones are passed through only where nothing else will do.
	Deprecated bool
	// Unfit is why this cluster must not run it, as the rest of a sentence about it; empty if it may.
	Unfit string
	// Avoid is why no way may lead on from it, though one may end there, as the rest of a sentence about it; empty if one may.
	Avoid string
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

// Graph answers what may follow what in one package. It is safe for concurrent use unless the package has a Limit.
type Graph struct {
	pkg Package
	// bundles are in ascending order. levels number their versions in that order, the same one twice with the same number.
	bundles []Bundle
	levels  []int
	// order has the bundles' indices as they are preferred on a path, and rank where each bundle stands in it.
	order, rank []int
	// lowest is, for each bundle, the first of its version, and prereleasesBefore how many before it are pre-releases; one more says
	// how many there are.
	lowest, prereleasesBefore []int
	// unfit are the ranks of the bundles that the cluster must not run, and confines says that there are some that no way may
	// lead on from.
	unfit    set
	confines bool
	// entries are the channels', entriesOf those of each bundle, channels all their names. byName finds bundles.
	entries   []entry
	entriesOf [][]int
	channels  []string
	notes     []string
	byName    map[string][]int
	// semantics are those that a hop has to be an edge of, all of them.
	semantics []Semantics
	// byEdges finds what may follow each bundle.
	byEdges [edgeSets]func() *successors
	steps   []step
	// masks of the steps that concern each bundle.
	masks  []mask
	budget *Budget
	// untriedBytes is maxUntriedBytes, less in tests.
	untriedBytes int
}

// entry is an entry of a channel and the bundles of its name.
type entry struct {
	Entry
	to []int
	// covers is its skipRange, nil if there is none.
	covers blang.Range
}

func (e *entry) skips(v Version) bool { return e.covers != nil && !v.IsZero() && e.covers(v.strict) }

// New makes the graph of a package. Of bundles with the same name and version the first one counts.
func New(pkg Package) *Graph {
	g := &Graph{pkg: pkg, bundles: slices.Clone(pkg.Bundles), budget: NewBudget(pkg.Limit), untriedBytes: maxUntriedBytes}
	slices.SortStableFunc(g.bundles, ascending)
	g.bundles = slices.CompactFunc(g.bundles, func(a, b Bundle) bool { return ascending(a, b) == 0 })
	g.arrange()
	g.connect()
	g.index()
	g.semantics = semanticsOf(pkg)
	g.pkg.Unreadable = slices.Clone(pkg.Unreadable)
	g.pkg.Rules = slices.Clone(pkg.Rules) // whoever reads the catalogs may come by them in any order
	slices.SortStableFunc(g.pkg.Rules, func(a, b Rules) int { return cmp.Compare(a.Where, b.Where) })
	g.compile()
	return g
}

// under is the same graph with other semantics.
func (g *Graph) under(semantics Semantics) *Graph {
	other := *g
	other.pkg.Override = semantics
	other.semantics = semanticsOf(other.pkg)
	return &other
}

// arrange numbers the bundles' versions and puts them in the order of preference.
func (g *Graph) arrange() {
	g.levels, g.order, g.rank = make([]int, len(g.bundles)), make([]int, len(g.bundles)), make([]int, len(g.bundles))
	g.lowest, g.prereleasesBefore = make([]int, len(g.bundles)), make([]int, len(g.bundles)+1)
	for i, bundle := range g.bundles {
		g.order[i], g.lowest[i] = i, i
		if i > 0 {
			g.levels[i] = g.levels[i-1] + bundle.Version.Compare(g.bundles[i-1].Version)
			if g.levels[i] == g.levels[i-1] {
				g.lowest[i] = g.lowest[i-1]
			}
		}
		g.prereleasesBefore[i+1] = g.prereleasesBefore[i]
		if bundle.Version.Prerelease() {
			g.prereleasesBefore[i+1]++
		}
	}
	slices.SortFunc(g.order, func(a, b int) int { return preferred(g.bundles[a], g.bundles[b]) })
	g.unfit = newSet(len(g.bundles))
	for rank, at := range g.order {
		g.rank[at] = rank
		if g.bundles[at].Unfit != "" {
			g.unfit.add(rank)
		}
		g.confines = g.confines || g.bundles[at].Avoid != ""
	}
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

// connect reads the entries: which bundle they are of, and what they skip.
func (g *Graph) connect() {
	g.byName = make(map[string][]int, len(g.bundles))
	g.entries, g.channels = make([]entry, 0, len(g.pkg.Entries)), make([]string, 0, len(g.pkg.Entries))
	for i, bundle := range g.bundles {
		g.byName[bundle.Name] = append(g.byName[bundle.Name], i)
	}
	g.entriesOf = make([][]int, len(g.bundles))
	ranges := map[string]blang.Range{} // by text: thousands of entries share a few
	ordered := slices.Clone(g.pkg.Entries)
	slices.SortFunc(ordered, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Channel, b.Channel), strings.Compare(a.Name, b.Name), strings.Compare(a.Replaces, b.Replaces),
			strings.Compare(a.SkipRange, b.SkipRange), slices.Compare(a.Skips, b.Skips))
	})
	for at, written := range ordered {
		covers, known := ranges[written.SkipRange]
		if !known && written.SkipRange != "" {
			covers = ReadRange(written.SkipRange)
			ranges[written.SkipRange] = covers
		}
		if covers == nil && written.SkipRange != "" {
			g.notes = append(g.notes, fmt.Sprintf("skipRange %.80q of entry %.80q in channel %.80q is not a version range and leads nowhere", written.SkipRange, written.Name, written.Channel))
		}
		g.entries = append(g.entries, entry{Entry: written, to: g.byName[written.Name], covers: covers})
		for _, to := range g.byName[written.Name] {
			g.entriesOf[to] = append(g.entriesOf[to], at)
		}
		g.channels = append(g.channels, written.Channel)
	}
	slices.Sort(g.notes)
	g.notes = slices.Compact(g.notes)
	slices.Sort(g.channels)
	g.channels = slices.Compact(g.channels)
}

// promised says whether semantic versioning promises that to, which is higher, can take the place of from. Nothing is promised by 0.0.z, by 0.y
// of the next, and by a pre-release, which is a new thing every time: it leads to its release and what comes after, and to
// later pre-releases of the same version. Where there is nothing but pre-releases they are taken for releases.
func (g *Graph) promised(from, to Version) bool {
	a, b := from.semantic, to.semantic
	if a == nil || b == nil || a.Major() != b.Major() {
		return false
	}
	if a.Minor() == b.Minor() && a.Patch() == b.Patch() {
		return b.Prerelease() == "" || a.Prerelease() != ""
	}
	if b.Prerelease() != "" && (!g.pkg.OnlyPrereleases || a.Prerelease() == "") {
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
