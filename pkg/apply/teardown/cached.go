package teardown

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// fromCache deletes an object in its cached state, without reading it first. The cached state must show that the object belongs to the
// owner. fromCache returns false if the caller must read the object. If the API server has a different state, the deletion fails with a
// conflict, and the caller reads the object.
//
// CustomResourceDefinitions are always read, because most of them are kept and patched. Namespaces are deleted by checkedFromCache, after a
// check.
func (t *teardown) fromCache(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource) (removed, bool) {
	if object.IsCRD(desired.Key.GroupKind) || object.IsNamespace(desired.Key.GroupKind) {
		return removed{}, false
	}
	live := t.cached(desired, at)
	if live == nil {
		return removed{}, false
	}
	result := t.delete(ctx, desired, at, live)
	return result, result.deleted
}

// checkedFromCache deletes or keeps a namespace after its check, according to its cached state, without reading it first. It returns false
// if the caller must read the namespace. If the namespace has changed since it was cached, the deletion fails with a conflict, and the
// caller reads the namespace.
func (t *teardown) checkedFromCache(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource, checked *namespaceuse.Answer) (removed, bool) {
	live := t.cached(desired, at)
	if live == nil || !t.hasLabel(live) {
		return removed{}, false
	}
	result := t.namespace(ctx, desired, at, live, checked)
	return result, !result.left
}

// cached returns the cached state of an object that belongs to the owner and is not being deleted; nil if there is none in the cache. A nil
// result does not mean that the object is deleted, because an object without its owner labels is not in the cache.
func (t *teardown) cached(desired *object.Desired, at schema.GroupVersionResource) *unstructured.Unstructured {
	filled := t.resources.Caches.Filled(at)
	if filled == nil {
		return nil
	}
	known, unconfirmed := filled.Get(desired.Key)
	if known == nil || unconfirmed || known.DeletionTimestamp != nil {
		return nil
	}
	live, err := known.Object()
	if err != nil || !t.owner.Owns(live, t.applied) {
		return nil
	}
	return live
}
