package scenario

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// Restore writes objects directly into the storage, without defaulting, admission or validation, as restoring a backup of etcd does.
// Objects keep their UIDs, timestamps, managed fields and status, and get new resourceVersions. Restore replaces existing objects of the
// same kind, namespace and name. If it returns an error, it has written no object.
//
// The API server must already serve the objects' kinds: restore CustomResourceDefinitions in an earlier call, and call Settle. Restore
// owners in the same call as their dependents, or earlier. Otherwise the garbage collector deletes the dependents.
func (c *Cluster) Restore(objects ...*unstructured.Unstructured) error {
	client, err := discovery.NewDiscoveryClientForConfig(c.server.Load().ClientConfig(AdminUser)) // the client's requests are not recorded
	if err != nil {
		return fmt.Errorf("restoring objects: %w", err)
	}
	resources, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return fmt.Errorf("restoring objects: discovering resources: %w", err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(resources)
	all := make([]etcd.KeyValue, 0, len(objects))
	for _, object := range ownersFirst(objects) {
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return fmt.Errorf("restoring %s %s: %w", kind.Kind, object.GetName(), err)
		}
		if (mapping.Scope.Name() == meta.RESTScopeNameNamespace) != (object.GetNamespace() != "") {
			return fmt.Errorf("restoring %s %s: it is of scope %s, and its namespace is %q", kind.Kind, object.GetName(), mapping.Scope.Name(), object.GetNamespace())
		}
		stored := object.DeepCopy()
		stored.SetResourceVersion("") // the storage sets it
		content, err := json.Marshal(stored)
		if err != nil {
			return fmt.Errorf("restoring %s %s: %w", kind.Kind, object.GetName(), err)
		}
		all = append(all, etcd.KeyValue{
			Key: apiserver.StorageKey(mapping.Resource.GroupResource(), object.GetNamespace(), object.GetName()), Value: content,
		})
	}
	c.store.Put(all...)
	return nil
}

// ownersFirst sorts owners before their dependents, and otherwise keeps the given order of the objects.
func ownersFirst(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	byUID := make(map[types.UID]*unstructured.Unstructured, len(objects))
	for _, each := range objects {
		byUID[each.GetUID()] = each
	}
	ordered, visited := make([]*unstructured.Unstructured, 0, len(objects)), make(map[*unstructured.Unstructured]bool, len(objects))
	var visit func(object *unstructured.Unstructured)
	visit = func(object *unstructured.Unstructured) {
		if object == nil || visited[object] {
			return
		}
		visited[object] = true
		for _, owner := range object.GetOwnerReferences() {
			visit(byUID[owner.UID])
		}
		ordered = append(ordered, object)
	}
	for _, each := range objects {
		visit(each)
	}
	return ordered
}
