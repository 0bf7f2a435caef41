package plain

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// header is the header of the page's table of kinds.
const header = "| group | namespaced | cluster-scoped |\n|---|---|---|\n"

func TestPageListsOpenShiftKinds(t *testing.T) {
	page, err := os.ReadFile("../../../docs/bundledeployments.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), header)
	table, _, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("the page has no table that begins with\n%s", header)
	}
	var want []string
	for _, group := range slices.Sorted(maps.Keys(openShiftScopes)) {
		cells := []string{"`" + group + "`"}
		for _, kinds := range openShiftScopes[group] {
			cells = append(cells, strings.Join(strings.Fields(kinds), ", "))
		}
		want = append(want, strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |", "|  |", "| |"))
	}
	if diff := cmp.Diff(want, strings.Split(table, "\n")); diff != "" {
		t.Errorf("(-known +on the page):\n%s", diff)
	}
}
