package upgrade

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	blang "github.com/blang/semver/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
)

var seed = flag.Uint64("seed", 1, "the seed of the generated packages; 0 takes a new one. FuzzPropertiesOfEveryPackage tries others")

const cases = 1000

// generated is a generated package, with the installed bundle and the history of an operator.
type generated struct {
	pkg       Package
	installed Bundle
	ready     []Version
}

// Promise UPG-V14: For generated packages each step of a path is an edge, none goes down, rules hold on every prefix, and the order of
// input does not matter. Another bundle removes no edge and closes a path only by a named rule.
func TestUPG_V14_PropertiesOfEveryPackage(t *testing.T) {
	base := baseSeed(t)
	for name, check := range properties {
		t.Run(name, func(t *testing.T) {
			for i := range uint64(cases) {
				random := rand.New(rand.NewPCG(base, i))
				check(t, random, generate(t, random))
				if t.Failed() {
					t.Fatalf("case %d of -seed=%d", i, base)
				}
			}
		})
	}
}

// FuzzPropertiesOfEveryPackage checks the properties with packages that other seeds generate.
func FuzzPropertiesOfEveryPackage(f *testing.F) {
	f.Add(uint64(2), uint64(0))
	f.Fuzz(func(t *testing.T, base, i uint64) {
		for name, check := range properties {
			t.Run(name, func(t *testing.T) {
				random := rand.New(rand.NewPCG(base, i))
				check(t, random, generate(t, random))
			})
		}
	})
}

// properties has the checks that every generated package must pass.
var properties = map[string]func(*testing.T, *rand.Rand, generated){
	"edges are those that a naive reading of the rules gives, and none goes down":                        edgesAsRead,
	"a path is the first of the shortest ones; every hop is an edge, and the steps hold on every prefix": pathsAsSearched,
	"a version above what is installed has a path or a refusal that says why":                            refusedOrReached,
	"where only what was cut out is in the way, that is told, and nothing else is told to be":            cutOutOrNot,
	"a way round a step is found where a naive walk finds one":                                           waysAround,
	"another bundle removes no edge, and closes a way only by a step that wants the latest and is named": moreBundles,
	"the order of bundles, entries and rules does not matter":                                            shuffled,
	"a course ends at the best of what can be reached; stranded is who has no edge, and cut off who has": simulated,
	"who is self-certified gets to whatever the cluster may run in one hop":                              selfCertifiedAnywhere,
}

// baseSeed returns the seed of the generated packages: the flag -seed, or else a new one, which it logs.
func baseSeed(t *testing.T) uint64 {
	t.Helper()
	if *seed != 0 {
		return *seed
	}
	base := rand.Uint64()
	t.Logf("run it again with -seed=%d", base)
	return base
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func generate(t *testing.T, random *rand.Rand) generated {
	if random.IntN(2) == 0 {
		return generateGuarded(t, random)
	}
	pkg := Package{Name: "p", Default: pick(random, allSemantics[:]...), OnlyPrereleases: random.IntN(5) == 0}
	for range 1 + random.IntN(7) {
		pkg.Bundles = append(pkg.Bundles, anyBundle(t, random, pkg.OnlyPrereleases && random.IntN(8) > 0))
	}
	// no duplicates of name and version
	slices.SortFunc(pkg.Bundles, ascending)
	pkg.Bundles = slices.CompactFunc(pkg.Bundles, func(a, b Bundle) bool { return ascending(a, b) == 0 })
	random.Shuffle(len(pkg.Bundles), func(i, j int) { pkg.Bundles[i], pkg.Bundles[j] = pkg.Bundles[j], pkg.Bundles[i] })
	for range random.IntN(9) {
		pkg.Entries = append(pkg.Entries, anyEntry(random, pkg))
	}
	for i := range random.IntN(3) {
		pkg.Rules = append(pkg.Rules, Rules{Location: fmt.Sprintf("rules %d", i), Semantics: pick(random, allSemantics[:]...)})
		for range random.IntN(3) {
			pkg.Rules[i].Steps = append(pkg.Rules[i].Steps, anyStep(t, random))
		}
	}
	operator := generated{pkg: pkg, installed: pick(random, pkg.Bundles...)}
	if random.IntN(4) == 0 {
		operator.installed = anyBundle(t, random, false) // removed from the catalogs
	}
	for range random.IntN(3) {
		operator.ready = append(operator.ready, anyBundle(t, random, false).Version)
	}
	return operator
}

// generateGuarded returns a package of one major version with overlapping steps.
func generateGuarded(t *testing.T, random *rand.Rand) generated {
	t.Helper()
	pkg := Package{Name: "p", Rules: []Rules{{Location: "the rules", Semantics: pick(random, Semver, Semver, Both)}}}
	for _, i := range random.Perm(15)[:3+random.IntN(6)] {
		bundle := installedAt(t, fmt.Sprintf("1.%d.%d", i/3, i%3))
		bundle.Deprecated = random.IntN(4) == 0
		pkg.Bundles = append(pkg.Bundles, bundle)
	}
	for range 1 + random.IntN(4) {
		step := Step{Select: pick(random, Any, Latest)}
		through := random.IntN(4)
		for _, field := range []struct {
			into *Range
			text string
		}{
			{&step.From, pick(random, "*", fmt.Sprintf("<1.%d.0", through+1), fmt.Sprintf("1.%d.x", random.IntN(3)))},
			{&step.Through, pick(random, fmt.Sprintf("1.%d.x", through), fmt.Sprintf("1.%d.x", through), fmt.Sprintf("1.%d.1", through), fmt.Sprintf("1.%d.0 || 1.%d.2", through, random.IntN(4)))},
			{&step.To, pick(random, fmt.Sprintf(">=1.%d.0", through+1), fmt.Sprintf(">=1.%d.2", through), fmt.Sprintf("1.%d.x", random.IntN(5)))},
		} {
			parsed, err := ParseRange(field.text)
			if err != nil {
				t.Fatal(err)
			}
			*field.into = parsed
		}
		pkg.Rules[0].Steps = append(pkg.Rules[0].Steps, step)
	}
	lowest := slices.MinFunc(pkg.Bundles, ascending)
	return generated{pkg: pkg, installed: pick(random, lowest, pick(random, pkg.Bundles...))}
}

func anyBundle(t *testing.T, random *rand.Rand, prerelease bool) Bundle {
	t.Helper()
	text := fmt.Sprintf("%d.%d.%d", pick(random, 0, 1, 1, 1, 2), random.IntN(4), random.IntN(3))
	if prerelease || random.IntN(5) == 0 {
		text += pick(random, "-rc.1", "-rc.2")
	}
	if random.IntN(8) == 0 {
		text += pick(random, "+1", "+2")
	}
	version, err := ParseVersion(text, pick(random, "", "", "", "", "", "1"))
	if err != nil {
		t.Fatal(err)
	}
	return Bundle{
		Name: "p.v" + text, Version: version, Deprecated: random.IntN(6) == 0,
		Unfit: pick(random, "", "", "", "", "", "needs more"), Avoid: pick(random, "", "", "", "", "", "is outside"),
	}
}

func anyEntry(random *rand.Rand, pkg Package) Entry {
	of := func() string { return pick(random, pkg.Bundles...).Name }
	entry := Entry{Channel: pick(random, "a", "b"), Entry: catalog.Entry{Name: of()}}
	if random.IntN(3) > 0 {
		entry.Replaces = of()
	}
	for range random.IntN(3) {
		entry.Skips = append(entry.Skips, of())
	}
	if random.IntN(3) == 0 {
		entry.SkipRange = pick(random, "<1.0.0", ">=1.0.0 <1.2.0", ">=0.1.0 <1.3.0 || 2.0.0", "=1.1.1", "nonsense")
	}
	return entry
}

func anyStep(t *testing.T, random *rand.Rand) Step {
	t.Helper()
	step := Step{Select: pick(random, Any, Latest)}
	for _, into := range []*Range{&step.From, &step.Through, &step.To} {
		parsed, err := ParseRange(pick(random, "*", "<1.2.0", "1.0.x", "1.1.x", ">=1.2.0", ">=1.2.0 <1.3.0", ">=1.1.0-0 <1.4.0", "2.x", "<1.0.0 || >=1.3.0"))
		if err != nil {
			t.Fatal(err)
		}
		*into = parsed
	}
	return step
}

// describe returns the package and the operator as text for a failure message.
func (o generated) describe() string {
	var out strings.Builder
	for _, bundle := range New(o.pkg).Bundles() {
		fmt.Fprintf(&out, "%s deprecated=%v unfit=%q avoid=%q\n", bundle.Version, bundle.Deprecated, bundle.Unfit, bundle.Avoid)
	}
	for _, entry := range o.pkg.Entries {
		fmt.Fprintf(&out, "%+v\n", entry)
	}
	for _, rules := range o.pkg.Rules {
		fmt.Fprintf(&out, "%s: %s\n", rules.Location, rules.Semantics)
		for _, step := range rules.Steps {
			fmt.Fprintf(&out, "  %q through %s of %q to %q\n", step.From, step.Select, step.Through, step.To)
		}
	}
	fmt.Fprintf(&out, "default %s, only pre-releases %v, installed %s, before that %v\n", o.pkg.Default, o.pkg.OnlyPrereleases, o.installed.Version, o.ready)
	return out.String()
}

// naiveEdge reports whether the package has an edge. It implements the rules independently of Graph, with semantic versioning as a caret
// range.
func naiveEdge(t *testing.T, pkg Package, from, to Bundle) bool {
	t.Helper()
	if to.Version.Compare(from.Version) <= 0 {
		return false
	}
	core := func(v Version) *semver.Version {
		return semver.New(v.semantic.Major(), v.semantic.Minor(), v.semantic.Patch(), "", "")
	}
	caret, err := semver.NewConstraint("^" + core(from.Version).String())
	if err != nil {
		t.Fatal(err)
	}
	promised := caret.Check(core(to.Version))
	if to.Version.IsPrerelease() {
		promised = from.Version.IsPrerelease() && (core(from.Version).Equal(core(to.Version)) || promised && pkg.OnlyPrereleases)
	}
	given := slices.ContainsFunc(pkg.Entries, func(entry Entry) bool {
		covers, err := blang.ParseRange(entry.SkipRange)
		named := entry.Replaces == from.Name || slices.Contains(entry.Skips, from.Name)
		return entry.Name == to.Name && (named || err == nil && covers(blang.MustParse(from.Version.semantic.Original())))
	})
	all := []Semantics{pkg.Default}
	if len(pkg.Rules) > 0 {
		all = nil
	}
	for _, rules := range pkg.Rules {
		all = append(all, rules.Semantics)
	}
	return !slices.ContainsFunc(all, func(s Semantics) bool {
		return s == Channel && !given || s == Semver && !promised || s == Both && !given && !promised
	})
}

func edgesAsRead(t *testing.T, _ *rand.Rand, o generated) {
	g := New(o.pkg)
	var got, want []string
	for _, edge := range g.Edges() {
		got = append(got, fmt.Sprintf("%d → %d", edge.From, edge.To))
		if len(edge.Sources) == 0 {
			t.Errorf("%s comes from nowhere", got[len(got)-1])
		}
		if g.bundles[edge.To].Version.Compare(g.bundles[edge.From].Version) <= 0 {
			t.Errorf("%s goes down", got[len(got)-1])
		}
	}
	for from := range g.bundles {
		for to := range g.bundles {
			if naiveEdge(t, o.pkg, g.bundles[from], g.bundles[to]) {
				want = append(want, fmt.Sprintf("%d → %d", from, to))
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edges (-naive +graph):\n%s\n%s", diff, o.describe())
	}
}

// naiveHolds reports whether a step permits an operator that has been at the versions in been to go to another version.
func naiveHolds(t *testing.T, step Step, bundles []Bundle, been []Version, to Version) bool {
	t.Helper()
	in := func(r Range, v Version, stripped bool) bool {
		constraint, err := semver.NewConstraint(r.String())
		if err != nil {
			t.Fatal(err)
		}
		constraint.IncludePrerelease = true
		return constraint.Check(v.semantic) || stripped && constraint.Check(semver.New(v.semantic.Major(), v.semantic.Minor(), v.semantic.Patch(), "", ""))
	}
	if !in(step.To, to, true) {
		return true
	}
	passed := func(v Version) bool {
		if in(step.To, v, true) {
			return true
		}
		if !in(step.Through, v, false) {
			return false
		}
		some := false
		for _, bundle := range bundles {
			if bundle.Unfit != "" || bundle.Deprecated || bundle.Version.IsPrerelease() || !in(step.Through, bundle.Version, false) {
				continue
			}
			some = true
			if step.Select == Latest && v.Compare(bundle.Version) < 0 {
				return false
			}
		}
		return step.Select == Any || some
	}
	return slices.ContainsFunc(been, passed) || !slices.ContainsFunc(been, func(v Version) bool { return in(step.From, v, true) })
}

// history returns the versions that affect the steps: those since the last downgrade, and the installed one.
func (o generated) history() (history []Version) {
	for _, version := range append(slices.Clone(o.ready), o.installed.Version) {
		if len(history) > 0 && version.Compare(history[len(history)-1]) < 0 {
			history = nil
		}
		history = append(history, version)
	}
	return history
}

// naivePaths returns all permitted paths of the fewest hops to every bundle as text, the most preferred first.
func naivePaths(t *testing.T, o generated, g *Graph) map[int][]string {
	t.Helper()
	all := map[int][]string{}
	length := map[int]int{}
	var walk func(from Bundle, been []Version, path []int)
	walk = func(from Bundle, been []Version, path []int) {
		for _, to := range g.order {
			bundle := g.bundles[to]
			if bundle.Unfit != "" || !naiveEdge(t, o.pkg, from, bundle) || slices.ContainsFunc(o.pkg.Rules, func(rules Rules) bool {
				return slices.ContainsFunc(rules.Steps, func(step Step) bool { return !naiveHolds(t, step, g.bundles, been, bundle.Version) })
			}) {
				continue
			}
			path := append(slices.Clone(path), to)
			if most, found := length[to]; !found || len(path) < most {
				all[to], length[to] = nil, len(path)
			}
			if len(path) == length[to] {
				all[to] = append(all[to], fmt.Sprint(path)) // in the order of preference, hop by hop
			}
			if bundle.Avoid == "" {
				walk(bundle, append(slices.Clone(been), bundle.Version), path)
			}
		}
	}
	walk(o.installed, o.history(), nil)
	return all
}

func pathsAsSearched(t *testing.T, _ *rand.Rand, o generated) {
	g := New(o.pkg)
	r := g.From(o.installed, o.ready)
	naive := naivePaths(t, o, g)
	for to := range g.bundles {
		path, ok := r.Path(to)
		if ok != (len(naive[to]) > 0) {
			t.Errorf("there is a path to %s: %v, and naively %v\n%s", g.bundles[to].Version, ok, naive[to], o.describe())
			continue
		}
		if !ok {
			continue
		}
		var hops []int
		for _, hop := range path {
			hops = append(hops, hop.Bundle)
			if len(hop.Sources) == 0 {
				t.Errorf("the hop to %s comes from nowhere\n%s", g.bundles[hop.Bundle].Version, o.describe())
			}
		}
		if got := fmt.Sprint(hops); got != naive[to][0] {
			t.Errorf("the path to %s is %s, and naively %s\n%s", g.bundles[to].Version, got, naive[to], o.describe())
		}
	}
}

func refusedOrReached(t *testing.T, _ *rand.Rand, o generated) {
	g := New(o.pkg)
	r := g.From(o.installed, o.ready)
	for to, bundle := range g.bundles {
		_, ok := r.Path(to)
		refusal := r.Refusal(to)
		installed := ascending(bundle, o.installed) == 0
		if ok == (refusal.Reason != "") && !installed || (refusal.Message == "") != (refusal.Reason == "") || strings.Contains(refusal.Message, "\n") || len(refusal.Message) > 4096 {
			t.Errorf("to %s: path %v, refusal %+v\n%s", bundle.Version, ok, refusal, o.describe())
		}
	}
}

// cutOutOrNot checks that a refusal names avoided bundles if and only if nothing else blocks the path.
func cutOutOrNot(t *testing.T, _ *rand.Rand, o generated) {
	open := o
	open.pkg.Bundles = slices.Clone(o.pkg.Bundles)
	for i := range open.pkg.Bundles {
		open.pkg.Bundles[i].Avoid = ""
	}
	r, wide := New(o.pkg).From(o.installed, o.ready), New(open.pkg).From(o.installed, o.ready)
	for to, bundle := range r.graph.bundles {
		refusal := r.Refusal(to)
		if refusal.Reason == "" {
			continue
		}
		if wide.best[to] != nil && (refusal.Reason != OutOfRange || !strings.Contains(refusal.Message, "is outside")) {
			t.Errorf("to %s, where there is a way if nothing is cut out: %+v\n%s", bundle.Version, refusal, o.describe())
		}
		if wide.best[to] == nil && refusal.Reason == OutOfRange && wide.Refusal(to).Reason != BlockedBySteps {
			t.Errorf("to %s, where there is no way if nothing is cut out: %+v\n%s", bundle.Version, refusal, o.describe())
		}
	}
}

// waysAround checks that a search around each step from all starts at once, as in Lint, finds what searches from single bundles find.
func waysAround(t *testing.T, _ *rand.Rand, o generated) {
	g := New(o.pkg)
	for i := range g.steps {
		s, bit := &g.steps[i], uint64(1)<<i
		outside := *g
		outside.order = slices.DeleteFunc(slices.Clone(g.order), s.through.has)
		guarded := func(to int) bool { return g.masks[to].requires&bit != 0 }
		var starts []*pathNode
		naively := map[[2]int]bool{}
		for from, bundle := range g.bundles {
			if g.masks[from].satisfies&bit != 0 || g.masks[from].triggers&bit != 0 {
				continue
			}
			starts = append(starts, &pathNode{at: from, progress: progress{}.after(g.masks[from])})
			for to, ways := range naivePaths(t, generated{pkg: o.pkg, installed: bundle}, &outside) {
				if guarded(to) && len(ways) > 0 {
					naively[[2]int{from, to}] = true
				}
			}
		}
		from, to := g.highestBypass(s, starts, guarded)
		if (to >= 0) != (len(naively) > 0) || to >= 0 && !naively[[2]int{from, to}] {
			t.Errorf("round step %d from %d to %d, and naively %v\n%s", i, from, to, naively, o.describe())
		}
	}
}

func moreBundles(t *testing.T, random *rand.Rand, o generated) {
	more := o
	added := anyBundle(t, random, false)
	if slices.ContainsFunc(o.pkg.Bundles, func(b Bundle) bool { return ascending(b, added) == 0 }) {
		return
	}
	more.pkg.Bundles = append(slices.Clone(o.pkg.Bundles), added)
	more.pkg.Entries = append(slices.Clone(o.pkg.Entries), anyEntry(random, more.pkg))
	before, after := New(o.pkg), New(more.pkg)
	at := func(b Bundle) int { i, _ := slices.BinarySearchFunc(after.bundles, b, ascending); return i }
	edges := after.Edges()
	for _, edge := range before.Edges() {
		from, to := at(before.bundles[edge.From]), at(before.bundles[edge.To])
		if !slices.ContainsFunc(edges, func(e Edge) bool { return e.From == from && e.To == to }) {
			t.Errorf("%s takes the edge from %s to %s away\n%s", added.Version, after.bundles[from].Version, after.bundles[to].Version, o.describe())
		}
	}
	had, has := before.From(o.installed, o.ready), after.From(o.installed, o.ready)
	for to, bundle := range before.bundles {
		if had.best[to] == nil || has.best[at(bundle)] != nil {
			continue
		}
		refusal := has.Refusal(at(bundle))
		if refusal.Reason != BlockedBySteps && refusal.Reason != OutOfRange || !strings.Contains(refusal.Message, "the latest version") {
			t.Errorf("%s closes the way to %s: %+v\n%s", added.Version, bundle.Version, refusal, o.describe())
		}
	}
}

func shuffled(t *testing.T, random *rand.Rand, o generated) {
	other := o
	other.pkg.Bundles, other.pkg.Entries, other.pkg.Rules = slices.Clone(o.pkg.Bundles), slices.Clone(o.pkg.Entries), slices.Clone(o.pkg.Rules)
	random.Shuffle(len(other.pkg.Bundles), func(i, j int) {
		other.pkg.Bundles[i], other.pkg.Bundles[j] = other.pkg.Bundles[j], other.pkg.Bundles[i]
	})
	random.Shuffle(len(other.pkg.Entries), func(i, j int) {
		other.pkg.Entries[i], other.pkg.Entries[j] = other.pkg.Entries[j], other.pkg.Entries[i]
	})
	slices.Reverse(other.pkg.Rules)
	if diff := cmp.Diff(answers(o), answers(other)); diff != "" {
		t.Errorf("in another order (-first +second):\n%s\n%s", diff, o.describe())
	}
}

// answers returns the results of all queries as text.
func answers(o generated) (all []string) {
	g := New(o.pkg)
	all = append(all, fmt.Sprint(g.Edges()), fmt.Sprint(g.Notes()), fmt.Sprint(g.Downgrades()))
	r := g.From(o.installed, o.ready)
	for to := range g.bundles {
		path, ok := r.Path(to)
		all = append(all, fmt.Sprint(path, ok), fmt.Sprint(r.Refusal(to)))
	}
	simulation := Simulate(o.pkg)
	for _, course := range simulation.Results {
		for _, move := range course.Outcomes {
			all = append(all, fmt.Sprintf("%+v", move))
		}
	}
	for _, finding := range Lint(o.pkg) {
		all = append(all, finding.String())
	}
	return all
}

func simulated(t *testing.T, _ *rand.Rand, o generated) {
	simulation := Simulate(o.pkg)
	for _, course := range simulation.Results {
		pkg := o.pkg
		pkg.Override = course.Semantics
		g := New(pkg)
		leaves := map[int]bool{}
		for _, edge := range g.Edges() {
			leaves[edge.From] = true
		}
		for from, move := range course.Outcomes {
			r := g.From(g.bundles[from], nil)
			if move.Stranded != (from != simulation.Head && !leaves[from]) || move.CutOff && !leaves[from] {
				t.Errorf("%s under %s: %+v\n%s", g.bundles[from].Version, course.Semantics, move, o.describe())
			}
			var hops []int
			if move.Target >= 0 {
				path, _ := r.Path(move.Target)
				for _, hop := range path {
					hops = append(hops, hop.Bundle)
				}
			}
			if diff := cmp.Diff(hops, move.Path); diff != "" {
				t.Errorf("%s under %s goes by (-path +simulated):\n%s\n%s", g.bundles[from].Version, course.Semantics, diff, o.describe())
			}
			for to, bundle := range g.bundles {
				if _, ok := r.Path(to); ok && (move.Target < 0 || preferred(bundle, g.bundles[move.Target]) < 0) {
					t.Errorf("%s under %s does not go to %s: %+v\n%s", g.bundles[from].Version, course.Semantics, bundle.Version, move, o.describe())
				}
			}
		}
	}
}

func selfCertifiedAnywhere(t *testing.T, _ *rand.Rand, o generated) {
	o.pkg.SelfCertified, o.pkg.Unreadable = true, []string{"whatever"}
	g := New(o.pkg)
	r := g.From(o.installed, o.ready)
	for to, bundle := range g.bundles {
		path, ok := r.Path(to)
		if want := bundle.Unfit == "" && ascending(bundle, o.installed) != 0; ok != want || ok && len(path) != 1 {
			t.Errorf("to %s: %v\n%s", bundle.Version, path, o.describe())
		}
	}
}
