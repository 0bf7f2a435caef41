package teardown

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/plan"
)

// A removal deletes custom resources before the ClusterRole of the bundle that permits it to. If the process ends then, the next one may
// not read the custom resources any more.
func TestHRD_F1_ARemovalContinuesAfterItsOwnPermissionsAreRemoved(t *testing.T) {
	const role = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: memo-configs, labels: {platform.openshift.io/aggregate-to-bundles: "true"}},
		rules: [{apiGroups: [example.com], resources: [configs], verbs: [create, delete, get, list, patch, update, watch]}]}`
	const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: configs.example.com},
		spec: {group: example.com, scope: Namespaced, names: {plural: configs, kind: Config}, versions: [{name: v1, served: true, storage: true}]}}`
	custom := *parse(t, `{apiVersion: example.com/v1, kind: Config, metadata: {name: a, namespace: memo}}`)
	for name, test := range map[string]struct {
		objects []unstructured.Unstructured // of the bundle
		live    []*unstructured.Unstructured
		want    bool
	}{
		"the ClusterRole is removed":           {[]unstructured.Unstructured{*parse(t, definition), *parse(t, role), custom}, nil, true},
		"the ClusterRole exists":               {[]unstructured.Unstructured{*parse(t, definition), *parse(t, role), custom}, []*unstructured.Unstructured{parse(t, role)}, false},
		"the bundle never had that permission": {[]unstructured.Unstructured{*parse(t, definition), custom}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, test.live...)
			c.client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: memo}}`), nil
			})
			set, err := object.NewSet(object.Owner{Name: "memo", Package: "memo"}, "memo", plan.Phases(test.objects))
			if err != nil {
				t.Fatal(err)
			}
			removing := &teardown{manager: c.client, client: c.client, set: set}
			desired, err := object.NewDesired(set.Owner(), &custom)
			if err != nil {
				t.Fatal(err)
			}
			if got := removing.isGrantRemoved(t.Context(), desired); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
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
