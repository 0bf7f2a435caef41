package joint

import (
	"slices"

	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// overlap is the kinds or the package that two operators must not both provide.
type overlap struct {
	kinds []catalog.GVK
	pkg   string
}

func (o overlap) isEmpty() bool { return len(o.kinds) == 0 && o.pkg == "" }

// addOverlaps adds constraints for each pair of operators: they must not provide the same kind or install the same package.
func (p *satProblem) addOverlaps() {
	for i, second := range p.variables {
		for _, first := range p.variables[:i] {
			if first.evaluation.Package() != second.evaluation.Package() && len(intersect(first.provides, second.provides)) == 0 {
				continue
			}
			rule := constraint{variable: first, other: second}
			for _, a := range first.sets {
				for _, b := range second.sets {
					if overlapOf(first, second, a, b).isEmpty() {
						continue
					}
					if rule.on == z.LitNull {
						rule.on = p.solver.literal()
					}
					p.solver.clause(rule.on.Not(), a.literal.Not(), b.literal.Not())
				}
			}
			if rule.on != z.LitNull {
				p.constraints = append(p.constraints, rule)
			}
		}
	}
}

// overlapOf returns the kinds or the package because of which the candidate sets a and b of two operators exclude each other; empty if they
// do not. What both operators already provide is permitted. An operator can take over a kind only after the other operator no longer
// provides it, even if the other operator is already planned to give it up.
func overlapOf(first, second *variable, a, b candidateSet) overlap {
	var found overlap
	firstNow, secondNow := first.present().states[0], second.present().states[0]
	for when := range a.states {
		if a.states[when].version.IsZero() || b.states[when].version.IsZero() {
			continue
		}
		if first.evaluation.Package() == second.evaluation.Package() && (firstNow.version.IsZero() || secondNow.version.IsZero()) {
			found.pkg = first.evaluation.Package()
		}
		both := intersect(a.states[when].provides, b.states[when].provides)
		found.kinds = append(found.kinds, subtract(both, intersect(firstNow.provides, secondNow.provides))...)
	}
	found.kinds = append(found.kinds, subtract(intersect(a.states[0].provides, secondNow.provides), firstNow.provides)...)
	found.kinds = append(found.kinds, subtract(intersect(b.states[0].provides, firstNow.provides), secondNow.provides)...)
	found.kinds = sortedKinds(found.kinds)
	return found
}

// overlapsOf merges the overlaps of each of the given sets of the first operator with each set of the second operator.
func overlapsOf(first, second *variable, sets []candidateSet) (all overlap) {
	for _, a := range sets {
		for _, b := range second.sets {
			found := overlapOf(first, second, a, b)
			all.kinds = append(all.kinds, found.kinds...)
			if found.pkg != "" {
				all.pkg = found.pkg
			}
		}
	}
	all.kinds = slices.Clip(sortedKinds(all.kinds))
	return all
}
