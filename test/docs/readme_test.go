package docs

import (
	"os"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
)

// TestReadmeShowsTheMessageOfTheGate checks that the README shows the message that the upgrade gate writes in the demo's cluster.
func TestReadmeShowsTheMessageOfTheGate(t *testing.T) {
	evaluation, err := compat.Evaluate("4.23.0", []compat.Operator{{Name: "compass", Package: "compass", Version: "1.1.0", Max: []string{`"4.23"`}}}, time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	evaluation = evaluation.WithNotes(upgradegate.FeatureSetNote(configv1.TechPreviewNoUpgrade))
	var want strings.Builder
	for line := range strings.Lines(evaluation.Message + "\n") {
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
