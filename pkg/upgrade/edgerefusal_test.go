package upgrade_test

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// TestCLI_7_AnEdgeIsRefusedIfNoPathIsThatEdge compares the refusal of each edge with the search for paths, which is what the manager uses:
// an edge that is permitted is a path of one hop.
func TestCLI_7_AnEdgeIsRefusedIfNoPathIsThatEdge(t *testing.T) {
	pkg, err := example("1.1.0", "1.2.0", "1.3.0", "1.3.5", "1.4.0", "1.5.0", "2.0.0", "2.1.0")
	if err != nil {
		t.Fatal(err)
	}
	pkg.Bundles[5].Unfit = "needs another cluster"
	graph := upgrade.New(pkg)
	refused := map[upgrade.Reason]int{}
	for _, edge := range graph.Edges() {
		reach := graph.From(graph.Bundles()[edge.From], nil)
		got := graph.EdgeRefusal(edge, nil)
		if isPath := reach.Steps(edge.To) == 1; isPath != (got.Reason == "") {
			t.Errorf("%d to %d: got %+v, and the path has %d steps", edge.From, edge.To, got, reach.Steps(edge.To))
		}
		refused[got.Reason]++
	}
	if refused[""] == 0 || refused[upgrade.Unfit] == 0 || refused[upgrade.BlockedBySteps] == 0 {
		t.Errorf("got %v, want edges that are permitted, unfit and blocked by steps", refused)
	}
}

func TestCLI_7_AnEdgeIsPermittedToAnOperatorThatWasReadyAtTheStep(t *testing.T) {
	pkg, err := example("1.2.0", "1.3.5", "1.4.0")
	if err != nil {
		t.Fatal(err)
	}
	graph := upgrade.New(pkg)
	edge := upgrade.Edge{From: 0, To: 2}
	got := graph.EdgeRefusal(edge, nil)
	if got.Reason != upgrade.BlockedBySteps || !strings.Contains(got.Message, "1.3 migrates stored objects") {
		t.Errorf("got %+v, want the author's step", got)
	}
	low := graph.Bundles()[0].Version
	if got := graph.EdgeRefusal(edge, []upgrade.Version{low}); got.Reason != upgrade.BlockedBySteps {
		t.Errorf("got %+v for an operator that was ready at the same version only", got)
	}
}

func TestCLI_7_UnreadableRulesRefuseEveryEdge(t *testing.T) {
	pkg, err := example("1.2.0", "1.2.1")
	if err != nil {
		t.Fatal(err)
	}
	pkg.Unreadable = []string{"steps is no list"}
	graph := upgrade.New(pkg)
	if got := graph.EdgeRefusal(graph.Edges()[0], nil); got.Reason != upgrade.RulesInvalid {
		t.Errorf("got %+v", got)
	}
	pkg.SelfCertified = true
	if got := upgrade.New(pkg).EdgeRefusal(upgrade.Edge{From: 1, To: 0}, nil); got.Reason != "" {
		t.Errorf("got %+v for a self-certified package, want none", got)
	}
}
