package docs

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const metricPrefix = "platform_operators_"

func TestMetricsSectionListsEveryMetricAndNoOther(t *testing.T) {
	all := apiConstants(t, "Metric")
	expectUsed(t, all)
	metrics := maps.Clone(all)
	maps.DeleteFunc(metrics, func(_, value string) bool { return !strings.HasPrefix(value, metricPrefix) })
	if len(metrics) == 0 {
		t.Fatal("found no names of metrics in the code")
	}
	text := section(t, "metrics.md", "Metrics")
	listed, labels, found := strings.Cut(text, "| label |")
	if !found {
		t.Fatal("docs/metrics.md has no table of labels")
	}
	expectListed(t, "metrics.md", firstColumn(listed), metrics)
	for name, value := range apiConstants(t, "MetricLabel") {
		if !strings.Contains(labels, "`"+value+"`") {
			t.Errorf("docs/metrics.md does not describe label %q (%s)", value, name)
		}
	}
	for name, value := range all {
		if !regexp.MustCompile("[`\"]" + value + "[`\"=]").MatchString(text) {
			t.Errorf("docs/metrics.md, section Metrics, does not mention %q (%s)", value, name)
		}
	}
}

func TestEveryMetricHasItsNameFromTheAPI(t *testing.T) {
	for _, path := range managerFiles(t) {
		ast.Inspect(parseFile(t, path), func(node ast.Node) bool {
			if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING && strings.Contains(literal.Value, metricPrefix) {
				t.Errorf("%s has %s; make it a constant Metric… in pkg/apis and list it in docs/metrics.md", filepath.Base(path), literal.Value)
			}
			return true
		})
	}
}
