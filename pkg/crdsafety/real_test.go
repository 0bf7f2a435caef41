package crdsafety_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/openshift/platform-operators/pkg/crdsafety"
	"github.com/openshift/platform-operators/test/realdata"
)

// TestENG_P3_RealUpgrades compares the CustomResourceDefinitions of consecutive versions of real packages. It logs how many findings each
// rule has.
func TestENG_P3_RealUpgrades(t *testing.T) {
	upgrades, blocked, compared, rules, errs := 0, 0, 0, map[string]int{}, 0
	for _, folder := range realdata.Glob(t, "bundles/*") {
		before := map[string]*unstructured.Unstructured{}
		for i, version := range versionsIn(t, folder) {
			after := definitionsIn(t, filepath.Join(folder, version, "manifests"))
			changes := changesOf(before, after)
			before = after
			if i == 0 || len(changes) == 0 {
				continue
			}
			report, err := crdsafety.Check(changes)
			if err != nil {
				errs++
				t.Logf("%s %s: %v", filepath.Base(folder), version, err)
			}
			checkTexts(t, report)
			for _, each := range changes {
				validate(t, each)
			}
			upgrades, compared = upgrades+1, compared+len(changes)
			if report.Blocks() {
				blocked++
			}
			found := map[string]int{}
			for _, each := range report.Findings {
				found[each.Rule]++
				t.Logf("%s %s: %s: %s", filepath.Base(folder), version, each.CRD, textOf([]crdsafety.Finding{each})[0])
			}
			for rule := range found {
				rules[rule]++
			}
		}
	}
	t.Logf("%d of %d upgrades with %d changed CustomResourceDefinitions have a finding; %d have an error", blocked, upgrades, compared, errs)
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%s: %d upgrades", rule, rules[rule])
	}
}

// versionsIn returns the folders of a package's versions, in the order of the versions.
func versionsIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var versions []*semver.Version
	for _, each := range entries {
		if version, err := semver.NewVersion(each.Name()); err == nil {
			versions = append(versions, version)
		}
	}
	slices.SortFunc(versions, (*semver.Version).Compare)
	var names []string
	for _, each := range versions {
		names = append(names, each.Original())
	}
	return names
}

// definitionsIn returns the CustomResourceDefinitions in a folder, keyed by name.
func definitionsIn(t *testing.T, folder string) map[string]*unstructured.Unstructured {
	t.Helper()
	definitions := map[string]*unstructured.Unstructured{}
	files, err := filepath.Glob(filepath.Join(folder, "*.y*ml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
			object := &unstructured.Unstructured{}
			if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Logf("%s: %v", file, err)
				break
			}
			if object.GetKind() == "CustomResourceDefinition" && object.GetAPIVersion() == "apiextensions.k8s.io/v1" {
				definitions[object.GetName()] = object
			}
		}
	}
	return definitions
}

func changesOf(before, after map[string]*unstructured.Unstructured) []crdsafety.Change {
	var changes []crdsafety.Change
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old := before[name]; old != nil {
			changes = append(changes, crdsafety.Change{Old: old, New: after[name]})
		}
	}
	return changes
}
