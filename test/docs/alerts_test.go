package docs

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// alertRule has the fields of a rule in manifests/ that the tests check.
type alertRule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) []alertRule {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "manifests", "0000_90_platform-operators_03-prometheusrule.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec struct{ Groups []struct{ Rules []alertRule } }
	}
	if err := yaml.Unmarshal(content, &object); err != nil {
		t.Fatal(err)
	}
	var all []alertRule
	for _, group := range object.Spec.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("manifests/ have no alerts")
	}
	return all
}

// TestEachAlertHasItsRunbookAndEachRunbookItsAlert checks that an admin who is paged finds the runbook of the alert.
func TestEachAlertHasItsRunbookAndEachRunbookItsAlert(t *testing.T) {
	table := section(t, "metrics.md", "Alerts")
	var names []string
	for _, each := range alerts(t) {
		names = append(names, each.Alert)
		page := filepath.Join("runbooks", each.Alert+".md")
		if !strings.HasSuffix(each.Annotations["runbook_url"], "/"+each.Alert+".md") {
			t.Errorf("%s has runbook_url %q", each.Alert, each.Annotations["runbook_url"])
		}
		if row := "| [`" + each.Alert + "`](" + page + ") | " + each.Labels["severity"] + " |"; !strings.Contains(table, row) {
			t.Errorf("docs/metrics.md, section Alerts, has no row that begins with %s", row)
		}
		content, err := os.ReadFile(filepath.Join(root, "docs", page))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(string(content), "# "+each.Alert+"\n") {
			t.Errorf("docs/%s does not have the title %s", page, each.Alert)
		}
		for _, heading := range []string{"Meaning", "Impact", "Diagnosis", "Mitigation"} {
			if text := section(t, page, heading); len(text) < 80 {
				t.Errorf("docs/%s, section %s, has less than 80 characters: %q", page, heading, text)
			}
		}
		for _, heading := range []string{"Diagnosis", "Mitigation"} {
			if !strings.Contains(section(t, page, heading), "$ kubectl ") {
				t.Errorf("docs/%s, section %s, has no command", page, heading)
			}
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "runbooks", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(page), ".md")) {
			t.Errorf("no alert has runbook docs/runbooks/%s", filepath.Base(page))
		}
	}
	if rows := strings.Count(table, "](runbooks/"); rows != len(names) {
		t.Errorf("docs/metrics.md lists %d alerts, want %d", rows, len(names))
	}
}

var (
	promSelector = regexp.MustCompile(`\b([a-z_]+)\{([^}]*)\}`)
	labelMatcher = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
	metricName   = regexp.MustCompile(`\b` + metricPrefix + `[a-z_]+`)
	groupLabels  = regexp.MustCompile(`by \(([a-z_, ]+)\)`)
	alertLabel   = regexp.MustCompile(`\$labels\.([a-z_]+)`)
)

// TestAlertsSelectServedMetrics checks the metrics, labels and reasons in alerts. An alert on a metric that the manager does
// not serve never fires.
func TestAlertsSelectServedMetrics(t *testing.T) {
	metrics := slices.Collect(maps.Values(apiConstants(t, "Metric")))
	labels := slices.Collect(maps.Values(apiConstants(t, "MetricLabel")))
	reasons := map[string]pairs{"platform_operators_condition": pairsOfPlatformOperators(t), "platform_operators_drifted": pairsOfBundleDeployments(t)}
	for _, each := range alerts(t) {
		requestedMetrics := metricName.FindAllString(each.Expr, -1)
		for _, metric := range requestedMetrics {
			if !slices.Contains(metrics, metric) {
				t.Errorf("%s selects %s, which the manager does not serve", each.Alert, metric)
			}
		}
		selectors := promSelector.FindAllStringSubmatch(each.Expr, -1)
		if len(requestedMetrics) == 0 && (len(selectors) != 1 || selectors[0][1] != "up") {
			t.Errorf("%s selects neither a metric of the manager nor up: %s", each.Alert, each.Expr)
		}
		for _, selector := range selectors {
			matchers := map[string]string{}
			for _, matcher := range labelMatcher.FindAllStringSubmatch(selector[2], -1) {
				matchers[matcher[1]] = matcher[2]
				if own := slices.Contains(labels, matcher[1]); own != (selector[1] != "up") {
					t.Errorf("%s selects label %s of %s, which does not have it", each.Alert, matcher[1], selector[1])
				}
			}
			if known := reasons[selector[1]]; known != nil {
				condition := matchers["condition"]
				if selector[1] == "platform_operators_drifted" {
					condition = "Drifted"
				}
				if !known[condition][matchers["reason"]] {
					t.Errorf("%s selects condition %s with reason %s, which no code writes", each.Alert, condition, matchers["reason"])
				}
			}
		}
		grouped := groupLabels.FindStringSubmatch(each.Expr)
		for _, label := range alertLabel.FindAllStringSubmatch(each.Annotations["summary"]+each.Annotations["description"], -1) {
			if !slices.Contains(labels, label[1]) {
				t.Errorf("%s uses label %s, which no metric has", each.Alert, label[1])
			}
			if grouped == nil {
				t.Errorf("%s uses label %s, but its expression does not group by labels: %s", each.Alert, label[1], each.Expr)
			} else if !slices.Contains(strings.Split(grouped[1], ", "), label[1]) {
				t.Errorf("%s uses label %s, by which its expression does not group: %s", each.Alert, label[1], each.Expr)
			}
		}
	}
}
