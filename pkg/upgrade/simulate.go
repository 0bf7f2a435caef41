package upgrade

// Simulation is the result of Simulate for every version of a package. The author's steps apply, and operators have no history.
type Simulation struct {
	// Bundles are the package's bundles in ascending order of their versions. All other fields refer to them by index.
	Bundles []Bundle
	// Head is the bundle that all others should reach: the newest release, or the newest version if there is no release; -1 if there are no
	// bundles.
	Head int
	// Results has one element for each semantics: Channel, Semver, Both.
	Results []SemanticsResult
}

// SemanticsResult is the result of a Simulation under one of the semantics.
type SemanticsResult struct {
	Semantics Semantics
	// Outcomes has one element for each bundle.
	Outcomes []Outcome
}

// Outcome is the bundle that an operator reaches from one installed bundle.
type Outcome struct {
	// Target is the bundle that the operator reaches in the end: the first reachable one in the order of preference, which prefers bundles
	// that are not deprecated, then releases, then the newest. It is -1 if nothing is reachable.
	Target int
	// Path lists the bundles on the path; the last one is Target.
	Path []int
	// Stranded means that the installed bundle is not the head and has no successor under the semantics. CutOff means that it has
	// successors, but none of them leads to the head. Neither depends on steps or the cluster.
	Stranded, CutOff bool
	// Refusal is the reason why the head is not reachable, taking steps and the cluster into account. If the installed bundle is above the
	// head, it is the reason why the newest bundle is not reachable. It is zero if the head or newest bundle is reachable or not higher.
	Refusal Refusal
}

// allSemantics lists all values of Semantics, in the order of Simulation.Results.
var allSemantics = [...]Semantics{Channel, Semver, Both}

// Simulate returns the outcome for every version of a package, under each of the semantics in place of the package's own. It ignores
// SelfCertified.
func Simulate(pkg Package) Simulation {
	pkg.SelfCertified = false
	g := New(pkg)
	simulation := Simulation{Bundles: g.bundles, Head: g.Head()}
	for _, semantics := range allSemantics {
		simulation.Results = append(simulation.Results, g.withSemantics(semantics).simulate(semantics))
	}
	return simulation
}

// Head returns the index in Bundles of the newest release, or of the newest version if there is no release; -1 if there are no bundles. If
// Package.OnlyPrereleases is set, it is the newest version.
func (g *Graph) Head() int {
	for i := len(g.bundles) - 1; i >= 0 && !g.pkg.OnlyPrereleases; i-- {
		if !g.bundles[i].Version.IsPrerelease() {
			return i
		}
	}
	return len(g.bundles) - 1
}

func (g *Graph) simulate(semantics Semantics) SemanticsResult {
	result := SemanticsResult{Semantics: semantics}
	head := g.Head()
	stranded, cutOff := g.strandedAndCutOff(head)
	for at, bundle := range g.bundles {
		outcome := g.From(bundle, nil).outcome()
		outcome.Stranded, outcome.CutOff = stranded.has(at), cutOff.has(at)
		result.Outcomes = append(result.Outcomes, outcome)
	}
	return result
}

// outcome returns the outcome for the installed bundle, without Stranded and CutOff.
func (r *Reachability) outcome() Outcome {
	g := r.graph
	outcome := Outcome{Target: -1}
	for _, at := range g.order {
		if r.best[at] != nil {
			outcome.Target = at
			for _, visit := range r.best[at].path() {
				outcome.Path = append(outcome.Path, visit.at)
			}
			break
		}
	}
	goal := g.Head()
	if r.installed.Version.Compare(g.bundles[goal].Version) > 0 {
		goal = len(g.bundles) - 1
	}
	if g.bundles[goal].Version.Compare(r.installed.Version) > 0 {
		outcome.Refusal = r.Refusal(goal)
	}
	return outcome
}

// strandedAndCutOff returns the bundles without a successor, except the head, and those whose successors do not lead to the head. Bundles
// above the head can be stranded, but not cut off.
func (g *Graph) strandedAndCutOff(head int) (stranded, cutOff set) {
	stranded, cutOff = newSet(len(g.bundles)), newSet(len(g.bundles))
	if head < 0 {
		return stranded, cutOff
	}
	arriving := g.successors().ancestors(head, func(int) bool { return true })
	g.successors().each(func(at int, ranks []int32) {
		switch {
		case arriving.has(at):
		case len(ranks) == 0:
			stranded.add(at)
		case g.levels[at] < g.levels[head]:
			cutOff.add(at)
		}
	})
	return stranded, cutOff
}
