package registryv1_test

import (
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
	"github.com/openshift/platform-operators/pkg/plan"
)

// ownKind returns a CustomResourceDefinition of a kind of group example.com. It serves v1, and has v1alpha1 without serving it.
func ownKind(kind, scope string) string {
	plural := strings.ToLower(kind) + "s"
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + plural + ".example.com}\n" +
		"spec:\n  group: example.com\n  names: {kind: " + kind + ", plural: " + plural + "}\n  scope: " + scope + "\n  versions:\n" +
		"  - {name: v1alpha1, served: false, storage: false}\n  - {name: v1, served: true, storage: true}\n"
}

func find(objects []unstructured.Unstructured, apiVersion, kind string) []unstructured.Unstructured {
	var found []unstructured.Unstructured
	for _, o := range objects {
		if o.GetAPIVersion() == apiVersion && o.GetKind() == kind {
			found = append(found, o)
		}
	}
	return found
}

// rolesForCustomResources returns the rules of the ClusterRoles that permit the manager to write custom resources.
func rolesForCustomResources(objects []unstructured.Unstructured) []any {
	var rules []any
	for _, o := range find(objects, "rbac.authorization.k8s.io/v1", "ClusterRole") {
		if o.GetLabels()[corev1alpha2.LabelAggregateToBundles] == "true" {
			rules = append(rules, o.Object["rules"].([]any)...)
		}
	}
	return rules
}

// Promise HRD-F1: A manifest of kind Role, Secret or Service of the operator's own API group is a custom resource of a CRD of the same
// registry+v1 bundle. It is installed after the CRD, and the bundle's plan has the permissions that the manager needs for it.
func TestHRD_F1_CustomResourcesWithNamesOfListedKindsAreInstalled(t *testing.T) {
	cases := map[string]struct {
		kind, scope, metadata string
		namespace             string
	}{
		"a Secret":                             {"Secret", "Namespaced", "{name: a}", "ns"},
		"a Role in another namespace":          {"Role", "Namespaced", "{name: a, namespace: elsewhere}", "ns"},
		"a Service that is cluster-scoped":     {"Service", "Cluster", "{name: a, namespace: elsewhere}", ""},
		"a ServiceAccount of the Deployment's": {"ServiceAccount", "Namespaced", "{name: sample}", "ns"},
		"a ClusterRole with namespaces":        {"ClusterRole", "Namespaced", "{name: a}", "ns"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := load(t, sample(map[string]string{
				"manifests/0.yaml":   "{apiVersion: example.com/v1, kind: " + c.kind + ", metadata: " + c.metadata + ", spec: {kept: null}, status: {}}",
				"manifests/own.yaml": ownKind(c.kind, c.scope),
			}))
			objects, err := b.Render(bundle.Options{InstallNamespace: "ns"})
			if err != nil {
				t.Fatal(err)
			}
			custom := find(objects, "example.com/v1", c.kind)
			if len(custom) != 1 || custom[0].GetNamespace() != c.namespace {
				t.Fatalf("got %v, want one %s in namespace %q", custom, c.kind, c.namespace)
			}
			if diff := gocmp.Diff(map[string]any{"kept": nil}, custom[0].Object["spec"]); diff != "" {
				t.Errorf("a null may be meaningful in a custom resource (-want +got):\n%s", diff)
			}
			phases := plan.Phases(objects)
			if last := phases[len(phases)-1]; last.Name != plan.PhaseCustomResources || len(last.Objects) != 1 {
				t.Errorf("the last phase is %s with %d objects, want the custom resource after its definition", last.Name, len(last.Objects))
			}
			want := []any{map[string]any{
				"apiGroups": []any{"example.com"}, "resources": []any{strings.ToLower(c.kind) + "s"},
				"verbs": []any{"create", "delete", "get", "list", "patch", "update", "watch"},
			}}
			if diff := gocmp.Diff(want, rolesForCustomResources(objects)); diff != "" {
				t.Errorf("permissions (-want +got):\n%s", diff)
			}
			if len(find(objects, "v1", "ServiceAccount")) != 1 {
				t.Error("a custom ServiceAccount is none of Kubernetes, which the Deployment needs")
			}
		})
	}
}

func TestHRD_F1_CustomResourcesThatCannotBeAreRefused(t *testing.T) {
	role := func(version string) string {
		return "{apiVersion: example.com/" + version + ", kind: Role, metadata: {name: a}}"
	}
	cases := map[string]struct{ object, definition, want string }{
		"a version that is not served": {role("v1alpha1"), ownKind("Role", "Namespaced"),
			`manifests/0.yaml: Role "a": its CustomResourceDefinition serves no version "v1alpha1"; use one of: v1`},
		"a definition without a plural": {role("v1"), strings.Replace(ownKind("Role", "Namespaced"), ", plural: roles", "", 1),
			`manifests/0.yaml: Role "a": spec.names.plural "" of its CustomResourceDefinition is not a name of a resource; correct it`},
		"a definition of another group": {role("v1"), strings.ReplaceAll(ownKind("Role", "Namespaced"), "example.com", "example.org"),
			`manifests/0.yaml: Role "a": registry+v1 bundles must not contain objects of kind Role (example.com/v1); add the CustomResourceDefinition of this kind, or remove it`},
		"a kind whose name the format does not list": {strings.Replace(role("v1"), "Role", "Memo", 1), ownKind("Memo", "Namespaced"),
			`manifests/0.yaml: Memo "a": registry+v1 bundles must not contain objects of kind Memo (example.com/v1); remove it`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registryv1.Load(sample(map[string]string{"manifests/0.yaml": c.object, "manifests/own.yaml": c.definition}))
			if want := `validating bundle "sample.v1.2.3": ` + c.want; err == nil || err.Error() != want {
				t.Errorf("got:  %v\nwant: %s", err, want)
			}
		})
	}
}

func TestHRD_F1_RealBundlesWithASecretOfTheirOwnGroupAreInstalled(t *testing.T) {
	found := 0
	for _, dir := range realBundles(t) {
		if !strings.HasPrefix(shortName(dir), "ecr-secret-operator/") {
			continue
		}
		found++
		b, err := registryv1.Load(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		objects, err := b.Render(bundle.Options{InstallNamespace: "ns"})
		if err != nil {
			t.Fatal(err)
		}
		if custom := find(objects, "ecr.mobb.redhat.com/v1alpha1", "Secret"); len(custom) != 2 || custom[0].GetNamespace() != "ns" {
			t.Errorf("%s: got %v, want two Secrets in the install namespace", shortName(dir), custom)
		}
		if rules := rolesForCustomResources(objects); len(rules) != 1 {
			t.Errorf("%s: got %d rules for custom resources, want 1", shortName(dir), len(rules))
		}
		phases := plan.Phases(objects)
		if last := phases[len(phases)-1]; last.Name != plan.PhaseCustomResources || len(last.Objects) != 2 {
			t.Errorf("%s: the last phase is %s with %d objects", shortName(dir), last.Name, len(last.Objects))
		}
	}
	if found != 2 {
		t.Errorf("there are %d such bundles, want 2", found)
	}
}
