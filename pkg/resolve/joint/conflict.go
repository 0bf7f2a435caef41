package joint

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// maxLeaves is the maximum number of kinds and packages in a requirement that a message explains.
const maxLeaves = 3

// conflictOf returns the reason why an operator does not get a candidate set, and the rule that refuses the set.
func (p *satProblem) conflictOf(v *variable, why infeasibility) (conflict resolve.Conflict, rule string) {
	set := v.sets[why.set]
	conflict.Version = reason.Version(set.options[0].Version)
	if why.isAborted {
		conflict.Cause = reason.SearchLimit{Others: len(p.variables) - 1}
		return conflict, resolve.RuleConflict
	}
	rule = resolve.RuleRequirement
	with := map[*variable]bool{}
	var parts [3][]reason.Reason // indexed by distance
	for _, c := range why.constraints {
		part, others := p.unmet(v, c)
		if c.other != nil {
			rule = resolve.RuleConflict
			part, others = overlapPart(v, set, c), []*variable{c.other}
		}
		distance := p.distance(v, c, why.assigned)
		parts[distance] = append(parts[distance], part)
		for _, other := range append(others, c.variable) {
			with[other] = true
		}
	}
	for _, other := range why.assigned {
		parts[1] = append(parts[1], other.outcome())
		with[other] = true
	}
	for _, other := range p.variables {
		if other != v && with[other] {
			conflict.With = append(conflict.With, other.evaluation.Operator())
		}
	}
	slices.Sort(conflict.With)
	conflict.Cause = reason.Conflict{Own: parts[0], Causes: parts[1], Links: parts[2], Remedy: p.remedy(v, why, conflict.With)}
	return conflict, rule
}

// distance says how a constraint is related to a conflict of v: 0 if it concerns v itself, 1 if it concerns the operators that cause the
// conflict, and 2 if it connects v with the causes. assigned are the operators in the conflict whose candidate sets are already fixed.
func (p *satProblem) distance(v *variable, c constraint, assigned []*variable) int {
	switch {
	case c.variable == v || c.other == v:
		return 0
	case c.other != nil, slices.ContainsFunc(assigned, func(other *variable) bool {
		return slices.ContainsFunc(c.requirement.Leaves(), func(leaf catalog.Requirement) bool {
			return slices.Contains(p.index.Related(leaf), other.evaluation)
		})
	}):
		return 1
	}
	return 2
}

// overlapPart returns a reason that names what two operators both provide. If v is one of them, the reason is a clause about the version of
// v. Otherwise it is about both operators.
func overlapPart(v *variable, set candidateSet, c constraint) reason.Reason {
	other := c.variable
	if other == v {
		other = c.other
	}
	if c.variable != v && c.other != v {
		found := overlapsOf(c.variable, c.other, c.variable.sets)
		return reason.OthersOverlap{
			First: c.variable.evaluation.Operator(), Second: c.other.evaluation.Operator(), Overlap: reason.Overlap{Package: found.pkg, Kinds: found.kinds},
		}
	}
	found := overlapsOf(v, other, []candidateSet{set})
	return reason.ProvidedTwice{
		Overlap: reason.Overlap{Package: found.pkg, Kinds: found.kinds}, Operator: other.evaluation.Operator(), Package: other.evaluation.Package(),
	}
}

// unmet returns the unmet requirement of a constraint, and the other operators that could meet it. It returns nil for a constraint that
// forbids an overlap.
func (p *satProblem) unmet(v *variable, c constraint) (part reason.Reason, others []*variable) {
	if c.other != nil {
		return nil, nil
	}
	unmet := reason.Unmet{Requirement: c.requirement}
	if c.variable != v {
		unmet.Operator = c.variable.evaluation.Operator()
		unmet.Versions = c.variable.versionsWith(func(state installState) bool {
			return slices.ContainsFunc(state.requires, func(each catalog.Requirement) bool { return each.String() == c.requirement.String() })
		})
	}
	leaves := c.requirement.Leaves()
	for _, leaf := range leaves[:min(len(leaves), maxLeaves)] {
		if leaf.GVK == nil && leaf.Package == nil || p.index.IsMetByCluster(leaf) {
			continue
		}
		isOffered := false
		for _, other := range p.variables {
			if other == c.variable || !slices.Contains(p.index.Related(leaf), other.evaluation) {
				continue
			}
			isOffered = true
			others = append(others, other)
			unmet.Offers = append(unmet.Offers, p.offer(other, leaf))
		}
		if !isOffered {
			unmet.Offers = append(unmet.Offers, v.evaluation.Absence(c.variable.evaluation.Package(), leaf))
		}
	}
	return unmet, others
}

// offer returns what an operator could do to meet a requirement.
func (p *satProblem) offer(other *variable, leaf catalog.Requirement) reason.Offer {
	return reason.Offer{
		Operator: other.evaluation.Operator(),
		Versions: other.versionsWith(func(state installState) bool { return state.satisfies(p.index, other.evaluation.Package(), leaf) }),
		Possible: other.versionsWith(func(state installState) bool { return !state.version.IsZero() }),
		First:    p.intermediateVersion(other, leaf),
	}
}

// intermediateVersion returns the version of an operator's next upgrade step if its best version, at the end of the path, meets a
// requirement, and that step does not; empty otherwise.
func (p *satProblem) intermediateVersion(other *variable, leaf catalog.Requirement) string {
	best, pkg := other.sets[0], other.evaluation.Package()
	if best.states[0].satisfies(p.index, pkg, leaf) || !best.states[1].satisfies(p.index, pkg, leaf) {
		return ""
	}
	return reason.Version(best.states[0].version)
}

// remedy returns what an admin can do about a conflict with the operators named in with.
func (p *satProblem) remedy(v *variable, why infeasibility, with []string) reason.Reason {
	switch {
	case len(with) == 0:
		return reason.ProvideMissing{}
	case slices.ContainsFunc(why.constraints, func(c constraint) bool { return c.other != nil }):
		return reason.ChooseVersions{Operator: v.evaluation.Operator(), Others: with}
	case p.isInProgress(v, why):
		return reason.InProgress{}
	}
	return reason.PermitVersion{Operator: v.evaluation.Operator(), Others: with}
}

// isInProgress reports whether other operators are being upgraded to versions that meet all requirements in the conflict.
func (p *satProblem) isInProgress(v *variable, why infeasibility) bool {
	return len(why.assigned) == 0 && !slices.ContainsFunc(why.constraints, func(c constraint) bool {
		return c.variable != v || !slices.ContainsFunc(c.requirement.Leaves(), func(leaf catalog.Requirement) bool {
			return slices.ContainsFunc(p.variables, func(other *variable) bool { return p.intermediateVersion(other, leaf) != "" })
		})
	})
}
