package upgrade

// Simulation says what becomes of every version of a package by itself: where it is moved to, by which path, and if nowhere
// why. The author's steps hold; what an operator was before is not known.
type Simulation struct {
	// Bundles are the package's, the lowest version first. Everything below names them by their indices.
	Bundles []Bundle
	// Head is where everybody ought to get to: the newest version that is no pre-release, else the newest; -1 without bundles.
	Head int
	// Courses are one for each semantics: Channel, Semver, Both.
	Courses []Course
}

// Course is what happens under one semantics.
type Course struct {
	Semantics Semantics
	// Moves are one for each bundle.
	Moves []Move
}

// Move is what becomes of an operator that was installed at one bundle.
type Move struct {
	// To is where it is moved to in the end: the first that can be reached in the order of preference, which is no deprecated
	// version, no pre-release, the newest. It is -1 where there is nowhere to go.
	To int
	// Path are the bundles it goes by, the last one is To.
	Path []int
	// Stranded says that it is not at the head and the semantics have no successor for it, CutOff that they have some, and
	// none of them leads to the head. Steps and clusters have no part in either.
	Stranded, CutOff bool
	// Refusal is why the head is out of reach, steps and clusters included; for what stands above the head, why the newest is.
	// It is zero where it is not out of reach.
	Refusal Refusal
}

// everySemantics are those that there are.
var everySemantics = [...]Semantics{Channel, Semver, Both}

// Simulate says what becomes of every version of a package, under each semantics in the place of its own.
func Simulate(pkg Package) Simulation {
	pkg.SelfCertified = false
	g := New(pkg)
	simulation := Simulation{Bundles: g.bundles, Head: g.Head()}
	for _, semantics := range everySemantics {
		simulation.Courses = append(simulation.Courses, g.under(semantics).course(semantics))
	}
	return simulation
}

// Head is the newest version that is no pre-release, else the newest, by its index in Bundles; -1 where there is none. Where
// pre-releases are taken for releases it is the newest.
func (g *Graph) Head() int {
	for i := len(g.bundles) - 1; i >= 0 && !g.pkg.OnlyPrereleases; i-- {
		if !g.bundles[i].Version.Prerelease() {
			return i
		}
	}
	return len(g.bundles) - 1
}

func (g *Graph) course(semantics Semantics) Course {
	course := Course{Semantics: semantics}
	head := g.Head()
	stranded, cutOff := g.astray(head)
	for at, bundle := range g.bundles {
		move := g.From(bundle, nil).move()
		move.Stranded, move.CutOff = stranded.has(at), cutOff.has(at)
		course.Moves = append(course.Moves, move)
	}
	return course
}

// move is where one is moved to by itself.
func (r *Reach) move() Move {
	g := r.graph
	move := Move{To: -1}
	for _, at := range g.order {
		if r.best[at] != nil {
			move.To = at
			for _, visit := range r.best[at].path() {
				move.Path = append(move.Path, visit.at)
			}
			break
		}
	}
	goal := g.Head()
	if r.installed.Version.Compare(g.bundles[goal].Version) > 0 {
		goal = len(g.bundles) - 1
	}
	if g.bundles[goal].Version.Compare(r.installed.Version) > 0 {
		move.Refusal = r.Refusal(goal)
	}
	return move
}

// astray are the bundles that the semantics have no successor for, but for the head, and those whose successors do not lead
// to it. What stands above the head can only be the former.
func (g *Graph) astray(head int) (stranded, cutOff set) {
	stranded, cutOff = newSet(len(g.bundles)), newSet(len(g.bundles))
	if head < 0 {
		return stranded, cutOff
	}
	arriving := g.successors().arriving(head, func(int) bool { return true })
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
