package teardown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestARemovalReadsOnlyWhatNoCacheHas(t *testing.T) {
	const ours = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: memo, uid: u, resourceVersion: "7", labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}, managedFields: [{manager: platform-operators/memo}]}}`
	for name, c := range map[string]struct {
		cached bool
		// refused is the number of deletions that the server answers with a conflict.
		refused int
		want    []string
	}{
		"what a cache has is deleted unread":                  {cached: true, want: []string{"delete 7"}},
		"what has changed since is read":                      {cached: true, refused: 1, want: []string{"delete 7", "get", "delete 7"}},
		"what changes all the time is left for the next call": {cached: true, refused: 2, want: []string{"delete 7", "get", "delete 7"}},
		"without a cache it is read":                          {want: []string{"get", "delete 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			on := newCluster(t, parse(t, ours))
			if c.cached {
				on.fill(t, configMaps)
			}
			refused := 0
			on.client.PrependReactor("delete", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
				if refused++; refused <= c.refused {
					return true, nil, apierrors.NewConflict(configMaps.GroupResource(), "a", nil)
				}
				return false, nil, nil
			})
			on.client.ClearActions()
			removal, err := on.remove(t, newSet(t, configMap(t, "a")))
			if err != nil || removal.Done != (c.refused < 2) {
				t.Errorf("%+v, %v", removal, err)
			}
			if diff := cmp.Diff(c.want, readsAndDeletions(on.client, configMaps, "a")); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACheckedNamespaceIsDeletedUnreadUnlessItChanged(t *testing.T) {
	const ours = `{apiVersion: v1, kind: Namespace, metadata: {name: data, uid: u, resourceVersion: "7", labels: {core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: memo}, managedFields: [{manager: platform-operators/memo}]}}`
	for name, c := range map[string]struct {
		// refused is the number of deletions that the server answers with a conflict.
		refused int
		want    []string
	}{
		"it is as the cache has it": {want: []string{"delete 7"}},
		"it changed":                {refused: 1, want: []string{"delete 7", "get", "delete 7"}},
		"it changes all the time":   {refused: 2, want: []string{"delete 7", "get", "delete 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			on := newCluster(t, parse(t, ours))
			on.namespaces = answers{"data": {}}
			on.fill(t, namespaces)
			refused := 0
			on.client.PrependReactor("delete", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
				refused++
				return refused <= c.refused, nil, apierrors.NewConflict(namespaces.GroupResource(), "data", nil)
			})
			on.client.ClearActions()
			removal, err := on.remove(t, newSet(t, *parse(t, `{apiVersion: v1, kind: Namespace, metadata: {name: data}}`)))
			if err != nil || removal.Done != (c.refused < 2) {
				t.Errorf("%+v, %v", removal, err)
			}
			if diff := cmp.Diff(c.want, readsAndDeletions(on.client, namespaces, "data")); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// readsAndDeletions returns the GETs of an object, and the DELETEs with the resourceVersion that each requires.
func readsAndDeletions(client *dynamicfake.FakeDynamicClient, resource schema.GroupVersionResource, name string) []string {
	var requests []string
	for _, action := range client.Actions() {
		switch action := action.(type) {
		case clienttesting.DeleteActionImpl:
			requests = append(requests, "delete "+*action.DeleteOptions.Preconditions.ResourceVersion)
		case clienttesting.GetActionImpl:
			if action.Resource == resource && action.Name == name {
				requests = append(requests, "get")
			}
		}
	}
	return requests
}
