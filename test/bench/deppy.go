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

// deppyProblem is the problem that pkg/resolve solves, expressed as variables of deppy. An operator is mandatory and depends on its
// candidates, the best first. A candidate that is not permitted on its own is prohibited. Any other candidate depends on the candidates
// that meet its requirements. At most one candidate of an operator, and at most one provider of a kind, may be chosen.
type deppyProblem struct {
	variables []deppy.Variable
	// want holds the candidate that pkg/resolve chose for each operator.
	want []deppy.Identifier
}

// deppyCandidate is a bundle that an operator may run.
type deppyCandidate struct {
	resolve.Candidate
	pkg string
	id  deppy.Identifier
	// installed is true if the bundle is installed. The requirements of an installed bundle are ignored.
	installed bool
	// prohibited is true if the bundle is not permitted, whichever bundles the other operators run.
	prohibited bool
}

// newDeppyProblem builds the problem from the decisions of pkg/resolve. If onlyFitting is set, it leaves out prohibited bundles. It always
// leaves out operators that cannot be installed, because deppy would find no solution with them. It returns an error if no operator can be
// installed.
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
			ids, err := providersOf(requirement, all)
			if err != nil {
				return deppyProblem{}, fmt.Errorf("making a problem for deppy of bundle %q: %w", candidate.Bundle.Name, err)
			}
			variables[candidate.id].AddConstraint(constraint.Dependency(ids...))
		}
	}
	for _, conflictSets := range conflictSets(all) {
		variables[conflictSets[0]].AddConstraint(constraint.AtMost(1, conflictSets...))
	}
	return problem, nil
}

// candidatesOf returns the bundles that an operator may run, the best first: deprecated bundles last, then by descending version.
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

// providersOf returns the candidates that meet a requirement, including prohibited ones.
func providersOf(requirement catalog.Requirement, all []deppyCandidate) (ids []deppy.Identifier, err error) {
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
		return nil, fmt.Errorf("its requirement is neither a kind nor a package: %s", requirement)
	}
	for _, c := range all {
		if meets(c) {
			ids = append(ids, c.id)
		}
	}
	return ids, nil
}

// conflictSets returns the sets of candidates that provide the same kind, for each kind that bundles of several packages provide.
// Prohibited candidates are ignored, and equal sets are returned once.
func conflictSets(all []deppyCandidate) [][]deppy.Identifier {
	providers := map[catalog.GVK][]deppyCandidate{}
	for _, c := range all {
		if c.prohibited {
			continue
		}
		for _, gvk := range c.Bundle.ProvidedGVKs {
			providers[gvk] = append(providers[gvk], c)
		}
	}
	sets := map[string][]deppy.Identifier{}
	for _, each := range providers {
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

// solve solves the problem with deppy, and returns an error unless deppy chooses what pkg/resolve chose.
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
		return fmt.Errorf("deppy chose %d variables for %d operators, want two for each", len(chosen), len(p.want))
	}
	for _, want := range p.want {
		if !chosen[want] {
			return fmt.Errorf("deppy did not choose %q, and pkg/resolve did; a comparison of their costs would mean nothing", want)
		}
	}
	return nil
}
