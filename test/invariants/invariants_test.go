package invariants

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestThePageListsEachRule(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	var rules, listed []string
	for _, each := range WriteRules() {
		rules = append(rules, each.Name)
	}
	for _, each := range StateRules() {
		rules = append(rules, each.Name)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| ([a-z-]+) \\| .* \\| `[a-z]+\\.go` \\|$").FindAllSubmatch(page, -1) {
		listed = append(listed, string(row[1]))
	}
	if !slices.Equal(rules, listed) {
		t.Errorf("docs/testing.md lists the rules %q, and the code has %q", listed, rules)
	}
}
