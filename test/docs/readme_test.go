package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
)

// What the README shows of the gate's message is what who tries it sees.
func TestReadmeShowsTheMessageOfTheGate(t *testing.T) {
	verdict, err := compat.Evaluate("4.23.0", []compat.Operator{{Name: "compass", Package: "compass", Version: "1.1.0", Max: []string{`"4.23"`}}})
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := range strings.Lines(verdict.Message + "\n") {
		want.WriteString(upgradegate.ConditionType + ": " + line) // as library-go writes it
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "message}'\n"+want.String()+"```") {
		t.Errorf("README.md does not show\n%s", want.String())
	}
}
