package upgrade

import "fmt"

// step is a Step of a graph.
type step struct {
	Step
	// name is how messages call it: "steps[0] of <where>".
	name string
	// inside are the bundles that it leads through, by their indices.
	inside set
	// latest is the newest bundle that a Select of Latest means, -1 when there is none.
	latest int
}

// mask has a bit for each step that concerns a version: those that it owes, because it is where the step begins; those that it
// pays, because it is in the range to pass through, or past it all; and those that have to be paid before it.
type mask struct{ owes, pays, wants uint64 }

// maxAllSteps is how many steps are judged; beyond it the package's rules count as unreadable.
const maxAllSteps = 64

// compile finds out which bundles the author's steps concern. Where the budget does not last it leaves some out: then nothing is
// reached anyway. Who is self-certified passes no step.
func (g *Graph) compile() {
	g.masks = make([]mask, len(g.bundles))
	if g.pkg.SelfCertified {
		return
	}
	for _, rules := range g.pkg.Rules {
		for i, each := range rules.Steps {
			g.steps = append(g.steps, step{Step: each, name: fmt.Sprintf("steps[%d] of %s", i, rules.Where), latest: -1})
		}
	}
	if len(g.steps) > maxAllSteps {
		g.pkg.Unreadable = append(g.pkg.Unreadable, fmt.Sprintf("there are %d steps in all, and at most %d are judged", len(g.steps), maxAllSteps))
		g.steps = g.steps[:maxAllSteps]
	}
	for i := range g.steps {
		g.steps[i].inside = newSet(len(g.bundles))
		g.findInside(&g.steps[i])
	}
	for i, bundle := range g.bundles {
		if g.masks[i] = g.mask(bundle.Version, func(s *step) bool { return s.inside.has(i) }); g.budget.exhausted() {
			return
		}
	}
}

// findInside finds the bundles that a step leads through.
func (g *Graph) findInside(s *step) {
	for at, bundle := range g.bundles {
		if g.budget.exhausted() {
			return
		}
		if bundle.Version.IsZero() || !g.has(s.Through, bundle.Version) {
			continue
		}
		s.inside.add(at)
		if s.Select == Latest && eligible(bundle) {
			s.latest = at // bundles are in ascending order
		}
	}
}

// eligible says whether a bundle of a step's range may be the latest there.
func eligible(bundle Bundle) bool {
	return bundle.Unfit == "" && !bundle.Deprecated && !bundle.Version.Prerelease()
}

// satisfiedBy says whether having been ready at a version of the step's range satisfies the step, as things are now.
func (s *step) satisfiedBy(g *Graph, version Version) bool {
	return s.Select != Latest || s.latest >= 0 && version.Compare(g.bundles[s.latest].Version) >= 0
}

func (g *Graph) maskOf(version Version) mask {
	return g.mask(version, func(s *step) bool { return g.has(s.Through, version) })
}

// has is Range.has within the budget, as guards is Range.guards.
func (g *Graph) has(r Range, version Version) bool {
	g.budget.spend(r.work())
	return r.has(version)
}

func (g *Graph) guards(r Range, version Version) bool {
	work := r.work()
	if version.Prerelease() { // its release may be asked for, too
		work *= 2
	}
	g.budget.spend(work)
	return r.guards(version)
}

// mask is the mask of a version; inside says whether it is in the range that a step leads through. To ask a Range is slow. Where the
// budget does not last the rest of the steps are left out.
func (g *Graph) mask(version Version, inside func(*step) bool) mask {
	var m mask
	if version.IsZero() {
		return m
	}
	for i := range g.steps {
		if g.budget.exhausted() {
			return m
		}
		bit, past := uint64(1)<<i, g.guards(g.steps[i].To, version)
		switch {
		case past:
			m.wants |= bit
			m.pays |= bit // however it got there, what is behind it is behind it
		case inside(&g.steps[i]) && g.steps[i].satisfiedBy(g, version):
			m.pays |= bit
		case g.guards(g.steps[i].From, version):
			m.owes |= bit
		}
	}
	return m
}

// account is how an operator stands with the steps: owed since it was ready where they begin, paid since it was ready where
// they lead through. What is paid stays paid.
type account struct{ owed, paid uint64 }

func (a account) after(m mask) account {
	return account{owed: a.owed | m.owes, paid: a.paid | m.pays}
}

// of is how one stands with these steps; those who differ in others only go the same ways.
func (a account) of(steps uint64) account {
	return account{owed: a.owed & steps, paid: a.paid & steps}
}

// open are the steps that are owed and not paid.
func (a account) open() uint64 { return a.owed &^ a.paid }

// coveredBy says whether whoever stands like the other may go wherever one who stands like this may.
func (a account) coveredBy(other account) bool {
	return a.paid&^other.paid == 0 && other.open()&^a.open() == 0
}
