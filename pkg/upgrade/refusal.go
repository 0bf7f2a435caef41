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
	// selfCertified is the way past edges and steps.
	selfCertified = "set spec.upgrades.edges to SelfCertified to move all the same, at your own risk"
)

// Refusal says why there is no path to a bundle, given by its index; the zero Refusal where there is one, and for what is
// installed.
func (r *Reach) Refusal(to int) Refusal {
	g := r.graph
	target := g.bundles[to]
	if r.best[to] != nil || ascending(target, r.installed) == 0 {
		return Refusal{}
	}
	if len(g.pkg.Unreadable) > 0 && !g.pkg.SelfCertified {
		return Refusal{Unreadable, fmt.Sprintf("is not moved to while the author's upgrade rules cannot be read: %s; have them corrected, leave that catalog out by spec.package.catalogSelector, or %s",
			clip(strings.Join(g.pkg.Unreadable, "; "), maxCause), selfCertified)}
	}
	if target.Unfit != "" {
		return Refusal{Unfit, target.Unfit}
	}
	if target.Version.Compare(r.installed.Version) <= 0 && !g.pkg.SelfCertified {
		return Refusal{Downgrade, fmt.Sprintf("is not higher than the installed %s, and nothing is moved down silently: %s", r.installed.Version,
			"set spec.package.version to it and spec.upgrades.edges to SelfCertified to go there at your own risk, or delete the PlatformOperator and create it anew")}
	}
	if way := r.widened()[to]; way != nil {
		return Refusal{OutOfRange, r.confined(to, way)}
	}
	if r.search(search{wanted: to})[to] != nil {
		return Refusal{Guarded, r.guarded(to)}
	}
	for _, cause := range []struct {
		reason Reason
		there  bool // without any there is nothing to search for again
		unfit  bool
	}{{OutOfRange, g.confines, false}, {Unfit, !g.unfit.empty(), true}} {
		if !cause.there {
			continue
		}
		if way := r.search(search{wanted: to, confined: true, unfit: cause.unfit})[to]; way != nil {
			return Refusal{cause.reason, fmt.Sprintf("cannot be reached from %s: the way leads through %s; or %s", r.installed.Version, r.blamed(way), selfCertified)}
		}
	}
	return Refusal{NoEdge, r.noEdge(to)}
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
		if r.search(search{holding: less, wanted: to})[to] == nil {
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

// noEdge says what the semantics have against a move, and which others would permit it.
func (r *Reach) noEdge(to int) string {
	g := r.graph
	target := g.bundles[to].Version
	var against []string
	for _, semantics := range g.semantics {
		if len(g.semantics) > 1 && r.by(semantics).anyhow[to] != nil {
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
		if r.by(other.semantics).best[to] != nil {
			remedy = fmt.Sprintf("set spec.upgrades.edges to %s, by which a way leads there", other.value)
		}
	}
	return fmt.Sprintf("cannot follow %s: %s; %s", r.installed.Version, strings.Join(slices.Compact(against), ", and "), remedy)
}

// alternative is what other semantics lead to: best regards the steps and the cluster, anyhow nothing of them.
type alternative struct{ best, anyhow []*visit }

func (r *Reach) by(semantics Semantics) alternative {
	found, known := r.others[semantics]
	if !known {
		graph := r.graph.under(semantics)
		other := &Reach{graph: graph, installed: r.installed, first: graph.successors(r.installed), account: r.account}
		found = alternative{
			best:   other.search(search{holding: every, wanted: nobody}),
			anyhow: other.search(search{wanted: nobody, unfit: true, confined: true}),
		}
		if r.others == nil {
			r.others = map[Semantics]alternative{}
		}
		r.others[semantics] = found
	}
	return found
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
