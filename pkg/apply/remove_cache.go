package apply

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// maxDeleted bounds the UIDs that the engine remembers of one owner. A bundle has fewer objects.
const maxDeleted = 30_000

// fromCache deletes an object in the state that the cache of its kind has, without reading it first; false when the caller has to
// read it. The cached state shows that the object belongs to the owner. If the API server has another state, the deletion fails
// with a conflict, and the caller reads the object. CustomResourceDefinitions are always read because most of them are kept and
// patched. Namespaces are deleted by checkedFromCache, after a check.
func (r *taking) fromCache(ctx context.Context, entry *item, at apiResource) (removed, bool) {
	if isCRD(entry.key.GroupKind) || isNamespace(entry.key.GroupKind) {
		return removed{}, false
	}
	live := r.cached(entry, at)
	if live == nil {
		return removed{}, false
	}
	result := r.delete(ctx, entry, at, live)
	return result, result.deleted
}

// checkedFromCache does the same for a namespace that was checked. It is deleted only in the cached state: deletion of a namespace that
// has changed since fails with a conflict, and the caller reads it.
func (r *taking) checkedFromCache(ctx context.Context, entry *item, at apiResource, checked *namespaceuse.Answer) (removed, bool) {
	live := r.cached(entry, at)
	if live == nil || !r.hasLabel(live) {
		return removed{}, false
	}
	result := r.namespace(ctx, entry, at, live, checked)
	return result, !result.left
}

// cached returns the cached state of an object that belongs to the owner and is not being deleted; nil when the cache has none. That
// does not show that the object is gone: an object that lost its labels leaves the cache too.
func (r *taking) cached(entry *item, at apiResource) *unstructured.Unstructured {
	filled := r.watches.filled(at.GroupVersionResource)
	if filled == nil {
		return nil
	}
	known, unconfirmed := filled.get(entry.key)
	if known == nil || unconfirmed || known.DeletionTimestamp != nil {
		return nil
	}
	live, err := known.object()
	if err != nil || !r.set.owner.isOurs(live, r.applied) {
		return nil
	}
	return live
}

// wasDeleted reports whether the engine deleted the object with this UID for the owner.
func (m *memory) wasDeleted(uid types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.deleted[uid]
}

func (m *memory) setDeleted(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.deleted) >= maxDeleted {
		clear(m.deleted)
	}
	m.deleted[uid] = true
}
