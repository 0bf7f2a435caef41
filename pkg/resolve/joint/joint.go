// Package joint decides about all PlatformOperators of a cluster together: those that require one another, or exclude one another,
// become a satisfiability problem. It is a pure function, and what it decides does not depend on time. The PlatformOperator controller
// and the upgrade gate use its Cache. What an operator may run as far as it alone is concerned is decided by pkg/resolve.
//
// cache.go keeps decisions; component.go finds the operators whose decisions depend on one another; satproblem.go describes them to
// solver.go, a bounded search with go-air/gini; solve.go gives each operator, in order of age, its best version that leaves a solution
// for all; conflict.go explains by a minimal set of constraints what an operator does not get.
package joint

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/resolve"
)

const (
	// maxCandidateSets is how many alternatives of an operator are tried together with others; versions that require and provide the
	// same are one.
	maxCandidateSets = 50
	// maxGroup is how many operators of a group are decided together; those that come after them stay.
	maxGroup = 256
	// maxConflicts is the number of an operator's conflicts that are reported.
	maxConflicts = 10
)

// ResolveAll decides about all PlatformOperators of the cluster; the result is by their names, which have to differ.
//
// An operator that depends on no other gets what resolve.Resolve gives it. Those that require one another's kinds or packages, or
// provide the same kinds, are decided together, so that of what runs next, and of where everything goes, every requirement is met, no
// kind is provided by two and no package is there twice. In the order of age, the older first, then by name, each gets the best version
// that leaves a solution for all. What is installed may always stay, whatever is wrong with it, and no operator loses what it requires
// by an upgrade of another one. A kind or package that an operator has is free for others only when it is gone. Two that provide the
// same kind already, and a requirement of what is installed that is not met already, are left as they are.
//
// The result does not say whether versions below the chosen one could run with the others.
func ResolveAll(requests []resolve.Request, state resolve.ClusterState) map[string]resolve.Decision {
	return new(Cache).ResolveAll(requests, state)
}

// decideComponent decides about operators that depend on no others; they are in order of precedence.
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

// groupsOf are the operators that depend on one another, each in order of precedence. An operator that depends on no other and requires
// nothing is in none.
func groupsOf(index *resolve.ClusterIndex, evaluations []*resolve.Evaluation) [][]*resolve.Evaluation {
	leader := map[*resolve.Evaluation]*resolve.Evaluation{} // of each that is in a group, one of its group, step by step
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

// othersOf names the others of a group, sorted.
func othersOf(e *resolve.Evaluation, group []*resolve.Evaluation) (names []string) {
	for _, other := range group {
		if other != e {
			names = append(names, other.Operator())
		}
	}
	slices.Sort(names)
	return names
}
