package upgrade

import (
	"fmt"
	"strings"
)

// avoidMessage returns the message for a bundle if only avoided bundles block the path to it. The message also names the steps that block
// other paths.
func (r *Reachability) avoidMessage(to int, path *pathNode) string {
	text := fmt.Sprintf("cannot be reached from %s: the way leads through %s; %s", r.installed.Version, r.excludedBundles(path), otherRemedy(OutOfRange))
	if len(r.graph.steps) == 0 || r.cachedSearch(searchOptions{from: start})[to] == nil {
		return text
	}
	var parts []string
	for _, step := range r.blockingSteps(to) {
		parts = append(parts, step.describe())
	}
	return text + "; there would be another way, but " + joinLimited(parts)
}

// excludedBundles returns the bundles on a path that the cluster must not run, or from which no path may continue, each with the reason.
func (r *Reachability) excludedBundles(last *pathNode) string {
	var causes []string
	versions := map[string][]string{}
	path := last.path()
	for i, visit := range path {
		bundle := r.graph.bundles[visit.at]
		why := bundle.Unfit
		if why == "" && i < len(path)-1 { // a path may end at an avoided bundle
			why = bundle.Avoid
		}
		if why == "" {
			continue
		}
		if versions[why] == nil {
			causes = append(causes, why)
		}
		versions[why] = append(versions[why], bundle.Version.String())
	}
	var parts []string
	for _, why := range causes {
		which := ", which "
		if len(versions[why]) > 1 {
			which = ", each of which "
		}
		parts = append(parts, enumerate(versions[why])+which+clip(why, maxCause))
	}
	return joinLimited(parts)
}

// enumerate joins at most maxListed versions and adds the number of the others. versions must not be empty.
func enumerate(versions []string) string {
	switch more := len(versions) - maxListed; {
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(versions[:maxListed], ", "), more)
	case len(versions) > 1:
		return strings.Join(versions[:len(versions)-1], ", ") + " and " + versions[len(versions)-1]
	}
	return versions[0]
}

// describe returns a clause with the step's requirement and the author's reason.
func (s *step) describe() string {
	versions := "a version"
	if s.Select == Latest {
		versions = "the latest version"
	}
	text := fmt.Sprintf("%s wants whoever has been at %q to be ready at %s in %q before %q", s.name, s.From, versions, s.Through, s.To)
	if s.Reason != "" {
		text += fmt.Sprintf(" (its author: %q)", s.Reason)
	}
	return text
}

// unmetReason returns a clause with the reason why no path to a bundle can satisfy a step.
func (r *Reachability) unmetReason(s *step, to int) string {
	var fit, unfit []int
	for at := range s.through.items() {
		switch bundle := r.graph.bundles[at]; {
		case bundle.Unfit != "":
			unfit = append(unfit, at)
		case s.Select == Any || eligible(bundle):
			fit = append(fit, at)
		}
	}
	switch {
	case len(fit) > 0:
		if path := r.cachedSearch(searchOptions{enforced: allSteps, ignoreUnfit: true, ignoreAvoid: true, from: start})[to]; path != nil {
			return "the way leads through " + r.excludedBundles(path)
		}
		at := r.passThroughCandidate(s, fit, to)
		return fmt.Sprintf("%s cannot be passed through on the way: %s", r.graph.bundles[at].Version, r.obstacleMessage(at, to))
	case len(unfit) > 0:
		newest := r.graph.bundles[unfit[len(unfit)-1]]
		return fmt.Sprintf("the newest there, %s, %s", newest.Version, clip(newest.Unfit, maxCause))
	case !s.through.empty():
		return "all versions there are deprecated or pre-releases"
	}
	return "the selected catalogs have none there: add a catalog that has one"
}

// passThroughCandidate selects the bundle in fit to explain: the newest one between the installed version and the target, or else the
// newest of all. For a step with Latest it is always the newest. fit must not be empty.
func (r *Reachability) passThroughCandidate(s *step, fit []int, to int) int {
	newest := fit[len(fit)-1]
	if s.Select == Latest {
		return newest
	}
	for i := len(fit) - 1; i >= 0; i-- {
		if at := fit[i]; r.graph.levels[at] < r.graph.levels[to] && r.graph.bundles[at].Version.Compare(r.installed.Version) > 0 {
			return at
		}
	}
	return newest
}

// obstacleMessage returns a clause that says what prevents a path to the bundle with index to through the bundle with index at.
func (r *Reachability) obstacleMessage(at, to int) string {
	g := r.graph
	bundle, target := g.bundles[at], g.bundles[to].Version
	switch {
	case bundle.Version.Compare(r.installed.Version) <= 0:
		return fmt.Sprintf("it is not higher than the installed %s", r.installed.Version)
	case g.levels[at] >= g.levels[to]:
		return fmt.Sprintf("it is not lower than %s", target)
	case bundle.Avoid != "":
		return "it " + clip(bundle.Avoid, maxCause)
	}
	where, options, wanted := fmt.Sprintf("to it from %s", r.installed.Version), searchOptions{from: start}, at
	if r.best[at] != nil {
		where, options, wanted = fmt.Sprintf("on from it to %s", target), searchOptions{from: at}, to
	}
	if r.cachedSearch(options)[wanted] != nil {
		blockers := "the steps" // the message already names the steps, which block one another after the bundle at
		if wanted == at {
			blockers = joinLimited(namesOf(r.blockingSteps(at)))
		}
		return fmt.Sprintf("the way %s is closed by %s", where, blockers)
	}
	options.ignoreUnfit, options.ignoreAvoid = true, true
	if path := r.cachedSearch(options)[wanted]; path != nil {
		return fmt.Sprintf("the way %s leads through %s", where, r.excludedBundles(path))
	}
	return "no edge leads " + where
}

func namesOf(steps []*step) (names []string) {
	for _, step := range steps {
		names = append(names, step.name)
	}
	return names
}
