package payload

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// scopedFolder has the files that replace some of the payload's where the manager may neither bind nor escalate.
const scopedFolder = "../../manifests-scoped"

// readRole reads the rules of a ClusterRole. The result has one entry for each verb, resource and group of a rule, together with all names
// of the rule.
func readRole(t *testing.T, folder, name string) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(content, &role); err != nil {
		t.Fatal(err)
	}
	rights := map[string]bool{}
	for _, rule := range role.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					rights[strings.Join([]string{verb, resource, group, strings.Join(rule.ResourceNames, ",")}, " ")] = true
				}
			}
		}
	}
	return rights
}

func TestTheScopedManagerHasThePayloadsPermissionsWithoutThoseThatWrite(t *testing.T) {
	const (
		own       = "0000_50_platform-operators_21-manager-clusterrole.yaml"
		bundles   = "0000_50_platform-operators_26-bundles-registryv1-clusterrole.yaml"
		namespace = "0000_50_platform-operators_28-namespace-clusterrole.yaml"
	)
	want := readRole(t, folder, own)
	delete(want, "impersonate serviceaccounts  ")
	if diff := cmp.Diff(want, readRole(t, scopedFolder, own)); diff != "" {
		t.Errorf("the manager's own role (-want +got):\n%s", diff)
	}
	shipped := readRole(t, folder, bundles)
	for right := range readRole(t, scopedFolder, bundles) {
		verb, _, _ := strings.Cut(right, " ")
		if !shipped[right] || !slices.Contains([]string{"get", "list", "watch"}, verb) || strings.HasPrefix(right[len(verb)+1:], "secrets ") {
			t.Errorf("the role for bundles permits %s", right)
		}
	}
	watched := readRole(t, scopedFolder, bundles)
	maps.Copy(watched, readRole(t, scopedFolder, own))
	for right := range shipped {
		if resource, isWritten := strings.CutPrefix(right, "create "); isWritten && !strings.HasPrefix(resource, "secrets ") && (!watched["list "+resource] || !watched["watch "+resource]) {
			t.Errorf("bundles may have %s, and the manager may not watch them", resource)
		}
	}
	if diff := cmp.Diff(map[string]bool{"impersonate serviceaccounts  ": true, "get secrets  ": true}, readRole(t, scopedFolder, namespace)); diff != "" {
		t.Errorf("the role for namespaces (-want +got):\n%s", diff)
	}
}

func TestTheScopedManifestsReplaceThePayloads(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(scopedFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(folder, filepath.Base(file))); os.IsNotExist(err) {
			added++
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "include.release.openshift.io") {
			t.Errorf("%s is part of the payload", file)
		}
	}
	if len(files) != 3 || added != 1 {
		t.Errorf("there are %d files, and %d of them replace none; want 3 and 1", len(files), added)
	}
}
