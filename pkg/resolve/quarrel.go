package resolve

import (
	"fmt"
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// maxSentences is how many parts of a conflict are told.
const maxSentences = 4

// explain puts a verdict into a sentence that begins with the version.
func (p *puzzle) explain(m *member, v verdict) (conflict Conflict, rule string) {
	wish := m.classes[v.class]
	conflict.Version = clip(wish.wishes[0].Version.String(), maxQuoted)
	if v.givenUp {
		conflict.Why = fmt.Sprintf("has to do with %d other operators, and no solution with it was found within bounds: narrow the spec.package.version of some of them", len(p.members)-1)
		return conflict, RuleConflict
	}
	rule = RuleRequirement
	with := map[*member]bool{}
	parts := map[int][]string{} // by how near they are to the version
	for _, r := range v.rules {
		near := p.distance(m, r, v.taken)
		text, others := p.sayNeed(m, r)
		if r.other != nil {
			rule = RuleConflict
			text, others = p.sayClash(m, wish, r), []*member{r.other}
		}
		parts[near] = append(parts[near], text)
		for _, other := range append(others, r.member) {
			with[other] = true
		}
	}
	for _, other := range v.taken {
		parts[1] = append(parts[1], other.becomes(other.classes[other.chosen]))
		with[other] = true
	}
	for _, other := range p.members {
		if other != m && with[other] {
			conflict.With = append(conflict.With, other.ask.Operator)
		}
	}
	slices.Sort(conflict.With)
	sentences := list(slices.Concat(parts[0], parts[1], parts[2]), "; ", maxSentences)
	if len(parts[0]) == 0 {
		sentences = "would break others: " + sentences
	}
	conflict.Why = clip(sentences, maxWhy) + "; " + p.remedy(m, v, conflict.With)
	return conflict, rule
}

// distance is 0 for the rules of a member itself, 1 for those where the trouble comes from, and 2 for what leads there.
func (p *puzzle) distance(m *member, r groupRule, taken []*member) int {
	switch {
	case r.member == m || r.other == m:
		return 0
	case r.other != nil, slices.ContainsFunc(taken, func(other *member) bool {
		return slices.ContainsFunc(leaves(r.need), func(leaf catalog.Requirement) bool { return slices.Contains(p.around.concerned(leaf), other.study) })
	}):
		return 1
	}
	return 2
}

// sayClash says what two members bring both. The subject is the version where it is one of them.
func (p *puzzle) sayClash(m *member, wish class, r groupRule) string {
	other := r.member
	if other == m {
		other = r.other
	}
	if r.member != m && r.other != m {
		return fmt.Sprintf("%s and %s cannot run side by side: both bring %s", r.member.label(), r.other.label(), clashing(r.member, r.other, r.member.classes))
	}
	what := clashing(m, other, []class{wish})
	return fmt.Sprintf("brings %s, which %s (package %q) brings too, and only one may", what, other.label(), clip(other.ask.Package, maxQuoted))
}

// clashing names what any of a member's classes brings that any of another's does.
func clashing(m, other *member, classes []class) string {
	var kinds []catalog.GVK
	pkg := ""
	for _, mine := range classes {
		for _, theirs := range other.classes {
			found := clashOf(m, other, mine, theirs)
			kinds = append(kinds, found.kinds...)
			if found.pkg != "" {
				pkg = found.pkg
			}
		}
	}
	if pkg != "" {
		return fmt.Sprintf("the package %q", clip(pkg, maxQuoted))
	}
	slices.SortFunc(kinds, catalog.GVK.Compare)
	var names []string
	for _, gvk := range slices.Compact(kinds) {
		names = append(names, quote(gvk.String()))
	}
	if len(names) == 1 {
		return "the kind " + names[0]
	}
	return "the kinds " + list(names, ", ", maxLeaves)
}

// sayNeed says what a member needs, and which others could do something about it.
func (p *puzzle) sayNeed(m *member, r groupRule) (text string, others []*member) {
	if r.other != nil {
		return "", nil
	}
	text = "needs " + needed(r.need)
	if r.member != m {
		in := r.member.versions(func(moment moment) bool {
			return slices.ContainsFunc(moment.requires, func(each catalog.Requirement) bool { return each.String() == r.need.String() })
		})
		text = fmt.Sprintf("%s in %s %s", r.member.label(), in, text)
	}
	var parts []string
	all := leaves(r.need)
	for _, leaf := range all[:min(len(all), maxLeaves)] {
		if leaf.GVK == nil && leaf.Package == nil || p.around.constant(leaf) {
			continue
		}
		said := false
		for _, other := range p.members {
			if other == r.member || !slices.Contains(p.around.concerned(leaf), other.study) {
				continue
			}
			said = true
			others = append(others, other)
			parts = append(parts, p.offer(other, leaf))
		}
		if !said {
			parts = append(parts, m.ask.absence(r.member.ask.Package, leaf))
		}
	}
	if len(parts) > 0 {
		text += " (" + list(parts, ", ", maxLeaves) + ")"
	}
	return text + failureMessages(r.need), others
}

// offer says what an operator could do for a requirement.
func (p *puzzle) offer(other *member, leaf catalog.Requirement) string {
	meets := func(moment moment) bool { return moment.meets(p.around, other.ask.Package, leaf) }
	in := other.versions(meets)
	if in == "" {
		may := other.versions(func(moment moment) bool { return !moment.version.IsZero() })
		if may == "" {
			return other.label() + " can have no version at all now"
		}
		return fmt.Sprintf("%s does not have that in what it can have, %s", other.label(), may)
	}
	text := fmt.Sprintf("%s has that in %s", other.label(), in)
	if before := p.before(other, leaf); before != "" {
		text += ", and goes to " + before + " first"
	}
	return text
}

// before is what an operator goes to before it meets a requirement by its best version; empty where it does not have to.
func (p *puzzle) before(other *member, leaf catalog.Requirement) string {
	best := other.classes[0]
	if best.moments[0].meets(p.around, other.ask.Package, leaf) || !best.moments[1].meets(p.around, other.ask.Package, leaf) {
		return ""
	}
	return clip(best.moments[0].version.String(), maxQuoted)
}

// remedy says what would do; with are the others that are part of it.
func (p *puzzle) remedy(m *member, v verdict, with []string) string {
	var whose []string
	for _, name := range with {
		whose = append(whose, fmt.Sprintf("%q", name))
	}
	others := list(whose, ", ", maxLeaves)
	switch {
	case len(with) == 0:
		return "create a PlatformOperator for what is missing, or choose another version by spec.package.version"
	case slices.ContainsFunc(v.rules, func(r groupRule) bool { return r.other != nil }):
		return fmt.Sprintf("choose versions that go together by spec.package.version of %q and %s, or delete one of these PlatformOperators", m.ask.Operator, others)
	case p.waits(m, v):
		return "it follows when that is done"
	}
	return fmt.Sprintf("permit such a version by spec.package.version of %s, or choose another one of %q", others, m.ask.Operator)
}

// waits says that a member's version needs nothing but what others are on their way to.
func (p *puzzle) waits(m *member, v verdict) bool {
	return len(v.taken) == 0 && !slices.ContainsFunc(v.rules, func(r groupRule) bool {
		return r.member != m || !slices.ContainsFunc(leaves(r.need), func(leaf catalog.Requirement) bool {
			return slices.ContainsFunc(p.members, func(other *member) bool { return p.before(other, leaf) != "" })
		})
	})
}
