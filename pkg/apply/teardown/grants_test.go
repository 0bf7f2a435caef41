package teardown

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
)

// A removal deletes custom resources before the ClusterRole of the bundle that permits it to. If the process ends then, the next one may
// not read the custom resources any more. It does not wait for ever, and says what it may have kept.
func TestHRD_F1_ARemovalContinuesAfterItsOwnPermissionsAreRemoved(t *testing.T) {
	const role = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: memo-configs, labels: {platform.openshift.io/aggregate-to-bundles: "true"}},
		rules: [{apiGroups: [example.com], resources: [configs], verbs: [create, delete, get, list, patch, update, watch]}]}`
	const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: configs.example.com},
		spec: {group: example.com, scope: Namespaced, names: {plural: configs, kind: Config}, versions: [{name: v1, served: true, storage: true}]}}`
	custom := *parse(t, `{apiVersion: example.com/v1, kind: Config, metadata: {name: a, namespace: memo}}`)
	other := strings.Replace(role, "{name: memo-configs,", "{name: another,", 1)
	reader := func(rules string) *unstructured.Unstructured {
		return parse(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "platform-operators:memo:custom-resources"}, rules: [`+rules+`]}`)
	}
	const reads = `{apiGroups: [example.com], resources: [configs], verbs: [get, list]}`
	bundled := []unstructured.Unstructured{*parse(t, definition), *parse(t, role), custom}
	for name, test := range map[string]struct {
		objects []unstructured.Unstructured // of the bundle
		live    []*unstructured.Unstructured
		want    string // the reason for which it is kept; empty for a refusal
	}{
		"the ClusterRole is removed": {bundled, nil, "ClusterRole memo-configs"},
		"the ClusterRole that permits to read other kinds is left": {
			bundled, []*unstructured.Unstructured{reader(`{apiGroups: [example.com], resources: [memos], verbs: [get, list]}`)}, "ClusterRole memo-configs"},
		"the ClusterRole that permits to read the kind is left": {bundled, []*unstructured.Unstructured{reader(reads)}, ""},
		"the ClusterRole that permits to read is damaged":       {bundled, []*unstructured.Unstructured{reader("7")}, ""},
		"the ClusterRole exists":                                {bundled, []*unstructured.Unstructured{parse(t, role)}, ""},
		"one of two ClusterRoles exists":                        {append(bundled, *parse(t, other)), []*unstructured.Unstructured{parse(t, other)}, ""},
		"both ClusterRoles are removed":                         {append(bundled, *parse(t, other)), nil, "ClusterRole another"},
		"the bundle never had that permission":                  {[]unstructured.Unstructured{*parse(t, definition), custom}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, test.live...)
			c.client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo}}`), nil
			})
			c.client.PrependReactor("get", "configs", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: "example.com", Resource: "configs"}, "a", nil)
			})
			set, err := object.NewSet(object.Owner{Name: "memo", Package: "memo"}, "memo", plan.Phases(test.objects))
			if err != nil {
				t.Fatal(err)
			}
			removal, err := c.remove(t, set)
			if test.want == "" {
				if !object.IsRefusal(err) || removal.Done || len(removal.Kept) > 0 {
					t.Errorf("got %v, kept %q; want a refusal", err, removal.Kept)
				}
				return
			}
			want := "Config memo/a: " + test.want + ", which permits the manager to delete the object, no longer exists; if the object still exists, delete it yourself"
			if err != nil || !slices.Equal(removal.Kept, []string{want}) {
				t.Errorf("got %v, kept %q; want %q", err, removal.Kept, want)
			}
		})
	}
	t.Run("a user deletes the ClusterRole, and the object still exists", func(t *testing.T) {
		live := custom.DeepCopy()
		live.SetLabels(map[string]string{corev1alpha2.LabelOwnerKind: "BundleDeployment", corev1alpha2.LabelOwnerName: "memo"})
		live.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: (object.Owner{Name: "memo"}).Manager(), Operation: metav1.ManagedFieldsOperationApply}})
		c := newCluster(t, live, reader(reads))
		c.client.PrependReactor("delete", "configs", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: "example.com", Resource: "configs"}, "a", nil)
		})
		set, err := object.NewSet(object.Owner{Name: "memo", Package: "memo"}, "memo", plan.Phases(bundled))
		if err != nil {
			t.Fatal(err)
		}
		if removal, err := c.remove(t, set); !object.IsRefusal(err) || !apierrors.IsForbidden(err) || removal.Done {
			t.Errorf("got %+v, %v; want a refusal, because the custom resource is not deleted", removal, err)
		}
	})
	t.Run("a forbidden request", func(t *testing.T) {
		c := newCluster(t)
		c.client.PrependReactor("get", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "a", nil)
		})
		c.client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo}}`), nil
		})
		set, err := object.NewSet(object.Owner{Name: "memo", Package: "memo"}, "memo", plan.Phases([]unstructured.Unstructured{*parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: memo}}`)}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.remove(t, set); !object.IsRefusal(err) {
			t.Errorf("got %v, want a refusal, because the set does not define the kind", err)
		}
	})
}
