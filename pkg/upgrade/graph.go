package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// Package is the input for the Graph of one package: its content, and the options for its evaluation.
type Package struct {
	Name string
	// Bundles are the candidates, in any order.
	Bundles []Bundle
	// Entries are the entries of the selected channels.
	Entries []Entry
	// Rules are the author's rules. If several catalogs contain rules, all of them apply.
	Rules []Rules
	// Unreadable lists the errors of rules that cannot be read. If it is not empty, no hop is permitted unless SelfCertified is set.
	Unreadable []string
	// Default are the semantics of a package without rules; empty means Channel.
	Default Semantics
	// Override replaces the semantics of the package; empty keeps them. Steps apply in both cases.
	Override Semantics
	// OnlyPrereleases means that the selected channels contain only pre-releases. Semver then treats them as releases.
	OnlyPrereleases bool
	// SelfCertified permits every hop, including hops to a lower version. Edges and steps are ignored.
	SelfCertified bool
	// Limit limits the work.
	Limit Limit
}

// Bundle holds the properties of a bundle that upgrades depend on.
type Bundle struct {
	Name    string
	Version Version
	// Deprecated makes the bundle the last choice among paths with the same number of hops.
	Deprecated bool
	// Unfit is the reason why the cluster must not run the bundle, as a clause about the bundle; empty if the cluster may run it.
	Unfit string
	// Avoid is the reason why no path may continue from the bundle, as a clause about the bundle; empty if a path may continue. A path may
	// end at the bundle in both cases.
	Avoid string
}

// Entry is a bundle's entry in a channel.
type Entry struct {
	Channel string
	catalog.Entry
}

// SourceKind is what permits an edge: a field of a channel's entry, semantic versioning, or spec.upgrades.edges.
type SourceKind string

// Origins of edges.
const (
	FromReplaces      SourceKind = "replaces"
	FromSkips         SourceKind = "skips"
	FromSkipRange     SourceKind = "skipRange"
	FromSemver        SourceKind = "semver"
	FromSelfCertified SourceKind = "self-certified"
)

// Source is one origin of an edge, which may have several. Channel is the channel whose entry declares the edge; empty for other kinds of
// origins.
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

// Graph holds the edges and rules of one package. It is safe for concurrent use unless the package has a Limit.
type Graph struct {
	pkg Package
	// bundles are in ascending order of their versions. levels[i] numbers the version of bundles[i], in ascending order; bundles with equal
	// versions have the same number.
	bundles []Bundle
	levels  []int
	// order lists the indexes of the bundles in their order of preference on a path. rank[i] is the position of bundle i in order.
	order, rank []int
	// lowest[i] is the index of the first bundle with the version of bundle i. prereleasesBefore[i] is the number of pre-releases before
	// bundle i; one more element at the end is their total number.
	lowest, prereleasesBefore []int
	// unfit holds the ranks of the bundles that the cluster must not run. hasAvoided is true if a bundle has Avoid set.
	unfit      set
	hasAvoided bool
	// entries are the channels' entries, and channels are the names of the channels. entriesOf holds, for each bundle, the indexes of its
	// entries. byName holds the indexes of the bundles, keyed by name.
	entries   []entry
	entriesOf [][]int
	channels  []string
	notes     []string
	byName    map[string][]int
	// semantics are those that apply to the package. An edge exists only if all of them permit it.
	semantics []Semantics
	// byEdges holds, for each set of edges, a function that returns the successors under that set.
	byEdges [edgeSets]func() *successors
	steps   []step
	// masks holds, for each bundle, the steps that apply to it.
	masks  []stepMask
	budget *Budget
	// maxVisitedBytes is the maximum size of a search's visited sets, in bytes; tests set a lower one.
	maxVisitedBytes int
}

// entry is a channel's entry, with the indexes of the bundles that have its name (to).
type entry struct {
	Entry
	to []int
	// covers is the parsed skipRange; nil if there is none or it is invalid.
	covers blang.Range
}

func (e *entry) skips(v Version) bool { return e.covers != nil && !v.IsZero() && e.covers(v.strict) }

// New returns the Graph of a package. If several bundles have the same name and version, it uses the first. It reports problems of the
// input in Notes and Refusals.
func New(pkg Package) *Graph {
	g := &Graph{pkg: pkg, bundles: slices.Clone(pkg.Bundles), budget: NewBudget(pkg.Limit), maxVisitedBytes: maxVisitedBytes}
	slices.SortStableFunc(g.bundles, ascending)
	g.bundles = slices.CompactFunc(g.bundles, func(a, b Bundle) bool { return ascending(a, b) == 0 })
	g.sortBundles()
	g.readEntries()
	g.index()
	g.semantics = semanticsOf(pkg)
	g.pkg.Unreadable = slices.Clone(pkg.Unreadable)
	g.pkg.Rules = slices.Clone(pkg.Rules) // the order in which catalogs are read is arbitrary
	slices.SortStableFunc(g.pkg.Rules, func(a, b Rules) int { return cmp.Compare(a.Location, b.Location) })
	g.compileSteps()
	return g
}

// withSemantics returns a copy of the graph with other semantics.
func (g *Graph) withSemantics(semantics Semantics) *Graph {
	other := *g
	other.pkg.Override = semantics
	other.semantics = semanticsOf(other.pkg)
	return &other
}

// sortBundles computes the bundles' levels, ranks and order of preference.
func (g *Graph) sortBundles() {
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
		if bundle.Version.IsPrerelease() {
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
		g.hasAvoided = g.hasAvoided || g.bundles[at].Avoid != ""
	}
}

// Bundles returns the graph's bundles in ascending order of their versions. The slice is shared; the caller must not modify it.
func (g *Graph) Bundles() []Bundle { return g.bundles }

// Notes returns sentences about unusable parts of the channels' entries, sorted.
func (g *Graph) Notes() []string { return g.notes }

func ascending(a, b Bundle) int {
	return cmp.Or(a.Version.Compare(b.Version), cmp.Compare(a.Name, b.Name))
}

// preferred orders bundles by preference on a path: first those that are not deprecated, then releases, then the newest.
func preferred(a, b Bundle) int {
	return cmp.Or(
		compareBool(a.Deprecated, b.Deprecated),
		compareBool(a.Version.IsPrerelease(), b.Version.IsPrerelease()),
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

// readEntries finds the bundles of the entries and parses their skipRanges. An invalid skipRange has no effect and becomes a note.
func (g *Graph) readEntries() {
	g.byName = make(map[string][]int, len(g.bundles))
	g.entries, g.channels = make([]entry, 0, len(g.pkg.Entries)), make([]string, 0, len(g.pkg.Entries))
	for i, bundle := range g.bundles {
		g.byName[bundle.Name] = append(g.byName[bundle.Name], i)
	}
	g.entriesOf = make([][]int, len(g.bundles))
	ranges := map[string]blang.Range{} // keyed by text, because thousands of entries share a few ranges
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

// isSemverCompatible reports whether semantic versioning permits the version to as a replacement for the version from, which must be lower.
// It permits nothing after 0.0.z, and no other minor version after 0.y. A pre-release may be followed by later pre-releases of its version,
// by its release and by what may follow that release. If a package contains only pre-releases, they are treated as releases.
func (g *Graph) isSemverCompatible(from, to Version) bool {
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
