package furniture

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestManifestsHaveDifferentNamesInTheCache(t *testing.T) {
	seen := map[string]string{}
	for _, m := range Manifests() {
		if other, taken := seen[m.Name]; taken {
			t.Errorf("%q and %q are both called %q", other, m.Path, m.Name)
		}
		seen[m.Name] = m.Path
	}
}

func TestCRDsJoinUpstreamsAndOursWithoutTheRuleAServerRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "crd-x.yaml", `
kind: CustomResourceDefinition
metadata: {name: first}
spec:
  items:
  - x-kubernetes-validations:
    - rule: isURL(self)
    - rule: matches((url(self).getEscapedPath()), '^/(api/)?v[0-9]+/{0,1}$')
---
# nothing but a comment
---
kind: CustomResourceDefinition
metadata: {name: second}
`)
	crds, err := CRDs(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := map[any]bool{}
	for _, crd := range crds {
		names[crd["metadata"].(map[string]any)["name"]] = true
	}
	for _, want := range []string{"first", "second", "servicemonitors.monitoring.coreos.com", "prometheusrules.monitoring.coreos.com"} {
		if !names[want] {
			t.Errorf("CRD %q is missing in %v", want, names)
		}
	}
	rules := crds[0]["spec"].(map[string]any)["items"].([]any)[0].(map[string]any)["x-kubernetes-validations"].([]any)
	if len(rules) != 1 || rules[0].(map[string]any)["rule"] != "isURL(self)" {
		t.Errorf("rules left: %v; want isURL(self) only", rules)
	}
}

func TestObjectsCarryTheVersionEverywhere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, featureGate, `{"kind":"FeatureGate","metadata":{"name":"cluster"},"status":{"featureGates":[{"version":"","enabled":[{"name":"A"}]}]}}`)
	objects, err := Objects(dir, Values{Version: "4.21.7", ClusterID: "id", Server: "https://127.0.0.1:1", Workers: 2, Now: "2026-01-02T03:04:05Z"})
	if err != nil {
		t.Fatal(err)
	}
	count := map[any]int{}
	for _, object := range objects {
		count[object["kind"]]++
		status, _ := object["status"].(map[string]any)
		switch object["kind"] {
		case "ClusterVersion":
			if got := status["desired"].(map[string]any)["version"]; got != "4.21.7" {
				t.Errorf("ClusterVersion desires %v", got)
			}
		case "FeatureGate":
			if got := status["featureGates"].([]any)[0].(map[string]any)["version"]; got != "4.21.7" {
				t.Errorf("FeatureGate is for %v", got)
			}
		}
	}
	for kind, want := range map[string]int{"Node": 3, "ClusterVersion": 1, "FeatureGate": 1, "Infrastructure": 1} {
		if count[kind] != want {
			t.Errorf("%d objects of kind %s, want %d", count[kind], kind, want)
		}
	}
}

func TestObjectsRefuseFeatureGatesOfAnotherShape(t *testing.T) {
	for name, content := range map[string]string{
		"no list":       `{"kind":"FeatureGate","status":{"featureGates":[]}}`,
		"no status":     `{"kind":"FeatureGate"}`,
		"a scalar list": `{"kind":"FeatureGate","status":{"featureGates":["x"]}}`,
		"no object":     ``,
		"no YAML":       "\t{",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, featureGate, content)
			if _, err := Objects(dir, Values{Version: "4.21.0"}); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestStagesHoldUpstreamsAndTheOneThatNeverGetsReady(t *testing.T) {
	if _, err := Stages(t.TempDir()); err == nil {
		t.Error("accepted a directory without stages: no node would ever become ready")
	}
	dir := t.TempDir()
	write(t, dir, "stage-a.yaml", "kind: Stage\nmetadata: {name: a}\n")
	stages, err := Stages(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: a", "localcluster.test/never-ready"} {
		if !bytes.Contains(stages, []byte(want)) {
			t.Errorf("%q is missing in the stages", want)
		}
	}
}

func TestCheckVersion(t *testing.T) {
	for version, valid := range map[string]bool{
		"4.21.0": true, "4.21.0-rc.1": true, "5.0.0": true,
		"4.21": false, "v4.21.0": false, "": false, "4.21.0 ": false, "4.21.0\n": false, "4.21.0-{{.}}": false,
	} {
		if err := CheckVersion(version); (err == nil) != valid {
			t.Errorf("CheckVersion(%q) = %v, want valid: %t", version, err, valid)
		}
	}
}

func TestMoveVersion(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clusterVersion := func() Object {
		return Object{
			"metadata": map[string]any{"generation": 3.0},
			"status": map[string]any{
				"desired":    map[string]any{"version": "4.21.0"},
				"history":    []any{map[string]any{"version": "4.21.0", "state": "Completed"}},
				"conditions": []any{map[string]any{"type": "Available", "status": "True"}, map[string]any{"type": "Failing", "lastTransitionTime": "before"}},
			},
		}
	}
	t.Run("another version becomes the desired one, with a completed entry on top of the history", func(t *testing.T) {
		object := clusterVersion()
		changed, err := MoveVersion(object, "4.22.1", now)
		if err != nil || !changed {
			t.Fatalf("got %t, %v", changed, err)
		}
		status := object["status"].(map[string]any)
		history := status["history"].([]any)
		newest := history[0].(map[string]any)
		if status["desired"].(map[string]any)["version"] != "4.22.1" || len(history) != 2 || newest["version"] != "4.22.1" ||
			newest["state"] != "Completed" || newest["completionTime"] != "2026-01-02T03:04:05Z" || status["observedGeneration"] != 3.0 {
			t.Errorf("status is %v", status)
		}
		if failing := status["conditions"].([]any)[1].(map[string]any); failing["lastTransitionTime"] != "before" {
			t.Errorf("a condition that says nothing of versions moved: %v", failing)
		}
	})
	t.Run("the version it already has changes nothing", func(t *testing.T) {
		if changed, err := MoveVersion(clusterVersion(), "4.21.0", now); err != nil || changed {
			t.Errorf("got %t, %v", changed, err)
		}
	})
	t.Run("the history is bounded", func(t *testing.T) {
		object := clusterVersion()
		for i := range 2 * maxHistory {
			if _, err := MoveVersion(object, "4.22."+strings.Repeat("1", 1+i%3), now); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(object["status"].(map[string]any)["history"].([]any)); n != maxHistory {
			t.Errorf("%d entries, want %d", n, maxHistory)
		}
	})
	t.Run("an object without status is refused", func(t *testing.T) {
		if _, err := MoveVersion(Object{}, "4.22.0", now); err == nil {
			t.Error("accepted")
		}
	})
}

func TestMoveGates(t *testing.T) {
	gates := Object{"status": map[string]any{"featureGates": []any{map[string]any{"version": "4.21.0", "enabled": []any{"A"}}}}}
	for _, step := range []struct {
		version string
		changed bool
		lists   int
	}{{"4.21.0", false, 1}, {"4.22.0", true, 2}, {"4.22.0", false, 2}, {"4.23.0", true, 3}} {
		changed, err := MoveGates(gates, step.version)
		lists := gates["status"].(map[string]any)["featureGates"].([]any)
		if err != nil || changed != step.changed || len(lists) != step.lists {
			t.Errorf("moving to %s: changed %t, %v, %d lists; want %t and %d", step.version, changed, err, len(lists), step.changed, step.lists)
		}
	}
	newest := gates["status"].(map[string]any)["featureGates"].([]any)[0].(map[string]any)
	if newest["version"] != "4.23.0" || len(newest["enabled"].([]any)) != 1 {
		t.Errorf("the newest list is %v", newest)
	}
	if _, err := MoveGates(Object{}, "4.22.0"); err == nil {
		t.Error("accepted an object without gates")
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
