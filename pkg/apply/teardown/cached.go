package teardown

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// fromCache deletes an object in the state that the cache of its kind has, without reading it first; false when the caller has to
// read it. The cached state shows that the object belongs to the owner. If the API server has another state, the deletion fails
// with a conflict, and the caller reads the object. CustomResourceDefinitions are always read because most of them are kept and
// patched. Namespaces are deleted by checkedFromCache, after a check.
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

// checkedFromCache does the same for a namespace that was checked. It is deleted only in the cached state: deletion of a namespace that
// has changed since fails with a conflict, and the caller reads it.
func (t *teardown) checkedFromCache(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource, checked *namespaceuse.Answer) (removed, bool) {
	live := t.cached(desired, at)
	if live == nil || !t.hasLabel(live) {
		return removed{}, false
	}
	result := t.namespace(ctx, desired, at, live, checked)
	return result, !result.left
}

// cached returns the cached state of an object that belongs to the owner and is not being deleted; nil when the cache has none. That
// does not show that the object is gone: an object that lost its labels leaves the cache too.
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
