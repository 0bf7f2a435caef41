package upgrade

import (
	"fmt"
	"slices"
)

// lintImplicitSemantics returns a finding for each of the author's rules that does not set semantics, if the package has channel edges.
func (g *Graph) lintImplicitSemantics() (findings []Finding) {
	declared, lost := 0, 0
	if slices.ContainsFunc(g.pkg.Rules, func(rules Rules) bool { return rules.SemanticsUnset }) {
		declared = g.withSemantics(Channel).EdgeCount()
		lost = declared - g.withSemverEdgesOnly().EdgeCount()
	}
	for _, rules := range g.pkg.Rules {
		if rules.SemanticsUnset && declared > 0 {
			findings = append(findings, Finding{
				Kind: SemanticsNotSet, Subject: rules.Location,
				Problem: fmt.Sprintf("set no semantics, so semver applies, although the package declares channel edges: of %d edges, %d are not semver edges", declared, lost),
				Remedy:  `write "semantics: channel" to keep them, "both" to add to them, or "semver" if that is what is meant`,
			})
		}
	}
	return findings
}

// withSemverEdgesOnly returns a copy of the graph with only those channel edges that semantic versioning permits.
func (g *Graph) withSemverEdgesOnly() *Graph {
	other := *g
	other.semantics = []Semantics{Channel, Semver}
	return &other
}

// lintBypasses finds paths around a step's Through range: from lower versions to which the step does not apply, and to versions above the
// step's To range.
func (g *Graph) lintBypasses(i int) (findings []Finding) {
	s, bit := &g.steps[i], uint64(1)<<i
	var below, owing []*pathNode
	lowest := -1 // the lowest bundle that requires the step
	for at := range g.bundles {
		switch m := g.masks[at]; {
		case m.triggers&bit != 0:
			owing = append(owing, &pathNode{at: at, progress: progress{}.after(m)})
		case m.satisfies&bit == 0 && at < s.first():
			below = append(below, &pathNode{at: at, progress: progress{}.after(m)})
		}
		if g.masks[at].requires&bit != 0 && lowest < 0 {
			lowest = at
		}
	}
	if from, to := g.highestBypass(s, below, func(to int) bool { return g.masks[to].requires&bit != 0 }); to >= 0 {
		findings = append(findings, Finding{
			Kind: BypassedStep, Subject: s.name,
			Problem: fmt.Sprintf("does not hold for lower versions: %s may go to %s without having been in %q, because it is not in %q", g.bundles[from].Version, g.bundles[to].Version, s.Through, s.From),
			Remedy:  fmt.Sprintf("let from take in what is lower, too, such as \"<%s\", unless that is meant", g.bundles[s.first()].Version),
		})
	}
	beyond := func(to int) bool {
		return g.masks[to].requires&bit == 0 && g.levels[to] > g.levels[lowest] && !s.through.has(to)
	}
	if from, to := g.highestBypass(s, owing, beyond); to >= 0 {
		findings = append(findings, Finding{
			Kind: OvershotStep, Subject: s.name,
			Problem: fmt.Sprintf("ends too early: %s may go to %s without having been in %q, because that is not in %q", g.bundles[from].Version, g.bundles[to].Version, s.Through, s.To),
			Remedy:  fmt.Sprintf("let to go on to what is higher, too, such as \">=%s\", unless that is meant", g.bundles[lowest].Version),
		})
	}
	return findings
}

// first returns the index of the lowest bundle in a step's Through range; -1 if there is none.
func (s *step) first() int {
	for at := range s.through.items() {
		return at
	}
	return -1
}

// highestBypass returns the highest wanted bundle (to) that is reachable from one of the starts on a path that avoids the step's Through
// range, and the start of that path (from). It returns -1 for both if there is no such bundle.
func (g *Graph) highestBypass(s *step, starts []*pathNode, wanted func(to int) bool) (from, to int) {
	if len(starts) == 0 || len(g.pkg.Unreadable) > 0 {
		return -1, -1
	}
	closed := newSet(len(g.bundles))
	for at := range s.through.items() {
		closed.add(g.rank[at])
	}
	r := &Reachability{graph: g}
	reached := r.traverse(searchOptions{enforced: allSteps}, starts, closed)
	for to := len(reached) - 1; to >= 0; to-- {
		if reached[to] == nil || !wanted(to) {
			continue
		}
		at := reached[to]
		for at.parent != nil {
			at = at.parent
		}
		return at.at, to
	}
	return -1, -1
}
