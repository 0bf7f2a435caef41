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

// alert is what is looked at of a rule of manifests/.
type alert struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) []alert {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "manifests", "0000_90_platform-operators_03-prometheusrule.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec struct{ Groups []struct{ Rules []alert } }
	}
	if err := yaml.Unmarshal(content, &object); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, group := range object.Spec.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("manifests/ have no alerts")
	}
	return all
}

// Somebody who is paged reads the alert's page, and has to find it.
func TestEachAlertHasItsRunbookAndEachRunbookItsAlert(t *testing.T) {
	table := section(t, "metrics.md", "Alerts")
	var names []string
	for _, each := range alerts(t) {
		names = append(names, each.Alert)
		page := filepath.Join("runbooks", each.Alert+".md")
		if !strings.HasSuffix(each.Annotations["runbook_url"], "/"+each.Alert+".md") {
			t.Errorf("%s refers to %q", each.Alert, each.Annotations["runbook_url"])
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
			t.Errorf("docs/%s is not titled %s", page, each.Alert)
		}
		for _, heading := range []string{"Meaning", "Impact", "Diagnosis", "Mitigation"} {
			if text := section(t, page, heading); len(text) < 80 {
				t.Errorf("docs/%s says next to nothing under %s: %q", page, heading, text)
			}
		}
		for _, heading := range []string{"Diagnosis", "Mitigation"} {
			if !strings.Contains(section(t, page, heading), "$ kubectl ") {
				t.Errorf("docs/%s has no command under %s", page, heading)
			}
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "runbooks", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(page), ".md")) {
			t.Errorf("docs/runbooks/%s is of no alert", filepath.Base(page))
		}
	}
	if rows := strings.Count(table, "](runbooks/"); rows != len(names) {
		t.Errorf("docs/metrics.md lists %d alerts, there are %d", rows, len(names))
	}
}

var (
	selectorOf = regexp.MustCompile(`\b([a-z_]+)\{([^}]*)\}`)
	matcherOf  = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
	metricOf   = regexp.MustCompile(`\b` + metricPrefix + `[a-z_]+`)
	groupedBy  = regexp.MustCompile(`by \(([a-z_, ]+)\)`)
	filledIn   = regexp.MustCompile(`\$labels\.([a-z_]+)`)
)

// An alert on a series that nobody serves never fires.
func TestAlertsAskForWhatTheManagerServes(t *testing.T) {
	metrics := slices.Collect(maps.Values(apiConstants(t, "Metric")))
	labels := slices.Collect(maps.Values(apiConstants(t, "MetricLabel")))
	reasons := map[string]pairs{"platform_operators_condition": pairsOfPlatformOperators(t), "platform_operators_drifted": pairsOfBundleDeployments(t)}
	for _, each := range alerts(t) {
		asked := metricOf.FindAllString(each.Expr, -1)
		for _, metric := range asked {
			if !slices.Contains(metrics, metric) {
				t.Errorf("%s asks for %s, which the manager does not serve", each.Alert, metric)
			}
		}
		selectors := selectorOf.FindAllStringSubmatch(each.Expr, -1)
		if len(asked) == 0 && (len(selectors) != 1 || selectors[0][1] != "up") {
			t.Errorf("%s asks for neither a metric of the manager nor whether it is up: %s", each.Alert, each.Expr)
		}
		for _, selector := range selectors {
			asksFor := map[string]string{}
			for _, matcher := range matcherOf.FindAllStringSubmatch(selector[2], -1) {
				asksFor[matcher[1]] = matcher[2]
				if own := slices.Contains(labels, matcher[1]); own != (selector[1] != "up") {
					t.Errorf("%s asks for label %s of %s", each.Alert, matcher[1], selector[1])
				}
			}
			if known := reasons[selector[1]]; known != nil {
				condition := asksFor["condition"]
				if selector[1] == "platform_operators_drifted" {
					condition = "Drifted"
				}
				if !known[condition][asksFor["reason"]] {
					t.Errorf("%s asks for %s/%s, which no code writes", each.Alert, condition, asksFor["reason"])
				}
			}
		}
		grouped := groupedBy.FindStringSubmatch(each.Expr)
		for _, label := range filledIn.FindAllStringSubmatch(each.Annotations["summary"]+each.Annotations["description"], -1) {
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
