// Package joint decides all PlatformOperators of a cluster together. It describes operators that require or exclude one another as a
// satisfiability problem. Its functions do no I/O, and decisions do not depend on time. The PlatformOperator controller and the upgrade
// gate use its Cache. pkg/resolve decides what one operator may run on its own.
//
// cache.go keeps decisions. component.go finds the operators whose decisions depend on one another. satproblem.go describes them to
// solver.go, a bounded search that uses go-air/gini. solve.go goes through the operators, oldest first, and gives each its best version
// that leaves a solution for all. conflict.go explains a refused version with a minimal set of constraints.
package joint

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/resolve"
)

const (
	// maxCandidateSets is the maximum number of an operator's candidate sets in the search. Versions with equal requirements and provided
	// kinds are in the same candidate set.
	maxCandidateSets = 50
	// maxGroup is the maximum number of operators in a group that are decided together. The remaining operators keep their versions.
	maxGroup = 256
	// maxConflicts is the maximum number of conflicts that an operator's decision reports.
	maxConflicts = 10
)

// decideComponent returns the decisions for the operators of a component, which must be in order of precedence. The index must not have any
// registered operators.
func decideComponent(index *resolve.ClusterIndex, evaluations []*resolve.Evaluation) map[string]resolve.Decision {
	index.Register(evaluations)
	for _, e := range evaluations {
		e.Filter()
	}
	for _, group := range groupsOf(index, evaluations) {
		solveGroup(index, group)
		for _, e := range group {
			e.CoResolved = othersOf(e, group)
		}
	}
	decisions := make(map[string]resolve.Decision, len(evaluations))
	for _, e := range evaluations {
		decisions[e.Operator()] = e.Decide()
	}
	return decisions
}

// groupsOf returns the groups of operators that depend on one another, each in order of precedence. An operator without dependencies is in
// no group.
func groupsOf(index *resolve.ClusterIndex, evaluations []*resolve.Evaluation) [][]*resolve.Evaluation {
	leader := map[*resolve.Evaluation]*resolve.Evaluation{} // for each operator in a group, another operator nearer to the group's representative
	find := func(e *resolve.Evaluation) *resolve.Evaluation {
		for leader[e] != nil && leader[e] != e {
			e = leader[e]
		}
		leader[e] = e
		return e
	}
	union := func(a, b *resolve.Evaluation) { leader[find(a)] = find(b) }
	for _, same := range index.ByPackage {
		for _, e := range same[1:] {
			union(e, same[0])
		}
	}
	for _, same := range index.Providers {
		for _, e := range same[1:] {
			union(e, same[0])
		}
	}
	for _, e := range evaluations {
		for _, o := range e.Options {
			for _, r := range o.Bundle.Requirements {
				for _, leaf := range r.Leaves() {
					for _, other := range index.Related(leaf) {
						union(e, other)
					}
				}
				union(e, e)
			}
		}
	}
	var groups [][]*resolve.Evaluation
	at := map[*resolve.Evaluation]int{}
	for _, e := range evaluations {
		if leader[e] == nil {
			continue
		}
		first := find(e)
		if _, known := at[first]; !known {
			at[first] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[first]] = append(groups[at[first]], e)
	}
	return groups
}

// othersOf returns the names of the other operators of a group, sorted.
func othersOf(e *resolve.Evaluation, group []*resolve.Evaluation) (names []string) {
	for _, other := range group {
		if other != e {
			names = append(names, other.Operator())
		}
	}
	slices.Sort(names)
	return names
}
