package upgrade

import "fmt"

// step is a Step with the bundles that it concerns.
type step struct {
	Step
	// name identifies the step in messages: "steps[0] of <location>".
	name string
	// through holds the indexes of the bundles in the Through range.
	through set
	// latest is the index of the newest bundle that satisfies Latest; -1 if there is none.
	latest int
}

// stepMask has bits for the steps that concern a version: those that it triggers, because it is in From; those that it satisfies, because
// it is in Through or already in To; and those that it requires to be satisfied, because it is in To.
type stepMask struct{ triggers, satisfies, requires uint64 }

// maxAllSteps is the maximum number of steps of a package in all catalogs. If there are more, the rules are treated as unreadable.
const maxAllSteps = 64

// compileSteps computes the steps, and the masks of the bundles. If there are too many steps, it adds an error to Unreadable. If the budget
// is exhausted, it omits some steps; then nothing is reachable. A self-certified package has no steps.
func (g *Graph) compileSteps() {
	g.masks = make([]stepMask, len(g.bundles))
	if g.pkg.SelfCertified {
		return
	}
	for _, rules := range g.pkg.Rules {
		for i, each := range rules.Steps {
			g.steps = append(g.steps, step{Step: each, name: fmt.Sprintf("steps[%d] of %s", i, rules.Location), latest: -1})
		}
	}
	if len(g.steps) > maxAllSteps {
		g.pkg.Unreadable = append(g.pkg.Unreadable, fmt.Sprintf("there are %d steps in all, and at most %d are judged", len(g.steps), maxAllSteps))
		g.steps = g.steps[:maxAllSteps]
	}
	for i := range g.steps {
		g.steps[i].through = newSet(len(g.bundles))
		g.compileThrough(&g.steps[i])
	}
	for i, bundle := range g.bundles {
		if g.masks[i] = g.mask(bundle.Version, func(s *step) bool { return s.through.has(i) }); g.budget.exhausted() {
			return
		}
	}
}

// compileThrough sets the fields through and latest of a step. If the budget is exhausted, it omits some bundles.
func (g *Graph) compileThrough(s *step) {
	for at, bundle := range g.bundles {
		if g.budget.exhausted() {
			return
		}
		if bundle.Version.IsZero() || !g.rangeContains(s.Through, bundle.Version) {
			continue
		}
		s.through.add(at)
		if s.Select == Latest && eligible(bundle) {
			s.latest = at // bundles are in ascending order
		}
	}
}

// eligible reports whether a bundle in a step's Through range may be the latest one.
func eligible(bundle Bundle) bool {
	return bundle.Unfit == "" && !bundle.Deprecated && !bundle.Version.IsPrerelease()
}

// satisfiedBy reports whether a version, which must be in the Through range, satisfies the step according to Select.
func (s *step) satisfiedBy(g *Graph, version Version) bool {
	return s.Select != Latest || s.latest >= 0 && version.Compare(g.bundles[s.latest].Version) >= 0
}

func (g *Graph) maskOf(version Version) stepMask {
	return g.mask(version, func(s *step) bool { return g.rangeContains(s.Through, version) })
}

// rangeContains is like Range.contains, but also spends the cost of the check from the budget.
func (g *Graph) rangeContains(r Range, version Version) bool {
	g.budget.spend(r.cost())
	return r.contains(version)
}

func (g *Graph) rangeAppliesTo(r Range, version Version) bool {
	work := r.cost()
	if version.IsPrerelease() { // appliesTo may check its release, too
		work *= 2
	}
	g.budget.spend(work)
	return r.appliesTo(version)
}

// mask returns the mask of a version; zero for the zero Version. inside reports whether the version is in a step's Through range. If the
// budget is exhausted, mask omits the remaining steps.
func (g *Graph) mask(version Version, inside func(*step) bool) stepMask {
	var m stepMask
	if version.IsZero() {
		return m
	}
	for i := range g.steps {
		if g.budget.exhausted() {
			return m
		}
		bit, past := uint64(1)<<i, g.rangeAppliesTo(g.steps[i].To, version)
		switch {
		case past:
			m.requires |= bit
			m.satisfies |= bit // a version in To satisfies the step whatever its history
		case inside(&g.steps[i]) && g.steps[i].satisfiedBy(g, version):
			m.satisfies |= bit
		case g.rangeAppliesTo(g.steps[i].From, version):
			m.triggers |= bit
		}
	}
	return m
}

// progress has bits for the steps that an operator has triggered and satisfied by the versions that it has passed through (see stepMask).
// Satisfied steps stay satisfied.
type progress struct{ triggered, satisfied uint64 }

func (a progress) after(m stepMask) progress {
	return progress{triggered: a.triggered | m.triggers, satisfied: a.satisfied | m.satisfies}
}

// restrictedTo returns the progress with only these steps. A search that enforces only these steps ignores the others.
func (a progress) restrictedTo(steps uint64) progress {
	return progress{triggered: a.triggered & steps, satisfied: a.satisfied & steps}
}

// outstanding returns the steps that are triggered and not satisfied.
func (a progress) outstanding() uint64 { return a.triggered &^ a.satisfied }

// isCoveredBy reports whether an operator with progress other may follow every path that an operator with progress a may follow.
func (a progress) isCoveredBy(other progress) bool {
	return a.satisfied&^other.satisfied == 0 && other.outstanding()&^a.outstanding() == 0
}
