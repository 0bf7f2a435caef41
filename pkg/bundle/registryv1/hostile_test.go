package registryv1_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

// TestHarmfulBundlesAreRefused checks that Load refuses bundles that would crash the manager, or be installed in part.
func TestHarmfulBundlesAreRefused(t *testing.T) {
	many := func(entry string) string {
		return csv("  install:\n", "  "+entry+": ["+strings.Repeat("{},", 50_000)+"]\n  install:\n")
	}
	cases := map[string]struct {
		files map[string]string
		want  string // the end of the error
	}{
		"a definition without spec, with a conversion": {
			map[string]string{"manifests/csv.yaml": withWebhooks(conversion), "manifests/crd.yaml": "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: samples.example.com}}"},
			`manifests/crd.yaml: CustomResourceDefinition "samples.example.com": spec is required, and must be a mapping`,
		},
		"a definition whose spec is no mapping": {
			map[string]string{"manifests/crd.yaml": "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: samples.example.com}, spec: [a]}"},
			`manifests/crd.yaml: CustomResourceDefinition "samples.example.com": spec is required, and must be a mapping`,
		},
		"empty entries without end, which take a kilobyte each": {
			map[string]string{"manifests/csv.yaml": many("webhookdefinitions")},
			`decoding manifests/csv.yaml: ClusterServiceVersion "sample.v1.2.3": it has 50041 values, but at most 50000 are allowed`,
		},
		"a name that is a path": {
			map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: ../secrets/a}}"},
			`manifests/a.yaml: ConfigMap "../secrets/a": the name may not contain '/'`,
		},
		"a label that is no string": {
			map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {b: c, version: 2}}}"},
			`manifests/a.yaml: ConfigMap "a": the value of "version" in metadata.labels must be a string, not a number; put it in quotes`,
		},
		"annotations that are no mapping": {
			map[string]string{"manifests/a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: [a]}}"},
			`manifests/a.yaml: ConfigMap "a": metadata.annotations must be a mapping, not a list`,
		},
		"a webhook with values that the API server does not know": {
			map[string]string{"manifests/csv.yaml": withWebhooks(strings.Replace(validating, "sideEffects: None", "sideEffects: Some, failurePolicy: Try, matchPolicy: Any, timeoutSeconds: 60, webhookPath: validate", 1))},
			`webhook "v.example.com": failurePolicy "Try" is not known; use Fail or Ignore; ` +
				`manifests/csv.yaml: webhook "v.example.com": matchPolicy "Any" is not known; use Exact or Equivalent; ` +
				`manifests/csv.yaml: webhook "v.example.com": sideEffects "Some" is not allowed; use None or NoneOnDryRun; ` +
				`manifests/csv.yaml: webhook "v.example.com": timeoutSeconds is 60; use 1 to 30; ` +
				`manifests/csv.yaml: webhook "v.example.com": webhookPath "validate" must begin with a slash`,
		},
		"a webhook for all that belongs to webhook configurations": {
			map[string]string{"manifests/csv.yaml": withWebhooks(strings.NewReplacer("apiGroups: [example.com]", "apiGroups: [admissionregistration.k8s.io]", "[samples]", "[mutatingwebhookconfigurations/*]").Replace(validating))},
			`has a rule for resource "mutatingwebhookconfigurations/*" of API group admissionregistration.k8s.io, which webhooks of operators must not intercept; remove it from the rule`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := registryv1.Load(sample(c.files))
			if err == nil {
				_, err = b.Render(bundle.Options{InstallNamespace: "ns", Certificates: bundle.ServiceCA})
				t.Fatalf("is loaded, and rendered with %v", err)
			}
			if !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v\nwant …%s", err, c.want)
			}
		})
	}
}

// TestFinalizersOfManifestsAreRemoved checks that rendered objects have no finalizers. A finalizer that no controller removes would block
// the deletion of the object, and with it the whole removal.
func TestFinalizersOfManifestsAreRemoved(t *testing.T) {
	for _, o := range render(t, load(t, sample(map[string]string{
		"manifests/a.yaml":   "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.com/never]}}",
		"manifests/crd.yaml": strings.Replace(crdYAML, "metadata:\n", "metadata:\n  finalizers: [customresourcecleanup.apiextensions.k8s.io]\n", 1),
	}))) {
		if finalizers := o.GetFinalizers(); finalizers != nil {
			t.Errorf("%s %q has finalizers %v", o.GetKind(), o.GetName(), finalizers)
		}
	}
}

// TestDuplicateVariablesAreMerged covers variables that Kubernetes accepts twice in a container, where the last one is effective.
// Server-side apply rejects them.
func TestDuplicateVariablesAreMerged(t *testing.T) {
	b := load(t, sample(map[string]string{"manifests/csv.yaml": csv(
		"- {name: manager, image: example.com/sample}",
		"- {name: manager, image: example.com/sample, env: [{name: A, value: first}, {name: B, value: $(A)}, {name: A, value: last}]}\n"+
			"              initContainers:\n              - {name: first, image: example.com/sample, env: [{name: C, value: a}, {name: C, value: b}]}")}))
	want := map[string]any{
		"containers":     []any{map[string]any{"name": "A", "value": "last"}, map[string]any{"name": "B", "value": "$(A)"}, map[string]any{"name": "OPERATOR_CONDITION_NAME", "value": "sample.v1.2.3"}},
		"initContainers": []any{map[string]any{"name": "C", "value": "b"}},
	}
	got := map[string]any{}
	for _, o := range render(t, b) {
		if o.GetKind() != "Deployment" {
			continue
		}
		for list := range want {
			containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", list)
			got[list] = containers[0].(map[string]any)["env"]
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTargetPortZeroDefaultsToTheWebhookPort checks that a target port of 0 is unset, as in Kubernetes.
func TestTargetPortZeroDefaultsToTheWebhookPort(t *testing.T) {
	for _, o := range render(t, load(t, sample(map[string]string{"manifests/csv.yaml": withWebhooks(strings.Replace(validating, "sideEffects", "targetPort: 0, containerPort: 4343, sideEffects", 1))}))) {
		if o.GetKind() != "Service" {
			continue
		}
		ports, _, _ := unstructured.NestedSlice(o.Object, "spec", "ports")
		if got := ports[0].(map[string]any)["targetPort"]; got != int64(4343) {
			t.Errorf("the target port is %v", got)
		}
	}
}

// TestTooManyRolesAreRefused checks that a bundle's accounts and a configuration's namespaces cannot multiply to millions of objects. The
// error is one of the configuration only if fewer namespaces are the remedy.
func TestTooManyRolesAreRefused(t *testing.T) {
	var namespaces strings.Builder
	for i := range 99 {
		fmt.Fprintf(&namespaces, "ns%d,", i)
	}
	for name, c := range map[string]struct {
		accounts int
		watch    string
		want     string
		isConfig bool
	}{
		"in many namespaces": {2000, namespaces.String() + "last", `spec.config.watchNamespace: 2000 ServiceAccounts in 101 namespaces require 404000 roles and bindings, but a bundle may have at most 20000 objects; watch fewer namespaces`, true},
		"in one namespace":   {10_001, "ns", `10001 ServiceAccounts require 20002 roles and bindings, but a bundle may have at most 20000 objects; remove ServiceAccounts from the install strategy`, false},
	} {
		t.Run(name, func(t *testing.T) {
			var permissions strings.Builder
			for i := range c.accounts {
				fmt.Fprintf(&permissions, "{serviceAccountName: a%d},", i)
			}
			b := load(t, sample(map[string]string{"manifests/csv.yaml": csv("      deployments:\n", "      permissions: ["+permissions.String()+"]\n      deployments:\n",
				"installModes:\n", "installModes:\n  - {type: MultiNamespace, supported: true}\n")}))
			_, err := b.Render(bundle.Options{InstallNamespace: "ns", Config: watching(c.watch)})
			if want := `rendering bundle "sample.v1.2.3": ` + c.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if wrong := (*bundle.ConfigError)(nil); errors.As(err, &wrong) != c.isConfig {
				t.Errorf("%v; it is a *bundle.ConfigError: %v", err, !c.isConfig)
			}
		})
	}
}

// BenchmarkLoadOfObjectsOfOneName loads many objects with one name. Each is compared only with the first one, because comparing all pairs
// would take minutes.
func BenchmarkLoadOfObjectsOfOneName(b *testing.B) {
	var manifests strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&manifests, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b%d}}\n", i)
	}
	fsys := sample(map[string]string{"manifests/a.yaml": manifests.String()})
	for b.Loop() {
		if _, err := registryv1.Load(fsys); err == nil {
			b.Fatal("objects of one name are loaded")
		}
	}
}
