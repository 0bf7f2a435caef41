package alerts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"sigs.k8s.io/yaml"
)

const manifest = "../../manifests/0000_90_platform-operators_03-prometheusrule.yaml"

// group is a group of rules, as in a PrometheusRule and in Prometheus' rule files.
type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// shipped returns the rules of all groups of the manifest. It fails the test if there are none.
func shipped(t *testing.T) []rule {
	t.Helper()
	content, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		APIVersion, Kind string
		Metadata         map[string]any
		Spec             struct{ Groups []group }
	}
	if err := yaml.UnmarshalStrict(content, &object); err != nil {
		t.Fatalf("reading %s: %v", manifest, err)
	}
	var all []rule
	for _, each := range object.Spec.Groups {
		all = append(all, each.Rules...)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no rules", manifest)
	}
	return all
}

// minute is the interval at which Prometheus evaluates the rules in these tests. In a cluster, it does so every 30 seconds.
const minute = time.Minute

// timeline has, for each minute from 0, the labels of the alerts that fire, as text, sorted.
type timeline [][]string

// run evaluates the alerts once a minute, for so many minutes, on series that have one value per minute.
func run(t *testing.T, alerts []rule, series string, minutes int) timeline {
	t.Helper()
	suite, err := promqltest.NewLazyLoader("load 1m\n"+indented(series), promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		t.Fatalf("reading the series: %v", err)
	}
	defer suite.Close()
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:  rules.EngineQueryFunc(suite.QueryEngine(), suite.Storage()),
		Appendable: suite.Storage(),
		Context:    t.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Logger:     promslog.NewNopLogger(),
	})
	groups, faults := manager.LoadGroups(minute, labels.EmptyLabels(), "", nil, false, written(t, alerts))
	if len(faults) > 0 {
		t.Fatalf("Prometheus does not take the rules: %v", faults)
	}
	var seen timeline
	for at := time.Unix(0, 0).UTC(); len(seen) < minutes; at = at.Add(minute) {
		var firing []string
		suite.WithSamplesTill(at, func(err error) {
			if err != nil {
				t.Fatalf("loading the samples of %s: %v", at, err)
			}
			for _, each := range groups {
				each.Eval(suite.Context(), at)
				firing = append(firing, firingOf(t, each)...)
			}
		})
		slices.Sort(firing)
		seen = append(seen, firing)
	}
	return seen
}

func firingOf(t *testing.T, of *rules.Group) (firing []string) {
	t.Helper()
	for _, each := range of.AlertingRules() {
		if err := each.LastError(); err != nil {
			t.Fatalf("evaluating %s: %v", each.Name(), err)
		}
		for _, alert := range each.ActiveAlerts() {
			if alert.State == rules.StateFiring {
				if description := alert.Annotations.Get("description"); strings.Contains(description, "<no value>") || strings.Contains(description, "<error") {
					t.Errorf("%s: what it says is not filled in: %s", each.Name(), description)
				}
				firing = append(firing, alert.Labels.String())
			}
		}
	}
	return firing
}

// written writes rules to a rule file of Prometheus in a temporary folder, and returns its path.
func written(t *testing.T, alerts []rule) string {
	t.Helper()
	content, err := yaml.Marshal(map[string][]group{"groups": {{Name: "platform-operators", Rules: alerts}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func indented(lines string) string {
	var text strings.Builder
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		fmt.Fprintf(&text, "  %s\n", strings.TrimSpace(line))
	}
	return text.String()
}
