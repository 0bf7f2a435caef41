package upgrade

import (
	"fmt"
	"slices"
	"strings"
)

// Reason is the kind of rule that refuses an upgrade: one of the constants below, or empty if no rule does.
type Reason string

// Reasons why a version is not reachable.
const (
	// RulesInvalid: the author's rules cannot be read, so no upgrade is permitted.
	RulesInvalid Reason = "RulesInvalid"
	// Downgrade: the version is not higher than the installed one.
	Downgrade Reason = "Downgrade"
	// Unfit: the cluster must not run the version, or a version on every path to it.
	Unfit Reason = "Unfit"
	// OutOfRange: every path leads through a version from which the caller permits no path to continue.
	OutOfRange Reason = "Range"
	// BlockedBySteps: the author's steps block every path.
	BlockedBySteps Reason = "Step"
	// NoEdge: the package's semantics permit no path to the version.
	NoEdge Reason = "NoEdge"
	// SearchLimit: the search ended before it found a path or ruled one out.
	SearchLimit Reason = "SearchLimit"
)

// Refusal is the reason why a version is not reachable. It is zero if the version is reachable.
type Refusal struct {
	Reason Reason
	// Message is a clause that completes a sentence beginning with the version. It names the rule, where the rule comes from, and a remedy.
	Message string
}

const (
	// maxListed is the maximum number of parts that a message lists, and maxCause is the maximum size of a cause in it, in bytes.
	maxListed = 3
	maxCause  = 300
	// maxReachableSets is the maximum number of sets of reachable bundles that a Reachability caches.
	maxReachableSets = 1024
	// selfCertified is the remedy for refusals because of edges or steps: SelfCertified ignores both.
	selfCertified = "set spec.upgrades.edges to SelfCertified to move anyway, at your own risk"
)

// Reason returns the reason why the bundle with this index is not reachable; empty if it is reachable or installed. Calls for different
// bundles share their searches, so all bundles together need only a few.
func (r *Reachability) Reason(to int) Reason {
	reason, _ := r.reasonAndPath(to)
	return reason
}

// reasonAndPath returns the reason why a bundle is not reachable, and the path that would exist without that reason. The path is nil if
// there is none.
func (r *Reachability) reasonAndPath(to int) (Reason, *pathNode) {
	g := r.graph
	target := g.bundles[to]
	switch {
	case r.best[to] != nil || ascending(target, r.installed) == 0:
		return "", nil
	case len(g.pkg.Unreadable) > 0 && !g.pkg.SelfCertified:
		return RulesInvalid, nil
	case target.Unfit != "":
		return Unfit, nil
	case target.Version.Compare(r.installed.Version) <= 0 && !g.pkg.SelfCertified:
		return Downgrade, nil
	case r.exhausted:
		return SearchLimit, nil
	}
	for _, cause := range []struct {
		reason  Reason
		applies bool // false if the search cannot find more paths than the one before it
		options searchOptions
	}{
		{OutOfRange, g.hasAvoided, searchOptions{enforced: allSteps, ignoreAvoid: true, from: start}},
		{BlockedBySteps, len(g.steps) > 0, searchOptions{from: start}},
		{OutOfRange, g.hasAvoided, searchOptions{ignoreAvoid: true, from: start}},
		{Unfit, !g.unfit.empty(), searchOptions{ignoreAvoid: true, ignoreUnfit: true, from: start}},
	} {
		if !cause.applies {
			continue
		}
		if path := r.cachedSearch(cause.options)[to]; path != nil {
			return cause.reason, path
		}
	}
	if g.budget.exhausted() {
		return SearchLimit, nil
	}
	return NoEdge, nil
}

// Refusal returns the reason why the bundle with this index is not reachable, with a message; zero if it is reachable or installed. It may
// run a few searches for each bundle. If the budget is exhausted, it returns the BriefRefusal.
func (r *Reachability) Refusal(to int) Refusal {
	reason, path := r.reasonAndPath(to)
	brief := r.briefRefusal(to, reason)
	if r.graph.budget.exhausted() {
		return brief
	}
	refusal := Refusal{Reason: reason}
	switch {
	case reason == BlockedBySteps:
		refusal.Message = r.stepsMessage(to)
	case reason == OutOfRange && r.cachedSearch(searchOptions{enforced: allSteps, ignoreAvoid: true, from: start})[to] != nil:
		refusal.Message = r.avoidMessage(to, path)
	case path != nil:
		refusal.Message = fmt.Sprintf("cannot be reached from %s: the way leads through %s; %s", r.installed.Version, r.excludedBundles(path), otherRemedy(reason))
	case reason == NoEdge:
		refusal.Message = r.noEdgeMessage(to)
	default:
		return brief
	}
	if r.graph.budget.exhausted() {
		return brief
	}
	return refusal
}

// otherRemedy returns the remedy that follows the excluded bundles of a path. The clause about an avoided bundle has a first remedy, such as
// a wider range; a clause about an unfit bundle usually has none.
func otherRemedy(reason Reason) string {
	if reason == Unfit {
		return selfCertified
	}
	return "or " + selfCertified
}

// BriefRefusal returns the Refusal without the names of the bundles and steps that block the path. It needs no search besides those of
// Reason.
func (r *Reachability) BriefRefusal(to int) Refusal { return r.briefRefusal(to, r.Reason(to)) }

func (r *Reachability) briefRefusal(to int, reason Reason) Refusal {
	g := r.graph
	refusal := Refusal{Reason: reason}
	unreached := fmt.Sprintf("cannot be reached from %s: ", r.installed.Version)
	switch reason {
	case RulesInvalid:
		refusal.Message = fmt.Sprintf("is not installed while the author's upgrade rules cannot be read: %s; have them corrected, leave that catalog out by spec.package.catalogSelector, or %s",
			clip(strings.Join(g.pkg.Unreadable, "; "), maxCause), selfCertified)
	case Downgrade:
		refusal.Message = fmt.Sprintf("is not higher than the installed %s; %s", r.installed.Version,
			"to downgrade at your own risk, set spec.upgrades.edges to SelfCertified and spec.package.version to it, or remove the operator (delete the PlatformOperator) and install it again")
	case SearchLimit:
		refusal.Message = g.searchLimitMessage()
	case Unfit:
		if refusal.Message = g.bundles[to].Unfit; refusal.Message == "" {
			refusal.Message = unreached + "every path leads through a version that this cluster must not run; " + selfCertified
		}
	case OutOfRange:
		refusal.Message = unreached + "every path leads through a version from which none may lead on; " + selfCertified
	case BlockedBySteps:
		refusal.Message = unreached + "the steps of the author's upgrade rules leave no way; " + selfCertified
	case NoEdge:
		refusal.Message = fmt.Sprintf("cannot follow %s: no path of permitted moves leads there; %s", r.installed.Version, selfCertified)
	}
	return refusal
}

// searchLimitMessage returns the message for a search that the budget ended.
func (g *Graph) searchLimitMessage() string {
	if g.budget.canceled {
		return fmt.Sprintf("is not installed: the search for upgrade paths of package %q was canceled after %d steps of work, before it was complete; it is repeated", clip(g.pkg.Name, maxCause), g.budget.spent)
	}
	return fmt.Sprintf("is not installed: package %q is too large for a search of its upgrade paths, which ended after %d steps of work (%d bundles, %d channel entries, %d steps of upgrade rules): "+
		"choose from fewer catalogs by spec.package.catalogSelector or from fewer channels by spec.package.channels, have its author publish fewer entries, or %s",
		clip(g.pkg.Name, maxCause), g.budget.limit.Steps, len(g.bundles), len(g.entries), len(g.steps), selfCertified)
}

// stepsMessage returns the message that names the steps that block every path to a bundle.
func (r *Reachability) stepsMessage(to int) string {
	var parts []string
	for _, step := range r.blockingSteps(to) {
		parts = append(parts, step.describe()+", and "+r.unmetReason(step, to))
	}
	conflict := ""
	if len(parts) > 1 {
		conflict = "; together they leave no way"
	}
	return fmt.Sprintf("cannot be reached from %s: %s%s; %s", r.installed.Version, joinLimited(parts), conflict, selfCertified)
}

// blockingSteps returns a minimal set of steps that blocks every path to a bundle: if any one of them is removed, there is a path.
func (r *Reachability) blockingSteps(to int) (steps []*step) {
	holding := allSteps >> (64 - len(r.graph.steps))
	for i := range r.graph.steps {
		less := holding &^ (1 << i)
		if !r.reachableWith(less).has(to) {
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

// reachableWith returns the bundles that are reachable if only the given steps apply. It caches the result, because the steps that block
// one bundle usually also block its neighbors.
func (r *Reachability) reachableWith(holding uint64) set {
	found, known := r.reachable[holding]
	if !known {
		found = newSet(len(r.graph.bundles))
		for at, way := range r.search(searchOptions{enforced: holding, from: start}) {
			if way != nil {
				found.add(at)
			}
		}
		if r.reachable == nil || len(r.reachable) >= maxReachableSets {
			r.reachable = map[uint64]set{}
		}
		r.reachable[holding] = found
	}
	return found
}

// noEdgeMessage returns the message for a bundle to which the semantics permit no path. It names other semantics that permit one.
func (r *Reachability) noEdgeMessage(to int) string {
	g := r.graph
	target := g.bundles[to].Version
	var objections []string
	for _, semantics := range g.semantics {
		if len(g.semantics) > 1 && r.withSemantics(semantics).cachedSearch(edgesOnly)[to] != nil {
			continue // other catalogs' rules forbid the path
		}
		if semantics != Semver {
			objections = append(objections, g.noChannelEdgeMessage())
		}
		if semantics != Channel {
			objections = append(objections, noSemverEdgeMessage(r.installed.Version, target))
		}
	}
	if len(objections) == 0 {
		objections = append(objections, "the rules of several catalogs differ in semantics, and no upgrade path is valid under all of them")
	}
	slices.Sort(objections)
	remedy := selfCertified
	for _, other := range []struct {
		semantics Semantics
		value     string
	}{{Semver, "Semver"}, {Channel, "Channel"}} {
		if r.withSemantics(other.semantics).cachedSearch(searchOptions{enforced: allSteps, from: start})[to] != nil {
			remedy = fmt.Sprintf("set spec.upgrades.edges to %s, by which a way leads there", other.value)
		}
	}
	return fmt.Sprintf("cannot follow %s: %s; %s", r.installed.Version, strings.Join(slices.Compact(objections), ", and "), remedy)
}

// edgesOnly are the options of a search that ignores steps, Unfit and Avoid.
var edgesOnly = searchOptions{ignoreUnfit: true, ignoreAvoid: true, from: start}

// withSemantics returns the reachability from the same installed bundle under other semantics. Its field best is not set.
func (r *Reachability) withSemantics(semantics Semantics) *Reachability {
	other, known := r.bySemantics[semantics]
	if !known {
		other = &Reachability{graph: r.graph.withSemantics(semantics), installed: r.installed, at: r.at, progress: r.progress}
		if other.at == start {
			other.firstRanks = other.graph.startRanks(r.installed)
		}
		if r.bySemantics == nil {
			r.bySemantics = map[Semantics]*Reachability{}
		}
		r.bySemantics[semantics] = other
	}
	return other
}

func (g *Graph) noChannelEdgeMessage() string {
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
	return fmt.Sprintf("no replaces, skips or skipRange in the channels %s leads there", joinLimited(channels))
}

// noSemverEdgeMessage returns a clause that says why semantic versioning does not permit an edge.
func noSemverEdgeMessage(from, to Version) string {
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

// joinLimited joins at most maxListed parts and adds the number of the others.
func joinLimited(parts []string) string {
	if more := len(parts) - maxListed; more > 0 {
		parts = append(slices.Clone(parts[:maxListed]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}
