package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/operator-framework/deppy/pkg/deppy"
	"github.com/operator-framework/deppy/pkg/deppy/constraint"
	"github.com/operator-framework/deppy/pkg/deppy/input"
	"github.com/operator-framework/deppy/pkg/deppy/solver"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// deppyProblem is what pkg/resolve decides, in deppy's terms: a variable for each operator that must be there and needs one of
// its candidates, the best first; one for each candidate, which needs the candidates that bring what it requires, or is
// prohibited where it does not fit by itself; and of the candidates of an operator, and of those that bring a kind, at most one.
type deppyProblem struct {
	variables []deppy.Variable
	// want is the candidate of each operator that pkg/resolve has as its target.
	want []deppy.Identifier
}

// deppyCandidate is a bundle that an operator may run.
type deppyCandidate struct {
	resolve.Candidate
	pkg string
	id  deppy.Identifier
	// installed may stay whatever it requires.
	installed bool
	// prohibited does not fit, whatever the other operators do.
	prohibited bool
}

// newDeppyProblem takes the candidates from what pkg/resolve decided: all bundles of the packages, or only those that fit, or
// would but for other operators. Operators that cannot be installed are left out: with them deppy would find no solution for
// anybody.
func newDeppyProblem(requests []resolve.Request, decisions map[string]resolve.Decision, onlyFitting bool) (deppyProblem, error) {
	var problem deppyProblem
	var all []deppyCandidate
	for _, req := range slices.SortedFunc(slices.Values(requests), func(a, b resolve.Request) int { return cmp.Compare(a.Operator, b.Operator) }) {
		decision := decisions[req.Operator]
		if decision.Target == nil {
			continue
		}
		candidates := candidatesOf(req, decision)
		if onlyFitting {
			candidates = slices.DeleteFunc(candidates, func(c deppyCandidate) bool { return c.prohibited })
		}
		ids := identifiers(candidates)
		problem.variables = append(problem.variables, input.NewSimpleVariable(deppy.Identifier(req.Operator),
			constraint.Mandatory(), constraint.Dependency(ids...), constraint.AtMost(1, ids...)))
		problem.want = append(problem.want, identifier(req, *decision.Target))
		all = append(all, candidates...)
	}
	if len(all) == 0 {
		return deppyProblem{}, errors.New("making a problem for deppy: no operator can be installed")
	}
	variables := map[deppy.Identifier]*input.SimpleVariable{}
	for _, candidate := range all {
		variables[candidate.id] = input.NewSimpleVariable(candidate.id)
		problem.variables = append(problem.variables, variables[candidate.id])
		if candidate.prohibited {
			variables[candidate.id].AddConstraint(constraint.Prohibited())
		}
		if candidate.prohibited || candidate.installed {
			continue
		}
		for _, requirement := range candidate.Bundle.Requirements {
			ids, err := meeting(requirement, all)
			if err != nil {
				return deppyProblem{}, fmt.Errorf("making a problem for deppy of bundle %q: %w", candidate.Bundle.Name, err)
			}
			variables[candidate.id].AddConstraint(constraint.Dependency(ids...))
		}
	}
	for _, rivals := range rivals(all) {
		variables[rivals[0]].AddConstraint(constraint.AtMost(1, rivals...))
	}
	return problem, nil
}

// candidatesOf are what an operator may run, the best first.
func candidatesOf(req resolve.Request, decision resolve.Decision) (candidates []deppyCandidate) {
	add := func(c resolve.Candidate, prohibited bool) {
		candidates = append(candidates, deppyCandidate{
			Candidate: c, pkg: req.Package, id: identifier(req, c),
			installed: c.Bundle.Name == req.InstalledBundle, prohibited: prohibited,
		})
	}
	for _, fitting := range decision.Available {
		add(fitting, false)
	}
	for _, refusal := range decision.Refused {
		add(refusal.Candidate, refusal.Rule != resolve.RuleConflict)
	}
	slices.SortStableFunc(candidates, func(a, b deppyCandidate) int {
		if (a.Bundle.Deprecated == "") != (b.Bundle.Deprecated == "") {
			return cmp.Compare(len(a.Bundle.Deprecated), len(b.Bundle.Deprecated))
		}
		return b.Version.Compare(a.Version)
	})
	return candidates
}

func identifier(req resolve.Request, c resolve.Candidate) deppy.Identifier {
	return deppy.Identifier(req.Operator + "/" + c.Catalog.String() + "/" + c.Bundle.Name)
}

func identifiers(candidates []deppyCandidate) (ids []deppy.Identifier) {
	for _, c := range candidates {
		ids = append(ids, c.id)
	}
	return ids
}

// meeting are the candidates that meet a requirement.
func meeting(requirement catalog.Requirement, all []deppyCandidate) (ids []deppy.Identifier, err error) {
	meets := func(c deppyCandidate) bool { return slices.Contains(c.Bundle.ProvidedGVKs, *requirement.GVK) }
	switch {
	case requirement.GVK != nil:
	case requirement.Package != nil:
		covers, err := blang.ParseRange(requirement.Package.Range)
		if err != nil {
			return nil, fmt.Errorf("reading the range of what it requires, %s: %w", requirement, err)
		}
		meets = func(c deppyCandidate) bool { return c.pkg == requirement.Package.Name && c.Version.IsIn(covers) }
	default:
		return nil, fmt.Errorf("it requires more than a kind or a package, which this comparison knows nothing of: %s", requirement)
	}
	for _, c := range all {
		if meets(c) {
			ids = append(ids, c.id)
		}
	}
	return ids, nil
}

// rivals are the candidates that bring the same kind, for each kind that several operators might bring. Sets that are the
// same are one.
func rivals(all []deppyCandidate) [][]deppy.Identifier {
	bringers := map[catalog.GVK][]deppyCandidate{}
	for _, c := range all {
		if c.prohibited {
			continue
		}
		for _, gvk := range c.Bundle.ProvidedGVKs {
			bringers[gvk] = append(bringers[gvk], c)
		}
	}
	sets := map[string][]deppy.Identifier{}
	for _, each := range bringers {
		if slices.ContainsFunc(each, func(c deppyCandidate) bool { return c.pkg != each[0].pkg }) {
			ids := identifiers(each)
			sets[fmt.Sprint(ids)] = ids
		}
	}
	var sorted [][]deppy.Identifier
	for _, key := range slices.Sorted(maps.Keys(sets)) {
		sorted = append(sorted, sets[key])
	}
	return sorted
}

// solve has deppy solve the problem, and makes sure that it chooses what pkg/resolve does.
func (p deppyProblem) solve() error {
	s, err := solver.New()
	if err != nil {
		return err
	}
	solution, err := s.Solve(p.variables)
	if err != nil {
		return err
	}
	chosen := map[deppy.Identifier]bool{}
	for _, variable := range solution {
		chosen[variable.Identifier()] = true
	}
	if len(chosen) != 2*len(p.want) {
		return fmt.Errorf("it chose %d variables for %d operators and one candidate for each", len(chosen), len(p.want))
	}
	for _, want := range p.want {
		if !chosen[want] {
			return fmt.Errorf("it did not choose %q, which pkg/resolve does; a comparison of their costs would mean nothing", want)
		}
	}
	return nil
}
