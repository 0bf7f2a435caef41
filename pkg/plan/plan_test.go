package plan_test

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/plan"
)

func object(apiVersion, kind, namespace, name string) unstructured.Unstructured {
	var o unstructured.Unstructured
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

func definition(group, kind string) unstructured.Unstructured {
	o := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", strings.ToLower(kind)+"s."+group)
	o.Object["spec"] = map[string]any{"group": group, "names": map[string]any{"kind": kind}}
	return o
}

// everything returns at least one object for each phase. The objects of each phase are sorted.
func everything() []unstructured.Unstructured {
	return []unstructured.Unstructured{
		object("v1", "Namespace", "", "ns"),
		definition("b.c", "A"),
		object("v1", "ServiceAccount", "ns", "op"),
		object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "op"),
		object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", "op"),
		object("v1", "ConfigMap", "ns", "a"),
		object("v1", "ConfigMap", "ns", "b"),
		object("v1", "Service", "ns", "op"),
		object("cert-manager.io/v1", "Certificate", "ns", "op"),
		object("cert-manager.io/v1", "Issuer", "ns", "op"),
		object("networking.k8s.io/v1", "NetworkPolicy", "ns", "op"),
		object("v1", "PersistentVolumeClaim", "ns", "data"),
		object("apps/v1", "Deployment", "ns", "op"),
		object("policy/v1", "PodDisruptionBudget", "ns", "op"),
		object("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", "op"),
		object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", "op"),
		object("monitoring.coreos.com/v1", "ServiceMonitor", "ns", "op"),
		object("b.c/v1", "A", "ns", "x"),
	}
}

func outline(phases []plan.Phase) []string {
	var lines []string
	for _, p := range phases {
		line := p.Name + ":"
		for _, o := range p.Objects {
			line += " " + o.GetKind() + "/" + o.GetName()
		}
		lines = append(lines, line)
	}
	return lines
}

func shuffle(objects []unstructured.Unstructured, seed int64) {
	rand.New(rand.NewSource(seed)).Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
}

func TestPhasesPutDependenciesFirst(t *testing.T) {
	want := []string{
		"namespaces: Namespace/ns",
		"crds: CustomResourceDefinition/as.b.c",
		"rbac: ServiceAccount/op ClusterRole/op ClusterRoleBinding/op",
		"config: ConfigMap/a ConfigMap/b Service/op Certificate/op Issuer/op NetworkPolicy/op",
		"workloads: PersistentVolumeClaim/data Deployment/op PodDisruptionBudget/op",
		"registrations: MutatingWebhookConfiguration/op ValidatingWebhookConfiguration/op",
		"others: ServiceMonitor/op",
		"custom-resources: A/x",
	}
	for seed := range int64(20) {
		objects := everything()
		shuffle(objects, seed)
		if diff := cmp.Diff(want, outline(plan.Phases(objects))); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	}
}

func TestPhases(t *testing.T) {
	cases := map[string]struct {
		objects []unstructured.Unstructured
		want    []string
	}{
		"no objects make no phases": {},
		"no phase is empty":         {[]unstructured.Unstructured{object("v1", "Secret", "ns", "s"), object("v1", "Namespace", "", "ns")}, []string{"namespaces: Namespace/ns", "config: Secret/s"}},
		"custom resources of foreign definitions are others": {
			[]unstructured.Unstructured{object("b.c/v1", "A", "ns", "x"), definition("b.d", "A")},
			[]string{"crds: CustomResourceDefinition/as.b.d", "others: A/x"},
		},
		"certificates of whoever brings their definition are custom resources": {
			[]unstructured.Unstructured{object("cert-manager.io/v1", "Issuer", "ns", "x"), definition("cert-manager.io", "Issuer"), object("apps/v1", "Deployment", "ns", "d")},
			[]string{"crds: CustomResourceDefinition/issuers.cert-manager.io", "workloads: Deployment/d", "custom-resources: Issuer/x"},
		},
		"an own kind called like one of Kubernetes' is a custom resource": {
			[]unstructured.Unstructured{object("b.c/v1", "Deployment", "ns", "x"), definition("b.c", "Deployment")},
			[]string{"crds: CustomResourceDefinition/deployments.b.c", "custom-resources: Deployment/x"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, outline(plan.Phases(c.objects))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckDuplicates(t *testing.T) {
	many := make([]unstructured.Unstructured, 0, 24)
	for i := range 12 {
		o := object("v1", "Secret", "ns", fmt.Sprintf("s%02d", i))
		many = append(many, o, o)
	}
	cases := map[string]struct {
		objects []unstructured.Unstructured
		want    string
	}{
		"everything once": {everything(), ""},
		"the same name in two namespaces is no duplicate": {[]unstructured.Unstructured{object("v1", "Secret", "a", "s"), object("v1", "Secret", "b", "s")}, ""},
		"the same name of two kinds is no duplicate":      {[]unstructured.Unstructured{object("v1", "Secret", "a", "s"), object("v1", "ConfigMap", "a", "s")}, ""},
		"an object three times is named once":             {[]unstructured.Unstructured{object("v1", "Secret", "ns", "s"), object("v1", "Secret", "ns", "s"), object("v1", "Secret", "ns", "s")}, "these objects are defined twice: Secret ns/s; remove the duplicates"},
		"two versions of a kind are the same object":      {[]unstructured.Unstructured{object("a.b/v1", "C", "", "c"), object("a.b/v2", "C", "", "c")}, "these objects are defined twice: C c; remove the duplicates"},
		"the first ten are named": {many, "these objects are defined twice: Secret ns/s00, Secret ns/s01, Secret ns/s02, Secret ns/s03, Secret ns/s04, " +
			"Secret ns/s05, Secret ns/s06, Secret ns/s07, Secret ns/s08, Secret ns/s09 and 2 more; remove the duplicates"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			shuffle(c.objects, 1)
			if err := plan.CheckDuplicates(c.objects); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDigestDependsOnContentOnly(t *testing.T) {
	want := plan.Digest(everything())
	for seed := range int64(20) {
		objects := everything()
		shuffle(objects, seed)
		if got := plan.Digest(objects); got != want {
			t.Fatalf("in another order: %s, want %s", got, want)
		}
	}
	seen := map[string]string{want: "everything"}
	changes := map[string]func(objects []unstructured.Unstructured) []unstructured.Unstructured{
		"one less": func(o []unstructured.Unstructured) []unstructured.Unstructured { return o[1:] },
		"a label": func(o []unstructured.Unstructured) []unstructured.Unstructured {
			o[0].SetLabels(map[string]string{"a": "b"})
			return o
		},
		"another label": func(o []unstructured.Unstructured) []unstructured.Unstructured {
			o[0].SetLabels(map[string]string{"a": "<b>"})
			return o
		},
		"a number":       func(o []unstructured.Unstructured) []unstructured.Unstructured { o[0].Object["x"] = int64(1); return o },
		"a string of it": func(o []unstructured.Unstructured) []unstructured.Unstructured { o[0].Object["x"] = "1"; return o },
		"no JSON value": func(o []unstructured.Unstructured) []unstructured.Unstructured {
			o[0].Object["x"] = math.NaN()
			return o
		},
		"another such": func(o []unstructured.Unstructured) []unstructured.Unstructured {
			o[0].Object["x"] = math.Inf(1)
			return o
		},
		"nothing at all": func([]unstructured.Unstructured) []unstructured.Unstructured { return nil },
	}
	for name, change := range changes {
		got := plan.Digest(change(everything()))
		if other, ok := seen[got]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[got] = name
	}
}

// TestDigestIsStable checks that the digest of the same objects does not change between versions. It is stored in the cluster, so another
// format would roll out every operator once.
func TestDigestIsStable(t *testing.T) {
	const want = "sha256:40010e02802a9e2edf631bcfb8e9bb7677d735afae58f0261aac93547b9f3e29"
	o := object("v1", "ConfigMap", "ns", "a")
	o.Object["data"] = map[string]any{"b": "<&>", "a": "ü", "n": int64(3), "f": 0.5, "l": []any{true, nil}}
	if got := plan.Digest([]unstructured.Unstructured{o}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func ExamplePhases() {
	for _, phase := range plan.Phases([]unstructured.Unstructured{
		object("apps/v1", "Deployment", "quay", "quay-operator"),
		object("v1", "ServiceAccount", "quay", "quay-operator"),
		definition("quay.redhat.com", "QuayRegistry"),
	}) {
		fmt.Println(phase.Name, len(phase.Objects))
	}
	// Output:
	// crds 1
	// rbac 1
	// workloads 1
}
