package resolve

import (
	"slices"
	"strings"

	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// solve decides about a group, the members in order of precedence: each gets the best class that leaves a solution for all.
func solve(around *surroundings, group []*study) {
	mentioned := mentionedPackages(group)
	members := make([]*member, len(group))
	for i, s := range group {
		most := maxClasses
		if i >= maxGroup {
			most = 0
		}
		members[i] = newMember(s, mentioned, most)
	}
	if len(members) == 1 && len(members[0].classes[0].moments[0].requires)+len(members[0].classes[0].moments[1].requires) == 0 {
		return // nobody to quarrel with, and nothing to ask for
	}
	p := newPuzzle(around, members)
	given := make([]z.Lit, 0, len(p.rules)+len(members))
	for _, rule := range p.rules {
		given = append(given, rule.on)
	}
	best := slices.Clone(given)
	for _, m := range members {
		best = append(best, m.classes[0].is)
	}
	if p.try(best...) == solved { // everybody gets what it would get alone
		for _, m := range members {
			p.tell(m, nil)
		}
		return
	}
	p.inOrder(given)
}

// inOrder gives each member in turn its best class that leaves a solution, and says of those before it why not.
func (p *puzzle) inOrder(given []z.Lit) {
	for _, m := range p.members {
		m.chosen = len(m.classes) - 1
	}
	var taken []z.Lit // what the members before got, the latest first: an explanation rather does without
	for _, m := range p.members {
		var blocked []verdict
		for i, c := range m.classes {
			assumed := append(slices.Concat(taken, given), c.is)
			got := p.try(assumed...)
			if got == none {
				blocked = append(blocked, p.verdict(m, i, slices.Concat(taken, given)))
				continue
			}
			if got == solved {
				p.remember()
			} else {
				blocked = append(blocked, verdict{class: i, givenUp: true})
				continue
			}
			break
		}
		taken = slices.Insert(taken, 0, m.classes[m.chosen].is)
		p.tell(m, blocked)
	}
}

// remember keeps the last solution, which is what everybody gets for whom no better one is found.
func (p *puzzle) remember() {
	for _, m := range p.members {
		for i, c := range m.classes {
			if p.solver.Value(c.is) {
				m.chosen = i
			}
		}
	}
}

// verdict is why a member does not get a class.
type verdict struct {
	class   int
	rules   []groupRule
	taken   []*member
	givenUp bool
}

func (p *puzzle) verdict(m *member, class int, given []z.Lit) verdict {
	core, ok := p.core(m.classes[class].is, given)
	v := verdict{class: class, givenUp: !ok}
	for _, literal := range core {
		for _, rule := range p.rules {
			if rule.on == literal {
				v.rules = append(v.rules, rule)
			}
		}
		for _, other := range p.members {
			if other.classes[other.chosen].is == literal {
				v.taken = append(v.taken, other)
			}
		}
	}
	return v
}

// tell refuses what a member does not get, and lets those know who are part of it.
func (p *puzzle) tell(m *member, blocked []verdict) {
	for _, v := range blocked {
		if v.class >= m.chosen {
			break // it got it after all
		}
		conflict, rule := p.explain(m, v)
		m.refuse(m.classes[v.class].wishes, rule, conflict.Why)
		if len(m.conflicts) < maxConflicts {
			m.conflicts = append(m.conflicts, conflict)
		}
		for _, other := range p.members {
			if slices.Contains(conflict.With, other.ask.Operator) {
				other.notes = append(other.notes, m.label()+" does without "+conflict.Version+", which "+conflict.Why)
			}
		}
	}
	if m.classes[m.chosen].stays {
		m.refuse(m.untried, RuleConflict, "was not tried together with other operators: too many of them, or of its versions, have to do with one another; narrow spec.package.version or delete some")
	}
}

// mentionedPackages are the package requirements of a group, each once, in a stable order.
func mentionedPackages(group []*study) []catalog.Requirement {
	var all []catalog.Requirement
	seen := map[string]bool{}
	for _, s := range group {
		for _, o := range s.options {
			for _, r := range o.Bundle.Requirements {
				for _, leaf := range leaves(r) {
					if key := leaf.String(); leaf.Package != nil && !seen[key] {
						seen[key] = true
						all = append(all, leaf)
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b catalog.Requirement) int { return strings.Compare(a.String(), b.String()) })
	return all
}
