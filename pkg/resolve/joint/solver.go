package joint

import (
	"slices"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

const (
	// maxQueries is the maximum number of queries for one group. maxBacktracks is the maximum number of conflicts in the search for one
	// query, and maxGroupBacktracks is the maximum for all queries of a group. When a limit is reached, the search ends, and operators get
	// the sets of the last solution; at worst every operator keeps its version. Real packages need no backtracking.
	maxQueries, maxBacktracks, maxGroupBacktracks = 20_000, 250, 1_000
)

// solver searches for solutions of a satisfiability problem. It does not use gini's own search, which can only be limited by time. Results
// must depend only on the clauses and queries, so the number of conflicts limits the search. The solver makes one choice after another,
// gini propagates each choice, and each conflict becomes a clause.
type solver struct {
	// clauses holds all clauses so far, each followed by a null literal. last is the variable that was added last.
	clauses []z.Lit
	last    z.Var
	// propagator is a gini solver with all the clauses; nil if it must be rebuilt. It is discarded after a conflict: gini learns a clause
	// when the conflict is undone, and gini's own consistency checks can fail after that.
	propagator *gini.Gini
	// choices are sets of literals. Exactly one literal of each set is true; earlier literals are preferred.
	choices [][]z.Lit
	// core lists the assumptions that left no solution for the last query; nil if the query had a different result.
	core []z.Lit
	// queries and backtracks are the numbers of queries and conflicts so far.
	queries, backtracks int
}

// result says whether a query has a solution; unknown means that the search reached a limit.
type result int

const (
	unknown result = iota
	satisfiable
	unsatisfiable
)

// literal returns the literal of a new variable.
func (s *solver) literal() z.Lit {
	s.last++
	return s.last.Pos()
}

// clause adds the requirement that at least one of the literals is true.
func (s *solver) clause(literals ...z.Lit) {
	s.propagator = nil
	s.clauses = append(append(s.clauses, literals...), z.LitNull)
}

// choice adds the requirement that exactly one of the literals is true, and makes the search prefer earlier ones.
func (s *solver) choice(literals []z.Lit) {
	for i, literal := range literals {
		for _, before := range literals[:i] {
			s.clause(before.Not(), literal.Not())
		}
	}
	s.clause(literals...)
	s.choices = append(s.choices, literals)
}

// solve searches for a solution in which all assumptions are true. It returns, for each choice, the index of the true literal. If there is
// no solution, it sets core. The result is unknown if the search reaches a limit.
func (s *solver) solve(assumptions ...z.Lit) (solution []int, found result) {
	s.core = nil
	if s.queries++; s.queries > maxQueries {
		return nil, unknown
	}
	for range maxBacktracks {
		if s.backtracks >= maxGroupBacktracks {
			return nil, unknown
		}
		solution, failed := s.attempt(assumptions)
		if solution != nil {
			return solution, satisfiable
		}
		if !slices.ContainsFunc(failed, func(literal z.Lit) bool { return !slices.Contains(assumptions, literal) }) {
			s.core = append([]z.Lit{}, failed...) // not nil, even if the clauses alone have no solution
			return nil, unsatisfiable
		}
		s.backtracks++
		s.exclude(failed)
	}
	return nil, unknown
}

// exclude adds the requirement that at least one of the literals is false.
func (s *solver) exclude(literals []z.Lit) {
	negated := make([]z.Lit, len(literals))
	for i, literal := range literals {
		negated[i] = literal.Not()
	}
	s.clause(negated...)
}

// attempt makes the assumptions and then one choice after another, until all are made or a conflict occurs. After a conflict, solution is
// nil, and failed lists the assumptions and choices that cause the conflict. The choices determine every other literal, so no other literal
// needs to be tried.
func (s *solver) attempt(assumptions []z.Lit) (solution []int, failed []z.Lit) {
	if s.propagator == nil {
		s.propagator = gini.NewVc(int(s.last)+1, len(s.clauses)/3) // most clauses have two literals and the null literal
		for _, literal := range s.clauses {
			s.propagator.Add(literal)
		}
	}
	solution, tests, ok := s.choose(assumptions)
	if !ok {
		failed = s.propagator.Why(nil)
		s.propagator = nil
		return nil, failed
	}
	for range tests {
		s.propagator.Untest()
	}
	return solution, nil
}

// choose makes the assumptions and choices in gini. tests is the number of tests to undo. ok is false if a conflict occurred.
func (s *solver) choose(assumptions []z.Lit) (solution []int, tests int, ok bool) {
	isConsistent := func(literals ...z.Lit) bool {
		s.propagator.Assume(literals...)
		tests++
		found, _ := s.propagator.Test(nil)
		return found >= 0
	}
	if !isConsistent(assumptions...) {
		return nil, tests, false
	}
	solution = make([]int, len(s.choices))
	for i, literals := range s.choices {
		// At least one literal may be true: otherwise gini would have found a conflict.
		at := slices.IndexFunc(literals, func(literal z.Lit) bool { return !s.propagator.Value(literal.Not()) })
		if !s.propagator.Value(literals[at]) && !isConsistent(literals[at]) {
			return nil, tests, false
		}
		solution[i] = at
	}
	return solution, tests, true
}

// minimalCore returns a minimal set of the assumptions that leaves no solution in which keep is true. It tries to drop the first
// assumptions first. The last query must have found no solution for keep and exactly these assumptions. ok is false if that query had a
// different result, or if the search reached a limit.
func (s *solver) minimalCore(keep z.Lit, assumptions []z.Lit) (core []z.Lit, ok bool) {
	if s.core == nil {
		return nil, false
	}
	core = slices.DeleteFunc(slices.Clone(assumptions), func(literal z.Lit) bool { return !slices.Contains(s.core, literal) })
	for i := 0; i < len(core); {
		less := slices.Delete(slices.Clone(core), i, i+1)
		switch _, found := s.solve(append(slices.Clone(less), keep)...); found {
		case unsatisfiable:
			core = less
		case satisfiable:
			i++
		case unknown:
			return nil, false
		}
	}
	return core, true
}
