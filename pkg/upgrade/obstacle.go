package upgrade

import (
	"fmt"
	"strings"
)

// confined says that nothing but what was cut out is in the way to a bundle, and which steps leave no other way, if any do.
func (r *Reach) confined(to int, way *visit) string {
	text := fmt.Sprintf("cannot be reached from %s: the way leads through %s; or %s", r.installed.Version, r.blamed(way), selfCertified)
	if len(r.graph.steps) == 0 || r.searched(search{from: start})[to] == nil {
		return text
	}
	var parts []string
	for _, step := range r.closing(to) {
		parts = append(parts, step.describe())
	}
	return text + "; there would be another way, but " + listed(parts)
}

// blamed names the bundles that a way leads through although the cluster must not run them, or no way may lead on from them,
// and says why.
func (r *Reach) blamed(way *visit) string {
	var causes []string
	versions := map[string][]string{}
	path := way.path()
	for i, visit := range path {
		bundle := r.graph.bundles[visit.at]
		why := bundle.Unfit
		if why == "" && i < len(path)-1 { // one may end where none leads on
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
		parts = append(parts, enumerated(versions[why])+which+clip(why, maxCause))
	}
	return listed(parts)
}

// enumerated joins at most a few versions and counts the rest.
func enumerated(versions []string) string {
	switch more := len(versions) - maxListed; {
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(versions[:maxListed], ", "), more)
	case len(versions) > 1:
		return strings.Join(versions[:len(versions)-1], ", ") + " and " + versions[len(versions)-1]
	}
	return versions[0]
}

// describe says what a step asks for.
func (s *step) describe() string {
	much := "a version"
	if s.Select == Latest {
		much = "the latest version"
	}
	text := fmt.Sprintf("%s wants whoever has been at %q to be ready at %s in %q before %q", s.name, s.From, much, s.Through, s.To)
	if s.Reason != "" {
		text += fmt.Sprintf(" (its author: %q)", s.Reason)
	}
	return text
}

// missing says why a step's range cannot be passed through on the way to a bundle.
func (r *Reach) missing(s *step, to int) string {
	var fit, unfit []int
	for at := range s.inside.all() {
		switch bundle := r.graph.bundles[at]; {
		case bundle.Unfit != "":
			unfit = append(unfit, at)
		case s.Select == Any || eligible(bundle):
			fit = append(fit, at)
		}
	}
	switch {
	case len(fit) > 0:
		if way := r.searched(search{holding: every, unfit: true, confined: true, from: start})[to]; way != nil {
			return "the way leads through " + r.blamed(way)
		}
		at := r.passable(s, fit, to)
		return fmt.Sprintf("%s cannot be passed through on the way: %s", r.graph.bundles[at].Version, r.obstacle(at, to))
	case len(unfit) > 0:
		newest := r.graph.bundles[unfit[len(unfit)-1]]
		return fmt.Sprintf("the newest there, %s, %s", newest.Version, clip(newest.Unfit, maxCause))
	case !s.inside.empty():
		return "all versions there are deprecated or pre-releases"
	}
	return "the selected catalogs have none there: add a catalog that has one"
}

// passable is which of the bundles that satisfy a step is told of: the newest that is on the way up to a bundle at all, else
// the newest.
func (r *Reach) passable(s *step, fit []int, to int) int {
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

// obstacle says what keeps a bundle from being passed through on the way to another.
func (r *Reach) obstacle(at, to int) string {
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
	where, look, wanted := fmt.Sprintf("to it from %s", r.installed.Version), search{from: start}, at
	if r.best[at] != nil {
		where, look, wanted = fmt.Sprintf("on from it to %s", target), search{from: at}, to
	}
	if r.searched(look)[wanted] != nil {
		by := "the steps" // those that are told of already: after it they are in one another's way
		if wanted == at {
			by = listed(namesOf(r.closing(at)))
		}
		return fmt.Sprintf("the way %s is closed by %s", where, by)
	}
	look.unfit, look.confined = true, true
	if way := r.searched(look)[wanted]; way != nil {
		return fmt.Sprintf("the way %s leads through %s", where, r.blamed(way))
	}
	return "no edge leads " + where
}

func namesOf(steps []*step) (names []string) {
	for _, step := range steps {
		names = append(names, step.name)
	}
	return names
}
