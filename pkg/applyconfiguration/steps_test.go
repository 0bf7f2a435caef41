package applyconfiguration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// stepsRun returns a run whose input has ConfigMap "a/old" with a finalizer, Service "a/z" and BundleDeployment "memo".
func stepsRun(t *testing.T) *run {
	t.Helper()
	old, memo := &unstructured.Unstructured{}, &unstructured.Unstructured{}
	for object, kind := range map[*unstructured.Unstructured]schema.GroupVersionKind{
		old: {Version: "v1", Kind: "ConfigMap"}, memo: {Version: "v1", Kind: "ConfigMap"},
	} {
		object.SetGroupVersionKind(kind)
		object.SetNamespace("a")
		object.SetResourceVersion("7")
		object.SetUID("u")
	}
	old.SetName("old")
	old.SetFinalizers([]string{"example.com/keep"})
	memo.SetName("memo")
	server, err := manifestserver.New(manifestserver.Options{Objects: []*unstructured.Unstructured{old, memo}, KubernetesVersion: "v1.36.3", Clock: frozenClock{now: noon}})
	if err != nil {
		t.Fatal(err)
	}
	known := func(object *unstructured.Unstructured) inputObject {
		return inputObject{object.GetResourceVersion(), object.GetFinalizers()}
	}
	return &run{server: server, inInput: map[objectID]inputObject{
		{"", "configmaps", "a", "old"}: known(old), {"", "services", "a", "z"}: known(memo), {"core.rukpak.io", "bundledeployments", "", "memo"}: known(memo),
	}}
}

// step returns a mutation from a text such as "Apply configmaps a/x": the action, the resource, and the object.
func step(t *testing.T, text string) manifestserver.Mutation {
	t.Helper()
	var action, resource, object, body string
	if n, _ := fmt.Sscan(text, &action, &resource, &object, &body); n < 3 {
		t.Fatalf("%q is no mutation", text)
	}
	group := map[string]string{"bundledeployments": "core.rukpak.io", "clusteroperators": "config.openshift.io"}[resource]
	m := manifestserver.Mutation{
		Action: manifestserver.Action(action), Resource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}, FieldManager: "m", Name: object,
		Body: []byte(body), Object: &unstructured.Unstructured{Object: map[string]any{}},
	}
	if namespace, name, isNamespaced := strings.Cut(object, "/"); isNamespaced {
		m.Namespace, m.Name = namespace, name
	}
	if m.Action == manifestserver.ActionDelete {
		m.Object = nil
	}
	if m.Name == "old" {
		m.Object = &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"finalizers": []any{"example.com/keep"}}}}
	}
	return m
}

func TestARunSendsTheFirstStepOfASync(t *testing.T) {
	for name, test := range map[string]struct {
		all []string
		// want is the number of mutations of the first step, and waiting that of the others.
		want, waiting int
	}{
		"objects of a bundle":                          {[]string{"Apply configmaps a/x", "Apply services a/y"}, 2, 0},
		"a record before the objects":                  {[]string{"UpdateStatus bundledeployments memo", "Apply configmaps a/x"}, 1, 1},
		"a revision before the objects":                {[]string{"Create secrets openshift-platform-operators/r", "Apply configmaps a/x"}, 1, 1},
		"objects before the status that reports them":  {[]string{"Apply configmaps a/x", "Apply configmaps a/y", "UpdateStatus bundledeployments memo"}, 2, 1},
		"a new revision before the old one is removed": {[]string{"Apply configmaps a/x", "Delete configmaps a/old"}, 1, 1},
		"objects before their finalizer":               {[]string{"Delete configmaps a/old", "Patch bundledeployments memo"}, 1, 1},
		"deletions":                                    {[]string{"Delete configmaps a/old", "Delete services a/z"}, 2, 0},
		"a namespace before what is in it":             {[]string{"Apply namespaces b", "Apply configmaps b/x"}, 1, 1},
		"a namespace and another object":               {[]string{"Apply namespaces b", "Apply configmaps a/x"}, 2, 0},
		"Events wait for nothing":                      {[]string{"UpdateStatus bundledeployments memo", "Create events default/e", "Apply configmaps a/x", "Create events default/f"}, 3, 1},
		"a temporary permission is no step":            {[]string{"Create clusterrolebindings temporary", "Apply configmaps a/x", "Delete clusterrolebindings temporary", "Apply configmaps a/y"}, 2, 0},
		"a made-up uid":                                {[]string{"Apply configmaps a/x", `Apply configmaps a/y {"metadata":{"ownerReferences":[{"uid":"MADE-UP"}]}}`}, 1, 1},
		"a made-up version in a precondition":          {[]string{"Apply configmaps a/x", `Apply services a/y {"preconditions":{"resourceVersion":"100"}}`}, 1, 1},
		"a made-up version in a JSON patch":            {[]string{"Apply configmaps a/x", `Patch services a/y [{"op":"test","path":"/metadata/resourceVersion","value":"100"}]`}, 1, 1},
		"the version of the object itself":             {[]string{"Apply configmaps a/x", `Apply services a/y {"metadata":{"resourceVersion":"100"}}`}, 2, 0},
		"a version of the input":                       {[]string{"Apply configmaps a/x", `Apply services a/y {"preconditions":{"resourceVersion":"7"}}`}, 2, 0},
		"a record before another one":                  {[]string{"UpdateStatus clusteroperators c", "UpdateStatus bundledeployments memo"}, 1, 1},
		"a record that is written twice":               {[]string{"UpdateStatus bundledeployments memo", "UpdateStatus bundledeployments memo"}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := stepsRun(t)
			madeUp := madeUpUID(t, r.server)
			var all []manifestserver.Mutation
			for _, text := range test.all {
				all = append(all, step(t, strings.ReplaceAll(text, "MADE-UP", madeUp)))
			}
			got, isComplete := r.firstStep(all)
			if len(got) != test.want || isComplete != (test.waiting == 0) {
				t.Errorf("%d mutations, complete: %t; want %d", len(got), isComplete, test.want)
			}
		})
	}
}

// madeUpUID creates an object in a server, and returns its uid.
func madeUpUID(t *testing.T, server *manifestserver.Server) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: host, Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.CoreV1().ConfigMaps("a").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(made.UID)
}

func TestTheFirstOfTwoSyncsChangesAnObject(t *testing.T) {
	r := stepsRun(t)
	of := func(controller, key, text string) manifestserver.Mutation {
		m := step(t, text)
		m.Sync = manifestserver.Sync{Controller: controller, Key: key}
		return m
	}
	all := []manifestserver.Mutation{
		of("late", "a", "Apply configmaps a/x"), of("early", "b", "Apply configmaps a/y"), of("early", "a", "Apply configmaps a/y"), of("early", "a", "Apply configmaps a/x"),
	}
	choice := r.choose(all, []string{"early", "late"})
	var got []string
	for _, each := range choice.mutations {
		got = append(got, each.Sync.Controller+each.Sync.Key+" "+each.Name)
	}
	if diff := cmp.Diff([]string{"earlya y", "earlya x"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := map[manifestserver.Sync]bool{{Controller: "late", Key: "a"}: true, {Controller: "early", Key: "b"}: true, {Controller: "early", Key: "a"}: false}
	if diff := cmp.Diff(want, choice.unfinished); diff != "" {
		t.Errorf("unfinished (-want +got):\n%s", diff)
	}
}
