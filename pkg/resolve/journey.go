package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// journey is where an operator can go from what is installed, within the catalogs that count. Before a first installation
// everything is reached at once.
type journey struct {
	ask *question
	// tier are the options of the catalogs that count, and nodes those of them that may be passed through, as the graph has them.
	tier, nodes []*option
	// at says which node a bundle is.
	at    map[node]int
	reach *upgrade.Reach
	// disputed are, for each node, the first on the path to it that catalogs disagree about, -1 where they do not; firstHops where the
	// path to each node begins; catalogs are those of the tier, sameVersion its options by their versions. All are made when they are asked for.
	disputed, firstHops []int
	catalogs            map[catalog.ID]bool
	sameVersion         map[string][]*option
}

// maxWork is how many steps of work, of about 10 ns each, the search for one operator's paths may take, and the explanation of what is
// refused. Counted were 404,000 steps for a chain of 10,000 versions, 43 million for one under 32 steps of rules that cannot be met, and
// 37,000 for 1,000 versions with 10,000 more entries: a sixth of it at most. It is there for packages that nobody has thought of.
const maxWork = 1 << 28

// node names a bundle in the graph.
type node struct{ bundle, version string }

func nodeOf(o *option) node { return node{o.Bundle.Name, o.Version.String()} }

// tierOf are the options of the catalogs whose priority counts: that of what fits, or the highest where nothing does.
func tierOf(options, fitting []*option) []*option {
	from := fitting
	if len(from) == 0 {
		from = options
	}
	if len(from) == 0 {
		return nil
	}
	priority := slices.MaxFunc(from, func(a, b *option) int { return cmp.Compare(a.priority, b.priority) }).priority
	return slices.DeleteFunc(slices.Clone(options), func(o *option) bool { return o.priority != priority })
}

// journey makes the graph: of the bundles in the channels that are asked for, whether or not they are in the range, because a
// way to it may lead through them; of those channels' entries; and of the rules that any of the selected catalogs has.
func (ask *question) journey(found finding, tier []*option) *journey {
	j := &journey{ask: ask, tier: tier}
	if ask.installed.IsZero() {
		return j
	}
	pkg := upgrade.Package{Name: ask.Package, Default: ask.DefaultEdges, OnlyPrereleases: true, Limit: ask.around.limit()}
	switch ask.Edges {
	case platformv1alpha1.EdgesChannel:
		pkg.Override = upgrade.Channel
	case platformv1alpha1.EdgesSemver:
		pkg.Override = upgrade.Semver
	case platformv1alpha1.EdgesSelfCertified:
		pkg.SelfCertified = true
	}
	byBundle := make(map[node]*option, len(tier))
	pkg.Bundles = make([]upgrade.Bundle, 0, len(tier))
	catalogs := map[string]bool{}
	within := ask.within(tier)
	for _, o := range tier {
		catalogs[o.Catalog.String()] = true
		if !o.wanted || o.Version.IsZero() {
			continue
		}
		pkg.OnlyPrereleases = pkg.OnlyPrereleases && !o.releases
		pkg.Bundles = append(pkg.Bundles, upgrade.Bundle{Name: o.Bundle.Name, Version: o.Version, Deprecated: o.Bundle.Deprecated != "", Unfit: o.unfit, Avoid: ask.avoid(o, within)})
		if name := nodeOf(o); byBundle[name] == nil {
			byBundle[name] = o
		}
	}
	for _, holder := range found.holders {
		if !catalogs[holder.ID.String()] {
			continue
		}
		for _, name := range wantedChannels(ask.Request, holder.Package) {
			channel, _ := holder.Package.Channel(name)
			pkg.Entries = slices.Grow(pkg.Entries, len(channel.Entries))
			for _, entry := range channel.Entries {
				pkg.Entries = append(pkg.Entries, upgrade.Entry{Channel: name, Entry: entry})
			}
		}
	}
	pkg.Rules, pkg.Unreadable = rulesOf(ask.Package, found.holders)
	graph := upgrade.New(pkg)
	j.at, j.nodes = make(map[node]int, len(byBundle)), make([]*option, 0, len(byBundle))
	for i, bundle := range graph.Bundles() {
		name := node{bundle.Name, bundle.Version.String()}
		j.nodes, j.at[name] = append(j.nodes, byBundle[name]), i
	}
	j.reach = graph.From(upgrade.Bundle{Name: ask.InstalledBundle, Version: ask.installed}, ask.ready)
	return j
}

// span is from the lowest to the highest version that a range has; zero where it has none.
type span struct{ lowest, highest upgrade.Version }

// within is what the range has of what can be moved to and what is installed.
func (ask *question) within(tier []*option) (s span) {
	if ask.loose == nil {
		return s
	}
	take := func(v upgrade.Version) {
		if !ask.loose.Check(v.Semver()) {
			return
		}
		if s.lowest.IsZero() || v.Compare(s.lowest) < 0 {
			s.lowest = v
		}
		if s.highest.IsZero() || v.Compare(s.highest) > 0 {
			s.highest = v
		}
	}
	take(ask.installed)
	for _, o := range tier {
		if o.wanted && !o.Version.IsZero() {
			take(o.Version)
		}
	}
	return s
}

// avoid says why no way may lead on from an option: the range has cut it out. To what is below the range one may go on the way
// into it, and what is above it is on the way to nothing but what is above it, too: that is refused anyway, and its path tells
// what would be if the range went on. To pass through what somebody has cut out of the middle, such as a version that is known
// to be bad, nobody has asked for.
func (ask *question) avoid(o *option, within span) string {
	why := inRange(ask, o)
	if why == "" || within.lowest.IsZero() || o.Version.Compare(within.lowest) < 0 {
		return ""
	}
	if o.Version.Compare(within.highest) > 0 && !ask.goesOnAfter(o.Version) {
		return ""
	}
	return why
}

// goesOnAfter says whether the range has anything above a version that it has not, be it in a catalog or not: then the version
// was cut out of it by itself.
func (ask *question) goesOnAfter(v upgrade.Version) bool {
	at := v.Semver()
	for _, next := range []semver.Version{at.IncPatch(), at.IncMinor(), at.IncMajor()} {
		if ask.loose.Check(&next) {
			return true
		}
	}
	return false
}

// rulesOf reads the rules of all catalogs that have some. Equal ones count once; two different ones of one catalog cannot be
// told apart and are as good as unreadable.
func rulesOf(pkg string, holders []Catalog) (rules []upgrade.Rules, unreadable []string) {
	seen := map[string]bool{}
	for _, holder := range holders {
		if blobs := holder.Package.UpgradeRules; len(blobs) > 1 {
			unreadable = append(unreadable, fmt.Sprintf("catalog %s has %d different ones of package %q: %s, and %s",
				holder.ID, len(blobs), pkg, clip(blobs[0].Where, maxCause), clip(blobs[1].Where, maxCause)))
			continue
		}
		for _, blob := range holder.Package.UpgradeRules {
			where := fmt.Sprintf("%s of package %q in catalog %s", clip(blob.Where, maxCause), pkg, holder.ID)
			if blob.Fault != "" {
				unreadable = append(unreadable, fmt.Sprintf("%s: %s", where, clip(blob.Fault, maxCause)))
				continue
			}
			read, err := upgrade.ReadRules(pkg, blob.Schema, []byte(blob.Raw))
			if err != nil {
				unreadable = append(unreadable, fmt.Sprintf("%s: %s", where, clip(err.Error(), maxCause)))
				continue
			}
			if key := blob.Schema + " " + blob.Raw; !seen[key] {
				seen[key] = true
				read.Where = where
				rules = append(rules, read)
			}
		}
	}
	return rules, unreadable
}

// node finds an option in the graph; false for one that no way may lead through.
func (j *journey) node(o *option) (int, bool) {
	at, ok := j.at[nodeOf(o)]
	return at, ok
}

// reachable parts what fits into what may be moved to, or is installed, and what may not.
func (j *journey) reachable(fitting []*option) (kept []*option, closed []Refusal) {
	if j.reach == nil {
		return fitting, nil
	}
	kept = make([]*option, 0, len(fitting))
	var causes []cause // a Refusal is large, so that it is made once their number is known
	for _, o := range fitting {
		if rule, why := j.closed(o); why != "" {
			causes = append(causes, cause{o, rule, why})
			continue
		}
		kept = append(kept, o)
	}
	closed = make([]Refusal, len(causes))
	for i, each := range causes {
		closed[i] = Refusal{Candidate: each.option.Candidate, Rule: each.rule, Why: each.why}
	}
	return kept, closed
}

// cause is why an option is refused.
type cause struct {
	option    *option
	rule, why string
}

// closed says why an option cannot be moved to; empty when it can, and for what is installed.
func (j *journey) closed(o *option) (rule, why string) {
	if o.Version.Compare(j.ask.installed) == 0 {
		return "", ""
	}
	at, ok := j.node(o)
	if !ok {
		return RuleChannel, channel(j.ask, o)
	}
	if !j.reach.Reached(at) {
		refusal := j.reach.Outline(at)
		if refusal.Reason == upgrade.OutOfRange {
			return RuleWay, refusal.Why
		}
		return string(refusal.Reason), refusal.Why
	}
	if why := prerelease(j.ask, o); why != "" && !slices.ContainsFunc(j.reach.Last(at).Sources, fromChannel) {
		return RulePrerelease, why
	}
	return "", ""
}

func fromChannel(source upgrade.Source) bool { return source.Channel != "" }

// to are the hops to an option; none to what is installed, and before a first installation.
func (j *journey) to(o *option) []Hop {
	if j.reach == nil {
		return nil
	}
	at, ok := j.node(o)
	if !ok {
		return nil
	}
	path, _ := j.reach.Path(at)
	hops := make([]Hop, 0, len(path))
	for _, hop := range path {
		hops = append(hops, Hop{Candidate: j.nodes[hop.Bundle].Candidate, Sources: hop.Sources})
	}
	return hops
}

// versionsTo are the versions of the hops to an option that is reached, without all else that is known of them: paths may be long.
func (j *journey) versionsTo(o *option) []string {
	at, _ := j.node(o)
	path, _ := j.reach.Path(at)
	versions := make([]string, 0, len(path))
	for _, hop := range path {
		versions = append(versions, j.nodes[hop.Bundle].Version.String())
	}
	return versions
}

// reaches says whether there are hops to an option.
func (j *journey) reaches(o *option) bool {
	if j.reach == nil {
		return false
	}
	at, ok := j.node(o)
	return ok && j.reach.Reached(at)
}

// next is where the path to an option begins: the option itself where it takes one hop at most.
func (j *journey) next(o *option) *option {
	if !j.reaches(o) {
		return o
	}
	if j.firstHops == nil {
		j.firstHops = j.reach.FirstHops()
	}
	at, _ := j.node(o)
	if first := j.firstHops[at]; first != at {
		return j.nodes[first]
	}
	return o
}

// ambiguity says that catalogs disagree on an option or on what leads there; empty when they do not.
func (j *journey) ambiguity(o *option) string {
	disputed := j.dispute(o)
	if disputed == nil {
		return ""
	}
	return ambiguous(j.ask, disputed, j.sameVersion[versionKey(disputed)])
}

// dispute is the first option on the path to another, itself included, that catalogs disagree about; nil when they do not. It looks at
// each option once for all paths.
func (j *journey) dispute(o *option) *option {
	if j.catalogs == nil {
		j.catalogs = map[catalog.ID]bool{}
		for _, each := range j.tier {
			j.catalogs[each.Catalog] = true
		}
	}
	if len(j.catalogs) == 0 || len(j.catalogs) == 1 && j.catalogs[o.Catalog] {
		return nil // one catalog does not disagree with itself
	}
	if j.sameVersion == nil {
		j.sameVersion = map[string][]*option{}
		for _, each := range j.tier {
			j.sameVersion[versionKey(each)] = append(j.sameVersion[versionKey(each)], each)
		}
	}
	disputes := func(o *option) bool { return ambiguous(j.ask, o, j.sameVersion[versionKey(o)]) != "" }
	if j.reaches(o) {
		if j.disputed == nil {
			j.disputed = j.reach.FirstOf(func(at int) bool { return disputes(j.nodes[at]) })
		}
		if at, _ := j.node(o); j.disputed[at] >= 0 {
			return j.nodes[j.disputed[at]]
		}
	}
	if disputes(o) {
		return o
	}
	return nil
}

// versionKey is the same for options of equal versions.
func versionKey(o *option) string { return o.Version.String() }
