package apply

import (
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const enforce = "pod-security.kubernetes.io/enforce"

// namespaceOf gives what a bundle that brings its install namespace along declares of it.
func namespaceOf(t *testing.T, level string) *item {
	t.Helper()
	set := newSet(t, *object(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo, labels: {`+enforce+`: `+level+`}}}`))
	return set.phases[0].items[0]
}

func TestTheBundlesLabelsAreSetOnANamespaceThatIsItsOwnOnly(t *testing.T) {
	const owner, name = corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName
	entry := namespaceOf(t, "privileged")
	for what, c := range map[string]struct {
		live             string // labels of the namespace that is there; empty when none is
		adoption         corev1alpha2.Adoption
		created, changed bool
		given            bool
		managers         []string
	}{
		"none is there":                       {"", "", true, false, false, nil},
		"somebody's":                          {"{" + enforce + ": restricted}", "", false, false, true, nil},
		"somebody's, and anything is adopted": {"{" + enforce + ": restricted}", corev1alpha2.AdoptionAny, false, false, true, nil},
		"another BundleDeployment's":          {"{" + owner + ": BundleDeployment, " + name + ": other}", corev1alpha2.AdoptionAny, false, false, true, nil},
		"created for an earlier revision":     {"{" + owner + ": BundleDeployment, " + name + ": memo, " + enforce + ": restricted}", "", false, true, false, []string{ours}},
		"somebody's, with our labels":         {"{" + owner + ": BundleDeployment, " + name + ": memo, " + enforce + ": restricted}", "", false, false, true, []string{"kubectl"}},
	} {
		t.Run(what, func(t *testing.T) {
			live := object(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo, labels: `+c.live+`}}`)
			live.SetResourceVersion("1")
			for _, manager := range c.managers {
				live = owned(live, manager, `{"f:metadata":{}}`)
			}
			w, applied := serving(t, live)
			w.memory.given = map[string]bool{}
			w.deployments = func(string) (time.Time, bool) { return time.Time{}, false }
			w.place.apiResource = apiResource{schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, false}
			if c.live == "" {
				w.Engine.client = dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
			}
			got := w.under(Options{Adoption: c.adoption}).bring(t.Context(), entry)
			if got.err != nil || got.created != c.created || (len(*applied) > 0) != c.changed {
				t.Fatalf("created %v, applied %v, error %v", got.created, *applied, got.err)
			}
			if w.memory.isGiven("memo") != c.given {
				t.Errorf("taken for somebody else's: %v, want %v", !c.given, c.given)
			}
			if c.changed {
				sent := unstructured.Unstructured{Object: (*applied)[0]}
				if !maps.Equal(sent.GetLabels(), entry.declared().GetLabels()) {
					t.Errorf("sent labels %v", sent.GetLabels())
				}
			}
		})
	}
}
