package upgrade

import (
	"fmt"
	"slices"
)

// lintUnsaid looks for channel edges that are none any more because the rules do not say which semantics the package has.
func (g *Graph) lintUnsaid() (findings []Finding) {
	given, lost := 0, 0
	if slices.ContainsFunc(g.pkg.Rules, func(rules Rules) bool { return rules.Unsaid }) {
		given = g.under(Channel).EdgeCount()
		lost = given - g.onlyPromised().EdgeCount()
	}
	for _, rules := range g.pkg.Rules {
		if rules.Unsaid && given > 0 {
			findings = append(findings, Finding{
				Kind: UnsaidSemantics, Subject: rules.Where,
				Says: fmt.Sprintf("do not say semantics, so that semver counts although the package declares channel edges: of %d that there are, %d are none by semver", given, lost),
				Do:   `write "semantics: channel" to keep them, "both" to add to them, or "semver" if that is what is meant`,
			})
		}
	}
	return findings
}

// onlyPromised is the same graph with those channel edges only that semantic versioning promises.
func (g *Graph) onlyPromised() *Graph {
	other := *g
	other.semantics = []Semantics{Channel, Semver}
	return &other
}

// lintWaysAround looks for ways by which a step is got round that leads through some version: from below, by who does not owe
// it; and beyond, by who does.
func (g *Graph) lintWaysAround(i int) (findings []Finding) {
	s, bit := &g.steps[i], uint64(1)<<i
	var below, owing []*visit
	lowest := -1 // that is guarded
	for at := range g.bundles {
		switch m := g.masks[at]; {
		case m.owes&bit != 0:
			owing = append(owing, &visit{at: at, account: account{}.after(m)})
		case m.pays&bit == 0 && at < s.first():
			below = append(below, &visit{at: at, account: account{}.after(m)})
		}
		if g.masks[at].wants&bit != 0 && lowest < 0 {
			lowest = at
		}
	}
	if from, to := g.around(s, below, func(to int) bool { return g.masks[to].wants&bit != 0 }); to >= 0 {
		findings = append(findings, Finding{
			Kind: BypassedStep, Subject: s.name,
			Says: fmt.Sprintf("does not hold for lower versions: %s may go to %s without having been in %q, because it is not in %q", g.bundles[from].Version, g.bundles[to].Version, s.Through, s.From),
			Do:   fmt.Sprintf("let from take in what is lower, too, such as \"<%s\", unless that is meant", g.bundles[s.first()].Version),
		})
	}
	beyond := func(to int) bool {
		return g.masks[to].wants&bit == 0 && g.levels[to] > g.levels[lowest] && !s.inside.has(to)
	}
	if from, to := g.around(s, owing, beyond); to >= 0 {
		findings = append(findings, Finding{
			Kind: OvershotStep, Subject: s.name,
			Says: fmt.Sprintf("ends too early: %s may go to %s without having been in %q, because that is not in %q", g.bundles[from].Version, g.bundles[to].Version, s.Through, s.To),
			Do:   fmt.Sprintf("let to go on to what is higher, too, such as \">=%s\", unless that is meant", g.bundles[lowest].Version),
		})
	}
	return findings
}

// first is the lowest bundle that a step leads through.
func (s *step) first() int {
	for at := range s.inside.all() {
		return at
	}
	return -1
}

// around finds the highest bundle of some kind that can be reached from one of the starts without passing through a step's range,
// and where from; -1 where there is none.
func (g *Graph) around(s *step, starts []*visit, wanted func(to int) bool) (from, to int) {
	if len(starts) == 0 || len(g.pkg.Unreadable) > 0 {
		return -1, -1
	}
	closed := newSet(len(g.bundles))
	for at := range s.inside.all() {
		closed.add(g.rank[at])
	}
	r := &Reach{graph: g}
	reached := r.walk(search{holding: every}, starts, closed)
	for to := len(reached) - 1; to >= 0; to-- {
		if reached[to] == nil || !wanted(to) {
			continue
		}
		at := reached[to]
		for at.from != nil {
			at = at.from
		}
		return at.at, to
	}
	return -1, -1
}
