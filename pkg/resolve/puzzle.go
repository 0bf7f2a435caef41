package resolve

import (
	"slices"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// maxTries is how many questions the solver is asked about one group, and maxSlices how often it may give up and be asked
	// again. What has not been found by then is not searched for: the operators get what the last solution gives them, at
	// worst that everything stays.
	maxTries, maxSlices = 20_000, 64
	// sliceLength is so short that the solver gives up when it first asks for the time, which is after 20,000 propagations:
	// so how far it gets depends on the problem only, never on how fast the machine is. Real packages need some hundred.
	sliceLength = 1 // nanosecond
	// patience is how many slices one question may take.
	patience = 16
)

// puzzle is a group of operators as a satisfiability problem. That everything stays is always a solution of it.
type puzzle struct {
	around  *surroundings
	members []*member
	solver  *gini.Gini
	yes     z.Lit
	// rules are what has to hold, each with a literal that switches it on.
	rules []groupRule
	// met are the literals of what is met next and in the end.
	met           [2]map[string]z.Lit
	tries, slices int
}

// groupRule is one rule that the operators of a group have to keep: member's needs, or, where other is set, that the two do
// not bring the same.
type groupRule struct {
	on            z.Lit
	member, other *member
	need          catalog.Requirement
}

func newPuzzle(around *surroundings, members []*member) *puzzle {
	p := &puzzle{around: around, members: members, solver: gini.New(), met: [2]map[string]z.Lit{{}, {}}}
	p.yes = p.solver.Lit()
	p.clause(p.yes)
	for _, m := range members {
		var any []z.Lit
		for i := range m.classes {
			m.classes[i].is = p.solver.Lit()
			for _, before := range any {
				p.clause(before.Not(), m.classes[i].is.Not())
			}
			any = append(any, m.classes[i].is)
		}
		p.clause(any...)
	}
	for _, m := range members {
		p.needs(m)
	}
	p.clashes()
	return p
}

func (p *puzzle) clause(literals ...z.Lit) {
	for _, literal := range literals {
		p.solver.Add(literal)
	}
	p.solver.Add(z.LitNull)
}

// needs adds what a member's classes require, each requirement once. What runs already and lacks something stays all the same.
func (p *puzzle) needs(m *member) {
	at := map[string]int{}
	for _, c := range m.classes {
		for when, moment := range c.moments {
			for _, r := range moment.requires {
				if c.stays && !p.held(r) {
					continue
				}
				key := r.String()
				if _, known := at[key]; !known {
					at[key] = len(p.rules)
					p.rules = append(p.rules, groupRule{on: p.solver.Lit(), member: m, need: r})
				}
				p.clause(p.rules[at[key]].on.Not(), c.is.Not(), p.literal(r, true, when))
			}
		}
	}
}

// held says whether a requirement is met while everything stays.
func (p *puzzle) held(r catalog.Requirement) bool {
	return judge(r, true, func(leaf catalog.Requirement, want bool) bool {
		if leaf.Package != nil {
			if _, ok := p.around.covers(leaf.Package.Range); !ok {
				return false
			}
		}
		return want == (p.around.constant(leaf) || slices.ContainsFunc(p.members, func(m *member) bool {
			return m.stay().moments[0].meets(p.around, m.ask.Package, leaf)
		}))
	})
}

// literal is true only if a requirement is met at a time, or with want false, is not met.
func (p *puzzle) literal(r catalog.Requirement, want bool, when int) z.Lit {
	members, every, wanted := branches(r, want)
	switch {
	case r.GVK != nil || r.Package != nil:
		return p.leaf(r, want, when)
	case len(members) == 0:
		return p.yes.Not()
	}
	whole := p.solver.Lit()
	any := []z.Lit{whole.Not()}
	for _, member := range members {
		part := p.literal(member, wanted, when)
		if every {
			p.clause(whole.Not(), part)
			continue
		}
		any = append(any, part)
	}
	if !every {
		p.clause(any...)
	}
	return whole
}

func (p *puzzle) leaf(leaf catalog.Requirement, want bool, when int) z.Lit {
	if leaf.Package != nil {
		if _, ok := p.around.covers(leaf.Package.Range); !ok {
			return p.yes.Not() // neither met nor not met
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

// presence is true exactly if a kind or package is there at a time.
func (p *puzzle) presence(leaf catalog.Requirement, when int) z.Lit {
	if p.around.constant(leaf) {
		return p.yes
	}
	there := p.solver.Lit()
	any := []z.Lit{there.Not()}
	for _, m := range p.members {
		for _, c := range m.classes {
			if c.moments[when].meets(p.around, m.ask.Package, leaf) {
				p.clause(c.is.Not(), there)
				any = append(any, c.is)
			}
		}
	}
	p.clause(any...)
	return there
}

// clashes adds, for every two members, that they do not bring the same kind and are not of the same package.
func (p *puzzle) clashes() {
	for j, b := range p.members {
		for _, a := range p.members[:j] {
			if a.ask.Package != b.ask.Package && len(common(a.brings, b.brings)) == 0 {
				continue
			}
			rule := groupRule{member: a, other: b}
			for _, mine := range a.classes {
				for _, theirs := range b.classes {
					if clash := clashOf(a, b, mine, theirs); clash.none() {
						continue
					}
					if rule.on == z.LitNull {
						rule.on = p.solver.Lit()
					}
					p.clause(rule.on.Not(), mine.is.Not(), theirs.is.Not())
				}
			}
			if rule.on != z.LitNull {
				p.rules = append(p.rules, rule)
			}
		}
	}
}

// clash is what two members may not bring both.
type clash struct {
	kinds []catalog.GVK
	pkg   string
}

func (c clash) none() bool { return len(c.kinds) == 0 && c.pkg == "" }

// clashOf says what is wrong with two members getting these classes. What both have already is left to them; what one has
// is free for the other only when it is gone, even if it is about to go.
func clashOf(a, b *member, mine, theirs class) clash {
	var found clash
	aHas, bHas := a.stay().moments[0], b.stay().moments[0]
	for when := range mine.moments {
		m, t := mine.moments[when], theirs.moments[when]
		if m.version.IsZero() || t.version.IsZero() {
			continue
		}
		if a.ask.Package == b.ask.Package && (aHas.version.IsZero() || bHas.version.IsZero()) {
			found.pkg = a.ask.Package
		}
		found.kinds = append(found.kinds, without(common(m.brings, t.brings), common(aHas.brings, bHas.brings))...)
	}
	for _, now := range [][]catalog.GVK{
		without(common(mine.moments[0].brings, bHas.brings), aHas.brings),
		without(common(theirs.moments[0].brings, aHas.brings), bHas.brings),
	} {
		found.kinds = append(found.kinds, now...)
	}
	slices.SortFunc(found.kinds, catalog.GVK.Compare)
	found.kinds = slices.Compact(found.kinds)
	return found
}

// answer is what came of a question to the solver.
type answer int

const (
	unknown answer = 0
	solved  answer = 1
	none    answer = -1
)

// try asks for a solution in which all these literals are true.
func (p *puzzle) try(literals ...z.Lit) answer {
	for range patience {
		if p.tries++; p.tries > maxTries || p.slices >= maxSlices {
			return unknown
		}
		p.solver.Assume(literals...)
		if got := answer(p.solver.Try(sliceLength)); got != unknown {
			return got
		}
		p.slices++
	}
	return unknown
}

// core is a smallest set of the literals that leaves no solution beside one that is kept: without any one of them there would
// be one. The first are the first to be left out. ok is false where the search was given up.
func (p *puzzle) core(keep z.Lit, literals []z.Lit) (core []z.Lit, ok bool) {
	if p.try(append(slices.Clone(literals), keep)...) != none {
		return nil, false
	}
	failed := p.solver.Why(nil)
	core = slices.DeleteFunc(slices.Clone(literals), func(literal z.Lit) bool { return !slices.Contains(failed, literal) })
	for i := 0; i < len(core); {
		less := slices.Delete(slices.Clone(core), i, i+1)
		switch p.try(append(slices.Clone(less), keep)...) {
		case none:
			core = less
		case solved:
			i++
		default:
			return nil, false
		}
	}
	return core, true
}
