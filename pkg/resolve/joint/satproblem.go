package joint

import (
	"slices"

	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// satProblem describes a group of operators as a satisfiability problem. Keeping every installed version is always a solution.
type satProblem struct {
	index     *resolve.ClusterIndex
	variables []*variable
	solver    *solver
	isTrue    z.Lit
	// constraints are the rules for solutions. Each has a literal that activates the rule.
	constraints []constraint
	// met holds the literals that are true if a required kind or package exists, keyed by the text of the requirement. met[0] is for the
	// time after the next step, and met[1] is for the end of the paths.
	met [2]map[string]z.Lit
}

// constraint is a rule for solutions that applies if on is true. If other is nil, the rule is that the variable's requirement is met.
// Otherwise the rule is that the operators variable and other do not overlap.
type constraint struct {
	on              z.Lit
	variable, other *variable
	requirement     catalog.Requirement
}

func newSATProblem(index *resolve.ClusterIndex, variables []*variable) *satProblem {
	p := &satProblem{index: index, variables: variables, solver: new(solver), met: [2]map[string]z.Lit{{}, {}}}
	p.isTrue = p.solver.literal()
	p.solver.clause(p.isTrue)
	for _, v := range variables {
		choice := make([]z.Lit, len(v.sets))
		for i := range v.sets {
			choice[i] = p.solver.literal()
			v.sets[i].literal = choice[i]
		}
		p.solver.choice(choice)
	}
	for _, v := range variables {
		p.addRequirements(v)
	}
	p.addOverlaps()
	return p
}

// addRequirements adds a constraint for each requirement of an operator's candidate sets. A requirement of the installed version that is
// already unmet may stay unmet.
func (p *satProblem) addRequirements(v *variable) {
	at := map[string]int{}
	for _, set := range v.sets {
		for when, state := range set.states {
			for _, r := range state.requires {
				if set.stays && !p.isMetNow(r) {
					continue
				}
				key := r.String()
				if _, known := at[key]; !known {
					at[key] = len(p.constraints)
					p.constraints = append(p.constraints, constraint{on: p.solver.literal(), variable: v, requirement: r})
				}
				p.solver.clause(p.constraints[at[key]].on.Not(), set.literal.Not(), p.literal(r, true, when))
			}
		}
	}
}

// isMetNow reports whether a requirement is met while every operator keeps its version.
func (p *satProblem) isMetNow(r catalog.Requirement) bool {
	return r.Evaluate(true, func(leaf catalog.Requirement, want bool) bool {
		if leaf.Package != nil {
			if _, ok := p.index.Range(leaf.Package.Range); !ok {
				return false
			}
		}
		return want == (p.index.IsMetByCluster(leaf) || slices.ContainsFunc(p.variables, func(v *variable) bool {
			return v.present().states[0].satisfies(p.index, v.evaluation.Package(), leaf)
		}))
	})
}

// literal returns a literal that is true only if a requirement is met at the time that when selects. If want is false, the literal is true
// only if the requirement is not met. when is 0 for the time after the next step, and 1 for the end of the paths.
func (p *satProblem) literal(r catalog.Requirement, want bool, when int) z.Lit {
	members, every, wanted := r.Operands(want)
	switch {
	case r.GVK != nil || r.Package != nil:
		return p.leafLiteral(r, want, when)
	case len(members) == 0:
		return p.isTrue.Not()
	}
	whole := p.solver.literal()
	any := []z.Lit{whole.Not()}
	for _, member := range members {
		part := p.literal(member, wanted, when)
		if every {
			p.solver.clause(whole.Not(), part)
			continue
		}
		any = append(any, part)
	}
	if !every {
		p.solver.clause(any...)
	}
	return whole
}

func (p *satProblem) leafLiteral(leaf catalog.Requirement, want bool, when int) z.Lit {
	if leaf.Package != nil {
		if _, ok := p.index.Range(leaf.Package.Range); !ok {
			return p.isTrue.Not() // with an invalid range, the requirement counts neither as met nor as unmet
		}
	}
	key := leaf.String()
	met, known := p.met[when][key]
	if !known {
		met = p.presence(leaf, when)
		p.met[when][key] = met
	}
	if !want {
		return met.Not()
	}
	return met
}

// presence returns a literal that is true if and only if a kind or package exists at the time that when selects, as in literal.
func (p *satProblem) presence(leaf catalog.Requirement, when int) z.Lit {
	if p.index.IsMetByCluster(leaf) {
		return p.isTrue
	}
	there := p.solver.literal()
	any := []z.Lit{there.Not()}
	for _, v := range p.variables {
		for _, set := range v.sets {
			if set.states[when].satisfies(p.index, v.evaluation.Package(), leaf) {
				p.solver.clause(set.literal.Not(), there)
				any = append(any, set.literal)
			}
		}
	}
	p.solver.clause(any...)
	return there
}
