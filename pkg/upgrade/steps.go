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

func compile(g *Graph) []step {
	var steps []step
	for _, rules := range g.pkg.Rules {
		for i, each := range rules.Steps {
			compiled := step{Step: each, name: fmt.Sprintf("steps[%d] of %s", i, rules.Where), inside: newSet(len(g.bundles)), latest: -1}
			for at, bundle := range g.bundles {
				if bundle.Version.IsZero() || !each.Through.has(bundle.Version) {
					continue
				}
				compiled.inside.add(at)
				if each.Select == Latest && eligible(bundle) {
					compiled.latest = at // bundles are in ascending order
				}
			}
			steps = append(steps, compiled)
		}
	}
	if len(steps) > maxAllSteps {
		g.pkg.Unreadable = append(g.pkg.Unreadable, fmt.Sprintf("there are %d steps in all, and at most %d are judged", len(steps), maxAllSteps))
		steps = steps[:maxAllSteps]
	}
	return steps
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
	return g.mask(version, func(s *step) bool { return s.Through.has(version) })
}

// mask is the mask of a version; inside says whether it is in the range that a step leads through. To ask a Range is slow.
func (g *Graph) mask(version Version, inside func(*step) bool) mask {
	var m mask
	if version.IsZero() {
		return m
	}
	for i := range g.steps {
		bit, past := uint64(1)<<i, g.steps[i].To.guards(version)
		switch {
		case past:
			m.wants |= bit
			m.pays |= bit // however it got there, what is behind it is behind it
		case inside(&g.steps[i]) && g.steps[i].satisfiedBy(g, version):
			m.pays |= bit
		case g.steps[i].From.guards(version):
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
