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

// pigeons returns operators that have one version for each kind, which provides that kind, and an older operator, "boss", that requires all
// of them. With fewer kinds than operators there is no solution, and an unbounded search would not end in reasonable time.
func pigeons(operators, kinds int) *fleet {
	boss := "1.0.0 requires="
	var all [][]string
	for i := range operators {
		boss += fmt.Sprintf("p%d:,", i)
		texts := []string{fmt.Sprintf("p%d", i)}
		for kind := range kinds {
			texts = append(texts, fmt.Sprintf("1.%d.0 provides=K%d", kind, kind))
		}
		all = append(all, texts)
	}
	return newFleet(append([][]string{{"boss", strings.TrimSuffix(boss, ",")}}, all...)...)
}

func TestTheSearchIsBounded(t *testing.T) {
	t.Run("a group without a solution keeps the last solution within the bounds", func(t *testing.T) {
		n := pigeons(20, 19)
		got := n.decide()
		if boss := got["boss"]; boss.Chosen != nil || !strings.Contains(boss.Message, "no solution with it was found within bounds") || len(boss.Message) > reason.MaxMessage {
			t.Errorf("boss was decided with message %q", boss.Message)
		}
		running := strings.Count(outcome(got), " 1.")
		if running < 19 {
			t.Errorf("%d operators got a version, want at least 19: %s", running, outcome(got))
		}
		if diff := cmp.Diff(got, n.decide()); diff != "" {
			t.Errorf("a second call returned other decisions:\n%s", diff)
		}
	})
	t.Run("more candidate sets than maxCandidateSets", func(t *testing.T) {
		var versions, kinds []string
		for i := range maxCandidateSets + 10 {
			versions = append(versions, fmt.Sprintf("1.%d.0 provides=K%d", i, i))
			kinds = append(kinds, fmt.Sprintf("K%d", i))
		}
		got := newFleet([]string{"taken@1.0.0", "1.0.0 provides=" + strings.Join(kinds[9:], ",")}, append([]string{"a"}, versions...)).decide()["a"]
		untried := slices.IndexFunc(got.Refused, func(r resolve.Refusal) bool { return r.Bundle.Version == "1.8.0" })
		if got.Chosen != nil || untried < 0 || !strings.Contains(got.Refused[untried].Why(), "was not tried together with other operators") || len(got.Message) > reason.MaxMessage || len(got.Conflicts) != maxConflicts {
			t.Errorf("%s (%d conflicts)", got.Message, len(got.Conflicts))
		}
	})
	t.Run("more operators than maxGroup", func(t *testing.T) {
		operators := [][]string{{"base@1.0.0", "1.0.0 provides=K"}}
		for i := range maxGroup + 3 {
			operators = append(operators, []string{fmt.Sprintf("op%03d", i), "1.0.0 requires=K"})
		}
		got := newFleet(operators...).decide()
		if running := strings.Count(outcome(got), " 1.0.0"); running != maxGroup {
			t.Errorf("%d operators got a version, want %d", running, maxGroup)
		}
		if last := got[fmt.Sprintf("op%03d", maxGroup)]; last.Reason != platformv1alpha1.ReasonValidationFailed || !strings.Contains(last.Message, "was not tried") {
			t.Errorf("the last operator has message %q", last.Message)
		}
	})
	t.Run("more notes than MaxNotes", func(t *testing.T) {
		operators := [][]string{{"first", "1.0.0 provides=K"}}
		for i := range resolve.MaxNotes + 10 {
			operators = append(operators, []string{fmt.Sprintf("op%02d", i), "1.0.0 provides=K"})
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
			t.Errorf("range %q and its negation are both met", text)
		}
	})
}
