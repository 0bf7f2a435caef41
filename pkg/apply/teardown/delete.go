package teardown

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// workloads are the kinds that are deleted in the foreground: the deletion of a workload ends after that of its Pods. The objects that the
// Pods need are removed later.
var workloads = []schema.GroupKind{
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "apps", Kind: "ReplicaSet"},
	{Group: "batch", Kind: "Job"},
}

// delete deletes the object in the state of live, with its UID and resourceVersion as preconditions. These prevent a late request of a
// manager process that has ended from deleting an object that was written since. After a conflict, the result is left without an error, and
// the next call reads the object.
//
// If the object has no finalizer and no grace period, it no longer exists when the API server responds, and delete does not read it again.
func (t *teardown) delete(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource, live *unstructured.Unstructured) removed {
	result := removed{key: desired.Key, deleted: true, left: true}
	propagation := metav1.DeletePropagationBackground
	preconditions := metav1.NewUIDPreconditions(string(live.GetUID()))
	preconditions.ResourceVersion = ptr.To(live.GetResourceVersion())
	remains := len(live.GetFinalizers()) > 0 || object.IsCRD(desired.Key.GroupKind) || desired.Key.GroupKind == schema.GroupKind{Kind: "Pod"}
	if slices.Contains(workloads, desired.Key.GroupKind) {
		propagation, remains = metav1.DeletePropagationForeground, true
	}
	err := t.client.Resource(at).Namespace(live.GetNamespace()).Delete(ctx, live.GetName(), metav1.DeleteOptions{
		Preconditions: preconditions, PropagationPolicy: &propagation,
	})
	switch {
	case err == nil:
		t.memory.setDeleted(live.GetUID())
		result.left = remains
	case apierrors.IsNotFound(err):
		result.left, result.deleted = false, false
	case apierrors.IsConflict(err):
		result.deleted = false // another client has just changed the object; the next call reads it again
	default:
		result.deleted, result.err = false, object.WriteError("deleting", desired.Key, err)
	}
	return result
}

// release removes the owner labels and owner references from an object that is kept. It sends this removal together with the given changes
// in one merge patch, and modifies the map of changes. An object that does not exist is not an error.
func (t *teardown) release(ctx context.Context, at schema.GroupVersionResource, live *unstructured.Unstructured, changes map[string]any) error {
	metadata := map[string]any{
		"uid":             string(live.GetUID()),
		"resourceVersion": live.GetResourceVersion(), // a merge patch replaces whole lists, and one that arrives late must not apply
		"labels":          map[string]any{corev1alpha2.LabelOwnerKind: nil, corev1alpha2.LabelOwnerName: nil},
	}
	if object.HasOwnerReference(live, t.owner) {
		kept, _, err := unstructured.NestedSlice(object.WithoutOwnerReference(live, t.owner).Object, "metadata", "ownerReferences")
		if err != nil {
			return fmt.Errorf("reading the owner references of %s: %w", object.KeyOf(live), err)
		}
		metadata["ownerReferences"] = kept
	}
	object.MergeFields(changes, map[string]any{"metadata": metadata})
	patch, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("encoding the patch of %s: %w", object.KeyOf(live), err)
	}
	_, err = t.client.Resource(at).Namespace(live.GetNamespace()).Patch(ctx, live.GetName(), types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: t.owner.Manager()})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return object.WriteError("releasing", object.KeyOf(live), err)
}
