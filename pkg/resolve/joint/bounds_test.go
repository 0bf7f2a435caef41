package joint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// pigeons are so many operators with so many kinds to bring between them, in versions that bring one each, and an older one
// that needs them all: of one kind less than operators that has no solution, and to see it takes for ever.
func pigeons(operators, kinds int) *fleet {
	boss := "1.0.0 needs="
	var all [][]string
	for i := range operators {
		boss += fmt.Sprintf("p%d:,", i)
		texts := []string{fmt.Sprintf("p%d", i)}
		for kind := range kinds {
			texts = append(texts, fmt.Sprintf("1.%d.0 brings=K%d", kind, kind))
		}
		all = append(all, texts)
	}
	return newFleet(append([][]string{{"boss", strings.TrimSuffix(boss, ",")}}, all...)...)
}

func TestTheSearchIsBounded(t *testing.T) {
	t.Run("a puzzle that would take for ever is given up, and what can be decided is", func(t *testing.T) {
		n := pigeons(20, 19)
		got := n.decide()
		if boss := got["boss"]; boss.Chosen != nil || !strings.Contains(boss.Message, "no solution with it was found within bounds") || len(boss.Message) > reason.MaxMessage {
			t.Errorf("boss: %s", boss.Message)
		}
		running := strings.Count(outcome(got), " 1.")
		if running < 19 {
			t.Errorf("only %d of 19 that could run do: %s", running, outcome(got))
		}
		if diff := cmp.Diff(got, n.decide()); diff != "" {
			t.Errorf("the second time it is another one:\n%s", diff)
		}
	})
	t.Run("more different versions than are tried", func(t *testing.T) {
		var versions, kinds []string
		for i := range maxCandidateSets + 10 {
			versions = append(versions, fmt.Sprintf("1.%d.0 brings=K%d", i, i))
			kinds = append(kinds, fmt.Sprintf("K%d", i))
		}
		got := newFleet([]string{"taken@1.0.0", "1.0.0 brings=" + strings.Join(kinds[9:], ",")}, append([]string{"a"}, versions...)).decide()["a"]
		untried := slices.IndexFunc(got.Refused, func(r resolve.Refusal) bool { return r.Bundle.Version == "1.8.0" })
		if got.Chosen != nil || untried < 0 || !strings.Contains(got.Refused[untried].Why(), "was not tried together with other operators") || len(got.Message) > reason.MaxMessage || len(got.Conflicts) != maxConflicts {
			t.Errorf("%s (%d conflicts)", got.Message, len(got.Conflicts))
		}
	})
	t.Run("more operators than are decided together", func(t *testing.T) {
		operators := [][]string{{"base@1.0.0", "1.0.0 brings=K"}}
		for i := range maxGroup + 3 {
			operators = append(operators, []string{fmt.Sprintf("op%03d", i), "1.0.0 needs=K"})
		}
		got := newFleet(operators...).decide()
		if running := strings.Count(outcome(got), " 1.0.0"); running != maxGroup {
			t.Errorf("%d run, want %d", running, maxGroup)
		}
		if last := got[fmt.Sprintf("op%03d", maxGroup)]; last.Reason != platformv1alpha1.ReasonValidationFailed || !strings.Contains(last.Message, "was not tried") {
			t.Errorf("the last one: %s", last.Message)
		}
	})
	t.Run("what many are told of one another", func(t *testing.T) {
		operators := [][]string{{"first", "1.0.0 brings=K"}}
		for i := range resolve.MaxNotes + 10 {
			operators = append(operators, []string{fmt.Sprintf("op%02d", i), "1.0.0 brings=K"})
		}
		first := newFleet(operators...).decide()["first"]
		if len(first.Notes) != resolve.MaxNotes+1 || first.Notes[resolve.MaxNotes] != "and more that is not listed" {
			t.Errorf("%d notes: %v", len(first.Notes), first.Notes)
		}
	})
}

func FuzzRequiredRange(f *testing.F) {
	for _, text := range []string{"", " ", ">=1.0.0", ">1.0.0 <2.0.0 || 3.x", "later", "=>", strings.Repeat("1", 400), "!1.0.0", "1.0.0-rc.1+b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := newFleet([]string{"b@1.5.0", "1.5.0"}, []string{"a", "1.0.0"})
		n.packages["a"].Bundles[0].Requirements = []catalog.Requirement{{Package: &catalog.PackageRange{Name: "b", Range: text}}}
		got := n.decide()["a"]
		if (got.Chosen == nil) != (got.Reason != "") || len(got.Message) > reason.MaxMessage || strings.ContainsAny(got.Message, "\n\r") {
			t.Errorf("range %q: %+v", text, got)
		}
		n.packages["a"].Bundles[0].Requirements = []catalog.Requirement{{Not: n.packages["a"].Bundles[0].Requirements}}
		if opposite := n.decide()["a"]; opposite.Chosen != nil && got.Chosen != nil {
			t.Errorf("range %q is met and not met", text)
		}
	})
}
