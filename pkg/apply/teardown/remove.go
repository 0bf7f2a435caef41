package teardown

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// removeOwned removes one object if it exists and belongs to the owner. Otherwise it does nothing, and left is false in the result.
func (t *teardown) removeOwned(ctx context.Context, desired *object.Desired) removed {
	result := removed{key: desired.Key}
	if len(rest.IsValidPathSegmentName(desired.Key.Name)) > 0 {
		return result // the API server accepts no object with such a name
	}
	mapping, err := t.resources.Mapper.MappingInAnyVersion(ctx, desired.GVK)
	if err != nil || mapping == nil {
		result.err = err // a kind that is no longer served has no objects; one whose discovery failed may have some
		return result
	}
	found := mapping.Resource
	if result, ok := t.fromCache(ctx, desired, found); ok {
		return result
	}
	space := object.IsNamespace(desired.Key.GroupKind)
	var checked *namespaceuse.Answer
	if space {
		var awaited bool
		if checked, awaited = t.awaitCheck(desired, found); awaited {
			return beingChecked(desired)
		}
	}
	if checked != nil {
		if result, ok := t.checkedFromCache(ctx, desired, found, checked); ok {
			return result
		}
	}
	reader := t.client
	if desired.IsInstallNamespace {
		reader = t.manager // a ServiceAccount that applies the bundle does not need the permission
	}
	live, err := reader.Resource(found).Namespace(desired.Key.Namespace).Get(ctx, desired.Key.Name, metav1.GetOptions{})
	if livecache.IsResourceNotServed(err) {
		t.resources.Mapper.Invalidate(found.GroupVersion()) // the kind may be served in another version
		result.left = true
		return result
	}
	if apierrors.IsNotFound(err) {
		return result
	}
	if err != nil {
		return t.unreadable(ctx, desired, found, err)
	}
	// A namespace without the owner labels is not removed: a user has taken it over, or an earlier removal kept it.
	if !t.owner.Owns(live, t.applied) || space && !t.hasLabel(live) {
		return result
	}
	switch {
	case object.IsCRD(desired.Key.GroupKind):
		return t.definition(ctx, desired, found, live)
	case live.GetDeletionTimestamp() != nil:
		result.left = !space // a finalizer that holds a namespace protects no object of the set
		result.why, result.stuck = t.deletionState(live)
		return result
	case space:
		return t.namespace(ctx, desired, found, live, checked)
	}
	return t.delete(ctx, desired, found, live)
}

// unreadable returns the result for an object that could not be read. If the manager is not permitted to read the object, and the object's
// namespace does not exist, the object counts as removed. If the removal has probably deleted the ClusterRoles that permitted the manager
// to read it, the object counts as kept, because waiting for permissions would never end. In every other case, the result is the error.
func (t *teardown) unreadable(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource, err error) removed {
	result := removed{key: desired.Key}
	if apierrors.IsForbidden(err) && t.isNamespaceAbsent(ctx, desired.Key.Namespace) {
		return result
	}
	if apierrors.IsForbidden(err) {
		if role := t.removedGrant(ctx, desired, at.GroupResource()); role != "" {
			result.kept = role + ", which permits the manager to delete the object, no longer exists; if the object still exists, delete it yourself"
			return result
		}
	}
	result.err = object.WriteError("reading", desired.Key, err)
	return result
}

// isNamespaceAbsent reports whether a namespace does not exist, in which case no object is in it. It returns false for an empty name and
// after an error.
func (t *teardown) isNamespaceAbsent(ctx context.Context, namespace string) bool {
	if namespace == "" {
		return false
	}
	_, err := t.client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Get(ctx, namespace, metav1.GetOptions{})
	return apierrors.IsNotFound(err)
}
