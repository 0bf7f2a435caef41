package upgrade

import (
	"fmt"
	"slices"
	"strings"
)

// Reason says what kind of rule refuses a move, one of a fixed set.
type Reason string

// Why a version cannot be moved to.
const (
	// Unreadable: the author's rules cannot be read, so that nothing moves.
	Unreadable Reason = "RulesInvalid"
	// Downgrade: the version is not higher than what is installed.
	Downgrade Reason = "Downgrade"
	// Unfit: the cluster must not run the version, or one that every way leads through.
	Unfit Reason = "Unfit"
	// OutOfRange: every way leads through a version that no way may lead on from, because whoever asked has cut it out.
	OutOfRange Reason = "Range"
	// Guarded: the author's steps are in the way.
	Guarded Reason = "Step"
	// NoEdge: by the package's semantics no way leads there.
	NoEdge Reason = "NoEdge"
	// SearchLimit: the search for a path had to end before it was found out.
	SearchLimit Reason = "SearchLimit"
)

// Refusal says why a version cannot be moved to. The zero Refusal refuses nothing.
type Refusal struct {
	Reason Reason
	// Why is the rest of a sentence that begins with the version: whose rule it is, what it says and what would do.
	Why string
}

const (
	maxListed = 3
	maxCause  = 300
	// maxKeptSets bounds how many sets of reached bundles are kept.
	maxKeptSets = 1024
	// selfCertified is the way past edges and steps.
	selfCertified = "set spec.upgrades.edges to SelfCertified to move all the same, at your own risk"
)

// Reason says what kind of rule refuses a bundle, given by its index; empty where there is a path to it, and for what is installed. It
// takes a few searches for all bundles together.
func (r *Reach) Reason(to int) Reason {
	reason, _ := r.judge(to)
	return reason
}

// judge finds the reason, and the way that there would be if what it says were overlooked.
func (r *Reach) judge(to int) (Reason, *visit) {
	g := r.graph
	target := g.bundles[to]
	switch {
	case r.best[to] != nil || ascending(target, r.installed) == 0:
		return "", nil
	case len(g.pkg.Unreadable) > 0 && !g.pkg.SelfCertified:
		return Unreadable, nil
	case target.Unfit != "":
		return Unfit, nil
	case target.Version.Compare(r.installed.Version) <= 0 && !g.pkg.SelfCertified:
		return Downgrade, nil
	case r.ended:
		return SearchLimit, nil
	}
	for _, cause := range []struct {
		reason Reason
		there  bool // without any there is nothing to search for again
		look   search
	}{
		{OutOfRange, g.confines, search{holding: every, confined: true, from: start}},
		{Guarded, len(g.steps) > 0, search{from: start}},
		{OutOfRange, g.confines, search{confined: true, from: start}},
		{Unfit, !g.unfit.empty(), search{confined: true, unfit: true, from: start}},
	} {
		if !cause.there {
			continue
		}
		if way := r.searched(cause.look)[to]; way != nil {
			return cause.reason, way
		}
	}
	if g.budget.exhausted() {
		return SearchLimit, nil
	}
	return NoEdge, nil
}

// Refusal says why there is no path to a bundle, given by its index; the zero Refusal where there is one, and for what is
// installed. It may take a few searches for each bundle; where the budget does not last for them it says what Outline says.
func (r *Reach) Refusal(to int) Refusal {
	reason, way := r.judge(to)
	outline := r.outline(to, reason)
	if r.graph.budget.exhausted() {
		return outline
	}
	refusal := Refusal{Reason: reason}
	switch {
	case reason == Guarded:
		refusal.Why = r.guarded(to)
	case reason == OutOfRange && r.searched(search{holding: every, confined: true, from: start})[to] != nil:
		refusal.Why = r.confined(to, way)
	case way != nil:
		refusal.Why = fmt.Sprintf("cannot be reached from %s: the way leads through %s; or %s", r.installed.Version, r.blamed(way), selfCertified)
	case reason == NoEdge:
		refusal.Why = r.noEdge(to)
	default:
		return outline
	}
	if r.graph.budget.exhausted() {
		return outline
	}
	return refusal
}

// Outline is Refusal without the bundles and steps that are in the way, for which nothing more has to be searched.
func (r *Reach) Outline(to int) Refusal { return r.outline(to, r.Reason(to)) }

func (r *Reach) outline(to int, reason Reason) Refusal {
	g := r.graph
	refusal := Refusal{Reason: reason}
	unreached := fmt.Sprintf("cannot be reached from %s: ", r.installed.Version)
	switch reason {
	case Unreadable:
		refusal.Why = fmt.Sprintf("is not moved to while the author's upgrade rules cannot be read: %s; have them corrected, leave that catalog out by spec.package.catalogSelector, or %s",
			clip(strings.Join(g.pkg.Unreadable, "; "), maxCause), selfCertified)
	case Downgrade:
		refusal.Why = fmt.Sprintf("is not higher than the installed %s, and nothing is moved down silently: %s", r.installed.Version,
			"set spec.package.version to it and spec.upgrades.edges to SelfCertified to go there at your own risk, or delete the PlatformOperator and create it anew")
	case SearchLimit:
		refusal.Why = g.searchEnded()
	case Unfit:
		if refusal.Why = g.bundles[to].Unfit; refusal.Why == "" {
			refusal.Why = unreached + "every way leads through a version that this cluster must not run; " + selfCertified
		}
	case OutOfRange:
		refusal.Why = unreached + "every way leads through a version from which none may lead on; " + selfCertified
	case Guarded:
		refusal.Why = unreached + "the steps of the author's upgrade rules leave no way; " + selfCertified
	case NoEdge:
		refusal.Why = fmt.Sprintf("cannot follow %s: no path of permitted moves leads there; %s", r.installed.Version, selfCertified)
	}
	return refusal
}

// searchEnded says why a search had to end.
func (g *Graph) searchEnded() string {
	if g.budget.canceled {
		return fmt.Sprintf("is not moved to: the search for upgrade paths of package %q was canceled after %d steps of work, before it was complete; it is repeated", clip(g.pkg.Name, maxCause), g.budget.spent)
	}
	return fmt.Sprintf("is not moved to: package %q is too large for a search of its upgrade paths, which ended after %d steps of work (%d bundles, %d channel entries, %d steps of upgrade rules): "+
		"choose from fewer catalogs by spec.package.catalogSelector or from fewer channels by spec.package.channels, have its author publish fewer entries, or %s",
		clip(g.pkg.Name, maxCause), g.budget.limit.Steps, len(g.bundles), len(g.entries), len(g.steps), selfCertified)
}

// guarded names the steps that close every way to a bundle.
func (r *Reach) guarded(to int) string {
	var parts []string
	for _, step := range r.closing(to) {
		parts = append(parts, step.describe()+", and "+r.missing(step, to))
	}
	clash := ""
	if len(parts) > 1 {
		clash = "; together they leave no way"
	}
	return fmt.Sprintf("cannot be reached from %s: %s%s; %s", r.installed.Version, listed(parts), clash, selfCertified)
}

// closing are a smallest set of steps that closes every way to a bundle: without any one of them there would be one.
func (r *Reach) closing(to int) (steps []*step) {
	holding := every >> (64 - len(r.graph.steps))
	for i := range r.graph.steps {
		less := holding &^ (1 << i)
		if !r.reachedWith(less).has(to) {
			holding = less
		}
	}
	for i := range r.graph.steps {
		if holding&(1<<i) != 0 {
			steps = append(steps, &r.graph.steps[i])
		}
	}
	return steps
}

// reachedWith are the bundles that are reached if only these steps are regarded. The steps that close the ways to a bundle close those to
// its neighbors, too, so that the same is asked again and again.
func (r *Reach) reachedWith(holding uint64) set {
	found, known := r.reached[holding]
	if !known {
		found = newSet(len(r.graph.bundles))
		for at, way := range r.search(search{holding: holding, from: start}) {
			if way != nil {
				found.add(at)
			}
		}
		if r.reached == nil || len(r.reached) >= maxKeptSets {
			r.reached = map[uint64]set{}
		}
		r.reached[holding] = found
	}
	return found
}

// noEdge says what the semantics have against a move, and which others would permit it.
func (r *Reach) noEdge(to int) string {
	g := r.graph
	target := g.bundles[to].Version
	var against []string
	for _, semantics := range g.semantics {
		if len(g.semantics) > 1 && r.by(semantics).searched(anyhow)[to] != nil {
			continue // it is another catalog's rules that have something against it
		}
		if semantics != Semver {
			against = append(against, g.channelsAgainst())
		}
		if semantics != Channel {
			against = append(against, semverAgainst(r.installed.Version, target))
		}
	}
	if len(against) == 0 {
		against = append(against, "the rules of several catalogs differ in semantics, and no way is one by all of them")
	}
	slices.Sort(against)
	remedy := selfCertified
	for _, other := range []struct {
		semantics Semantics
		value     string
	}{{Semver, "Semver"}, {Channel, "Channel"}} {
		if r.by(other.semantics).searched(search{holding: every, from: start})[to] != nil {
			remedy = fmt.Sprintf("set spec.upgrades.edges to %s, by which a way leads there", other.value)
		}
	}
	return fmt.Sprintf("cannot follow %s: %s; %s", r.installed.Version, strings.Join(slices.Compact(against), ", and "), remedy)
}

// anyhow regards nothing of the steps and the cluster.
var anyhow = search{unfit: true, confined: true, from: start}

// by is what other semantics would lead to.
func (r *Reach) by(semantics Semantics) *Reach {
	other, known := r.others[semantics]
	if !known {
		other = &Reach{graph: r.graph.under(semantics), installed: r.installed, at: r.at, account: r.account}
		if other.at == start {
			other.first = other.graph.startRanks(r.installed)
		}
		if r.others == nil {
			r.others = map[Semantics]*Reach{}
		}
		r.others[semantics] = other
	}
	return other
}

func (g *Graph) channelsAgainst() string {
	var channels []string
	for _, channel := range g.channels {
		channels = append(channels, fmt.Sprintf("%.80q", channel))
	}
	switch len(channels) {
	case 0:
		return "none of the channels to choose from has an entry"
	case 1:
		return fmt.Sprintf("no replaces, skips or skipRange in channel %s leads there", channels[0])
	}
	return fmt.Sprintf("no replaces, skips or skipRange in the channels %s leads there", listed(channels))
}

// semverAgainst says what semantic versioning does not promise.
func semverAgainst(from, to Version) string {
	a, b := from.semantic, to.semantic
	if a == nil || b == nil {
		return "semantic versioning promises nothing about what has no version"
	}
	switch {
	case b.Prerelease() != "" && a.Prerelease() == "":
		return "semantic versioning does not lead from a release to a pre-release"
	case a.Major() != b.Major():
		return fmt.Sprintf("semantic versioning promises nothing from major version %d to %d", a.Major(), b.Major())
	case a.Major() == 0 && a.Minor() != b.Minor():
		return fmt.Sprintf("semantic versioning promises nothing from 0.%d to 0.%d", a.Minor(), b.Minor())
	case b.Prerelease() != "":
		return "semantic versioning does not lead from one version's pre-release to another's"
	}
	return "semantic versioning promises nothing between 0.0.z versions"
}

// listed joins at most a few parts and counts the rest.
func listed(parts []string) string {
	if more := len(parts) - maxListed; more > 0 {
		parts = append(slices.Clone(parts[:maxListed]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}
