package revision

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated part of docs/bundledeployments.md")

const (
	page        = "../../docs/bundledeployments.md"
	beginMarker = "<!-- Begin of what go test ./pkg/revision -args -update writes. -->\n"
	endMarker   = "<!-- End of it. -->\n"
)

// TestThePageShowsTheRules compares the diagram and the table in the docs with the transitions.
func TestThePageShowsTheRules(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), beginMarker)
	_, after, complete := strings.Cut(rest, endMarker)
	if !found || !complete {
		t.Fatalf("%s has no markers of generated content", page)
	}
	want := before + beginMarker + diagram() + "\n" + table() + endMarker + after
	if want == string(content) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the transitions: run go test ./pkg/revision -args -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// diagram returns the states as a Mermaid diagram, with all waiting states as one node. Edges have the row numbers of the table.
func diagram() string {
	var edges []string
	numbers := map[string][]string{}
	for i, rule := range transitions {
		for _, from := range rule.From {
			edge := node(from) + " --> " + node(rule.To)
			if !slices.Contains(edges, edge) {
				edges = append(edges, edge)
			}
			if number := strconv.Itoa(i + 1); !slices.Contains(numbers[edge], number) {
				numbers[edge] = append(numbers[edge], number)
			}
		}
	}
	var text strings.Builder
	text.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> Pending\n")
	for _, edge := range edges {
		fmt.Fprintf(&text, "    %s: %s\n", edge, strings.Join(numbers[edge], ", "))
	}
	text.WriteString("    Deleted --> [*]\n```\n")
	return text.String()
}

// node returns the node of a state in the diagram.
func node(state State) string {
	for _, waiting := range waitingStates {
		if state == waiting {
			return "Waiting"
		}
	}
	return string(state)
}

// table returns the transitions as a Markdown table.
func table() string {
	var text strings.Builder
	text.WriteString("| | to | when | then |\n|---|---|---|---|\n")
	for i, rule := range transitions {
		fmt.Fprintf(&text, "| %d | %s | %s | %s |\n", i+1, rule.To, rule.When, rule.Effect)
	}
	return text.String()
}
