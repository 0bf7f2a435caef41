package reconcile

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
)

const enforce = "pod-security.kubernetes.io/enforce"

// namespaceOf returns the install namespace of a bundle that declares it with a level of pod security.
func namespaceOf(t *testing.T, level string) *object.Desired {
	t.Helper()
	declared := *parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo, labels: {`+enforce+`: `+level+`}}}`)
	set, err := object.NewSet(object.Owner{Name: "memo"}, "memo", plan.Phases([]unstructured.Unstructured{declared}))
	if err != nil {
		t.Fatal(err)
	}
	return set.Phases()[0].Objects[0]
}

func TestTheBundlesLabelsAreSetOnANamespaceThatIsItsOwnOnly(t *testing.T) {
	const owner, name = corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName
	desired := namespaceOf(t, "privileged")
	for what, c := range map[string]struct {
		live             string // labels of the existing namespace; empty if there is none
		adoption         corev1alpha2.Adoption
		created, changed bool
		notOwned         bool
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
			live := parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo, labels: `+c.live+`}}`)
			live.SetResourceVersion("1")
			for _, manager := range c.managers {
				live = owned(live, manager, `{"f:metadata":{}}`)
			}
			options, applied := serving(t, live)
			options.Claim.Adoption, options.Namespace = c.adoption, plan.InstallNamespace{Named: true}
			if c.live == "" {
				options.As.Dynamic = dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
			}
			got := New(options).Reconcile(t.Context(), desired, namespaceResource(t))
			if got.Err != nil || got.Created != c.created || (len(*applied) > 0) != c.changed {
				t.Fatalf("created %v, applied %v, error %v", got.Created, *applied, got.Err)
			}
			if options.Memory.isNotOwned("memo") != c.notOwned {
				t.Errorf("taken for somebody else's: %v, want %v", !c.notOwned, c.notOwned)
			}
			if c.changed {
				sent := unstructured.Unstructured{Object: (*applied)[0]}
				if !maps.Equal(sent.GetLabels(), desired.Object().GetLabels()) {
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
		refused  string // a part of the refusal; empty if there is no refusal
		uid      types.UID
	}{
		"during a first installation": {refused: "it already exists, was not created by the manager"},
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
			live := parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo, uid: theirs, resourceVersion: "1"}}`)
			for _, cached := range []bool{true, false} {
				options, applied := serving(t, live)
				options.Namespace, options.ReadOnly = c.known, c.readOnly
				resource := namespaceResource(t)
				if cached { // otherwise the manager finds it when it tries to create it
					store(t, resource, live)
				}
				got := New(options).Reconcile(t.Context(), namespaceOf(t, "privileged"), resource)
				if (got.Err == nil) != (c.refused == "") || got.Err != nil && !strings.Contains(got.Err.Error(), c.refused) || len(*applied) > 0 {
					t.Fatalf("applied %v, error %v", *applied, got.Err)
				}
				if got.Err == nil && got.Live != nil && got.Live.UID != c.uid {
					t.Errorf("its UID is %q", got.Live.UID)
				}
				if got.Live == nil && c.uid != "" {
					t.Error("the namespace is not known")
				}
			}
		})
	}
}

// namespaceResource returns the resource of namespaces, with a cache that has none.
func namespaceResource(t *testing.T) livecache.Resource {
	t.Helper()
	cached := cachedConfigMaps(t)
	cached.Mapping = &meta.RESTMapping{Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Scope: meta.RESTScopeRoot}
	return cached
}
