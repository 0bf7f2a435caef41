package upgrade

import (
	"slices"
	"strings"
)

// Semantics returns the semantics of the graph. An edge exists only if all of them permit it.
func (g *Graph) Semantics() []Semantics { return g.semantics }

// EdgeRefusal returns the reason why an operator that is installed at the start of an edge may not be upgraded along it; zero if it may.
// The edge must be one of Edges or Downgrades. ready has the same meaning as in From. The message is a clause about the bundle at the end
// of the edge. It does not name the bundle at the start, so that edges with the same cause have the same message.
func (g *Graph) EdgeRefusal(edge Edge, ready []Version) Refusal {
	from, to := g.bundles[edge.From], g.bundles[edge.To]
	switch {
	case g.pkg.SelfCertified:
		return Refusal{}
	case len(g.pkg.Unreadable) > 0:
		return Refusal{RulesInvalid, "is not installed while the author's upgrade rules cannot be read: " +
			clip(strings.Join(g.pkg.Unreadable, "; "), maxCause)}
	case g.levels[edge.To] < g.levels[edge.From]:
		return Refusal{Downgrade, "is lower, and only SelfCertified permits downgrades"}
	case to.Unfit != "":
		return Refusal{Unfit, to.Unfit}
	}
	reached := progress{}.after(g.masks[edge.From])
	if len(ready) > 0 {
		reached = g.progressAt(from.Version, ready)
	}
	open := reached.outstanding() & g.masks[edge.To].requires
	var parts []string
	for i := range g.steps {
		if open&(1<<i) != 0 {
			parts = append(parts, g.steps[i].describe())
		}
	}
	if len(parts) == 0 {
		return Refusal{}
	}
	return Refusal{BlockedBySteps, "cannot follow directly: " + joinLimited(parts)}
}

// Steps returns the number of hops on the path to the bundle with this index; 0 if there is no path. Unlike Path, it allocates nothing.
func (r *Reachability) Steps(to int) (steps int) {
	for visit := r.best[to]; visit != nil && visit.parent != nil; visit = visit.parent {
		steps++
	}
	return steps
}

// progressAt returns the progress of an operator at a version. ready lists the versions at which the operator was ready before, the oldest
// first. A downgrade resets the progress.
func (g *Graph) progressAt(installed Version, ready []Version) (reached progress) {
	before := Version{}
	for _, version := range append(slices.Clone(ready), installed) {
		if version.Compare(before) < 0 {
			reached = progress{}
		}
		reached = reached.after(g.maskOf(version))
		before = version
	}
	return reached
}
