package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVerdictPart(t *testing.T) {
	p := verdictPart(verdicts{blocked: []float64{0.3, 0.1, 0.2}, permitted: []float64{0.06, 0.05}})
	want := []figure{
		{name: "change to a version that blocks: p50", unit: seconds, ours: 0.2, n: 3},
		{name: "change to a version that blocks: p95", unit: seconds, ours: 0.3, n: 3},
		{name: "change to a version that does not block: p50", unit: seconds, ours: 0.05, n: 2},
		{name: "change to a version that does not block: p95", unit: seconds, ours: 0.06, n: 2},
	}
	if diff := cmp.Diff(want, p.figures, cmp.AllowUnexported(figure{})); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestLongHistoryPermitsTheNextMinorVersionInTheLastVersion(t *testing.T) {
	all := longHistory(5)
	for i, operator := range all {
		first, last := i == 0, i == len(all)-1
		if operator.NoBundle == first || (operator.MaxOpenShiftVersion == `"4.23"`) != last {
			t.Errorf("version %d is %+v", i, operator)
		}
	}
}
