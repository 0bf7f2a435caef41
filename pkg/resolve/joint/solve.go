package joint

import (
	"slices"
	"strings"

	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// solveGroup decides a group in order of precedence: each operator gets the best candidate set that leaves a solution for all.
func solveGroup(index *resolve.ClusterIndex, group []*resolve.Evaluation) {
	required := requiredPackages(group)
	variables := make([]*variable, len(group))
	for i, e := range group {
		most := maxCandidateSets
		if i >= maxGroup {
			most = 0
		}
		variables[i] = newVariable(e, required, most)
	}
	if len(variables) == 1 && len(variables[0].sets[0].states[0].requires)+len(variables[0].sets[0].states[1].requires) == 0 {
		return // one operator whose best version requires nothing
	}
	p := newSATProblem(index, variables)
	constraints := make([]z.Lit, 0, len(p.constraints)+len(variables))
	for _, c := range p.constraints {
		constraints = append(constraints, c.on)
	}
	best := slices.Clone(constraints)
	for _, v := range variables {
		best = append(best, v.sets[0].literal)
	}
	if _, found := p.solver.solve(best...); found == satisfiable { // each operator gets the version that it would get alone
		for _, v := range variables {
			p.applyOutcome(v, nil)
		}
		return
	}
	p.assignInOrder(constraints)
}

// assignInOrder gives each operator in turn its best set that leaves a solution, and refuses the better sets with the reason.
func (p *satProblem) assignInOrder(constraints []z.Lit) {
	for _, v := range p.variables {
		v.chosen = len(v.sets) - 1
	}
	var assigned []z.Lit // the sets of earlier operators, latest first, because minimalCore tries to drop the first elements first
	for _, v := range p.variables {
		var infeasible []infeasibility
		given := slices.Concat(assigned, constraints)
		for i, set := range v.sets {
			solution, found := p.solver.solve(append(slices.Clone(given), set.literal)...)
			if found == satisfiable {
				p.keepSolution(solution)
				break
			}
			why := infeasibility{set: i, isAborted: true}
			if found == unsatisfiable {
				why = p.whyInfeasible(v, i, given)
			}
			infeasible = append(infeasible, why)
		}
		assigned = slices.Insert(assigned, 0, v.sets[v.chosen].literal)
		p.applyOutcome(v, infeasible)
	}
}

// keepSolution records the candidate set that each operator has in a solution. The operator gets this set unless a later query finds a
// better one.
func (p *satProblem) keepSolution(solution []int) {
	for i, v := range p.variables {
		v.chosen = solution[i]
	}
}

// infeasibility is the reason why an operator does not get a candidate set: a minimal set of constraints and of assignments to earlier
// operators that leaves no solution with that set.
type infeasibility struct {
	set         int
	constraints []constraint
	assigned    []*variable
	// isAborted reports whether the search reached a limit before it had a result.
	isAborted bool
}

func (p *satProblem) whyInfeasible(v *variable, set int, given []z.Lit) infeasibility {
	core, ok := p.solver.minimalCore(v.sets[set].literal, given)
	why := infeasibility{set: set, isAborted: !ok}
	for _, literal := range core {
		for _, c := range p.constraints {
			if c.on == literal {
				why.constraints = append(why.constraints, c)
			}
		}
		for _, other := range p.variables {
			if other.sets[other.chosen].literal == literal {
				why.assigned = append(why.assigned, other)
			}
		}
	}
	return why
}

// applyOutcome refuses the sets that an operator does not get, and adds notes to the other operators in the conflict. If the operator keeps
// its version, applyOutcome also refuses the untried options.
func (p *satProblem) applyOutcome(v *variable, infeasible []infeasibility) {
	for _, why := range infeasible {
		if why.set >= v.chosen {
			break // a later query found a solution with this set
		}
		conflict, rule := p.conflictOf(v, why)
		v.evaluation.Refuse(v.sets[why.set].options, rule, conflict.Cause)
		if len(v.evaluation.Conflicts) < maxConflicts {
			v.evaluation.Conflicts = append(v.evaluation.Conflicts, conflict)
		}
		for _, other := range p.variables {
			if slices.Contains(conflict.With, other.evaluation.Operator()) {
				other.evaluation.Notes = append(other.evaluation.Notes,
					reason.Text(reason.Blocks{Operator: v.evaluation.Operator(), Version: conflict.Version, Why: conflict.Cause}))
			}
		}
	}
	if v.sets[v.chosen].stays {
		v.evaluation.Refuse(v.untried, resolve.RuleConflict, reason.Untried{})
	}
}

// requiredPackages returns the package requirements of a group, without duplicates, in a stable order.
func requiredPackages(group []*resolve.Evaluation) []catalog.Requirement {
	var all []catalog.Requirement
	visited := map[string]bool{}
	for _, e := range group {
		for _, o := range e.Options {
			for _, r := range o.Bundle.Requirements {
				for _, leaf := range r.Leaves() {
					if key := leaf.String(); leaf.Package != nil && !visited[key] {
						visited[key] = true
						all = append(all, leaf)
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b catalog.Requirement) int { return strings.Compare(a.String(), b.String()) })
	return all
}
