package docs

import (
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/cli/explain"
)

// sectionsOfKinds has the section of docs/conditions.md about the conditions of each kind.
var sectionsOfKinds = map[explain.Kind]string{
	explain.KindPlatformOperator: "PlatformOperator",
	explain.KindBundleDeployment: "BundleDeployment",
	explain.KindManager:          clusterOperatorSection,
}

// TestCLI_8_EveryReasonThatCodeWritesHasAnExplanation checks the table of the verb explain against the conditions and reasons that code
// writes, in both directions.
func TestCLI_8_EveryReasonThatCodeWritesHasAnExplanation(t *testing.T) {
	written := pairsInCode(t)
	explained := map[string][]string{}
	for _, each := range explain.Explained() {
		heading := sectionsOfKinds[each.Kind]
		explained[heading] = append(explained[heading], each.Condition+"/"+each.Reason)
	}
	delete(written, "Bundle") // no verb reads a Bundle
	for heading, pairs := range written {
		for _, pair := range pairs.list() {
			if !slices.Contains(explained[heading], pair) {
				t.Errorf("pkg/cli/explain has no explanation for %s of a %s, which code writes", pair, heading)
			}
		}
		for _, pair := range explained[heading] {
			if !slices.Contains(pairs.list(), pair) {
				t.Errorf("pkg/cli/explain explains %s of a %s, which no code writes", pair, heading)
			}
		}
	}
}

// TestCLI_8_EveryReasonConstantHasAnExplanation walks the exported constants, also those that no condition has yet.
func TestCLI_8_EveryReasonConstantHasAnExplanation(t *testing.T) {
	explained := map[string]bool{}
	for _, each := range explain.Explained() {
		explained[each.Reason] = true
	}
	reasons := reasonsInCode(t)
	if len(reasons) < 40 {
		t.Fatalf("found only %d reasons in the code, want at least 40", len(reasons))
	}
	for reason, name := range reasons {
		if !explained[reason] {
			t.Errorf("pkg/cli/explain has no explanation for reason %q (%s)", reason, name)
		}
	}
}

// TestCLI_8_ExplanationsAreSentencesWithANextStep checks the form of the texts.
func TestCLI_8_ExplanationsAreSentencesWithANextStep(t *testing.T) {
	for _, each := range explain.Explained() {
		explanation, _ := explain.Explain(each)
		if sentences := strings.Count(explanation.Text, ". ") + 1; !strings.HasSuffix(explanation.Text, ".") || sentences > 3 {
			t.Errorf("%v: %q is not one to three sentences", each, explanation.Text)
		}
		needsStep := slices.Contains([]explain.Effect{explain.Blocking, explain.Waiting, explain.Warning}, explanation.Effect)
		if needsStep && !strings.HasSuffix(explanation.Next, ".") || explanation.Effect == explain.Normal && explanation.Next != "" {
			t.Errorf("%v: the next step %q does not fit the effect %s", each, explanation.Next, explanation.Effect)
		}
	}
}
