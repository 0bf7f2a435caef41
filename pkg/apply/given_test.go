package apply

import (
	"maps"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
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
			got := w.under(Options{Adoption: c.adoption, Namespace: plan.InstallNamespace{Named: true}}).bring(t.Context(), entry)
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

func TestHRD_S1_ANamespaceThatSomebodyCreatesMeanwhileIsNotUsed(t *testing.T) {
	for what, c := range map[string]struct {
		known    plan.InstallNamespace
		readOnly bool
		refused  string // a part of the refusal; empty for none
		uid      types.UID
	}{
		"during a first installation": {refused: "it exists, was not created by the manager"},
		"during a first installation whose namespace the user chose": {
			known: plan.InstallNamespace{Named: true}, uid: "theirs"},
		"the same that the bundle is installed in": {
			known: plan.InstallNamespace{Installed: true, InstalledUID: "theirs"}, uid: "theirs"},
		"one that the bundle was installed in by a manager that noted no UID": {
			known: plan.InstallNamespace{Installed: true}, uid: "theirs"},
		"in place of the one that the bundle is installed in": {
			known: plan.InstallNamespace{Installed: true, InstalledUID: "ours"}, refused: "it was deleted and created again, not by the manager"},
		"in place of it, while the deployment is paused": {
			known: plan.InstallNamespace{Installed: true, InstalledUID: "ours"}, readOnly: true},
	} {
		t.Run(what, func(t *testing.T) {
			live := object(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo, uid: theirs, resourceVersion: "1"}}`)
			for _, cached := range []bool{true, false} {
				w, applied := serving(t, live)
				w.memory.given = map[string]bool{}
				w.place.apiResource = apiResource{namespacesAt, false}
				if !cached { // it was created after the watch began, and shows when the manager's own creation fails
					w.Engine.client = dynamicfake.NewSimpleDynamicClient(runtime.NewScheme(), live)
					if err := w.cache.informer.GetStore().Replace(nil, ""); err != nil {
						t.Fatal(err)
					}
				}
				got := w.under(Options{Namespace: c.known, ReadOnly: c.readOnly}).bring(t.Context(), namespaceOf(t, "privileged"))
				if (got.err == nil) != (c.refused == "") || got.err != nil && !strings.Contains(got.err.Error(), c.refused) || len(*applied) > 0 {
					t.Fatalf("applied %v, error %v", *applied, got.err)
				}
				var report Report
				report.add(w.memory, []outcome{got})
				if report.NamespaceUID != c.uid {
					t.Errorf("the report has UID %q", report.NamespaceUID)
				}
			}
		})
	}
}
