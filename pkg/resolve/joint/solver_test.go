package joint

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-air/gini/z"
	"github.com/google/go-cmp/cmp"
)

// pigeonhole returns a solver in which each pigeon chooses a hole, and no two may choose the same.
func pigeonhole(pigeons, holes int) *solver {
	s := new(solver)
	choices := make([][]z.Lit, pigeons)
	for i := range choices {
		for range holes {
			choices[i] = append(choices[i], s.literal())
		}
		s.choice(choices[i])
		for _, before := range choices[:i] {
			for hole := range holes {
				s.clause(before[hole].Not(), choices[i][hole].Not())
			}
		}
	}
	return s
}

func TestSolver(t *testing.T) {
	for name, test := range map[string]struct {
		solver *solver
		want   result
	}{
		"as many holes as pigeons":              {pigeonhole(12, 12), satisfiable},
		"one hole less, few":                    {pigeonhole(4, 3), unsatisfiable},
		"one hole less, too many to search all": {pigeonhole(20, 19), unknown},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time with learned clauses
				solution, found := test.solver.solve()
				if found != test.want {
					t.Fatalf("the result is %d, want %d", found, test.want)
				}
				taken := map[int]bool{}
				for _, hole := range solution {
					if taken[hole] {
						t.Errorf("hole %d is taken twice: %v", hole, solution)
					}
					taken[hole] = true
				}
			}
			if test.solver.backtracks > 2*maxBacktracks {
				t.Errorf("the search took %d backtracks, above its bound", test.solver.backtracks)
			}
		})
	}
}

func TestSolverAssumes(t *testing.T) {
	s := pigeonhole(3, 3)
	first, second := s.choices[0][2], s.choices[1][2]
	if solution, found := s.solve(first); found != satisfiable || solution[0] != 2 {
		t.Errorf("unexpected solution %v", solution)
	}
	if _, found := s.solve(first, second); found != unsatisfiable {
		t.Errorf("two pigeons in one hole: the result is %d", found)
	}
	assumptions := []z.Lit{s.choices[2][0], second, s.choices[2][1].Not()}
	if _, found := s.solve(append(slices.Clone(assumptions), first)...); found != unsatisfiable {
		t.Errorf("with more assumptions, the result is %d", found)
	}
	core, ok := s.minimalCore(first, assumptions)
	if diff := cmp.Diff([]z.Lit{second}, core); !ok || diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if solution, found := s.solve(second); found != satisfiable || solution[1] != 2 {
		t.Errorf("after an unsatisfiable query, the solution is %v", solution)
	}
	if core, ok := s.minimalCore(second, assumptions); ok {
		t.Errorf("after a query with a solution, the core is %v", core)
	}
}

// TestSolverDoesNotDependOnTime runs the search while the clock does not move and while much time passes. A search that depended on time
// would not end, or would end early.
func TestSolverDoesNotDependOnTime(t *testing.T) {
	type work struct {
		found               result
		queries, backtracks int
	}
	run := func() (done []work) {
		s := pigeonhole(11, 10)
		for i := range 6 {
			_, found := s.solve(s.choices[0][i])
			done = append(done, work{found, s.queries, s.backtracks})
		}
		return done
	}
	want := run()
	if last := want[len(want)-1]; last.found != unknown || last.backtracks != maxGroupBacktracks {
		t.Fatalf("the search did not reach its bound: %+v", want)
	}
	synctest.Test(t, func(t *testing.T) { // the clock stands still
		if diff := cmp.Diff(want, run(), cmp.AllowUnexported(work{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		time.Sleep(time.Hour)
		if diff := cmp.Diff(want, run(), cmp.AllowUnexported(work{})); diff != "" {
			t.Errorf("an hour later (-want +got):\n%s", diff)
		}
	})
}
