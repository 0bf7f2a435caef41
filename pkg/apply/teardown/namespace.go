package teardown

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// namespace deletes a namespace if it contains no objects of other owners, because the API server deletes everything in it. Otherwise it
// keeps the namespace, removes its owner labels and records the former owner. checked is the result of a check. If it is nil, namespace
// requests the check.
func (t *teardown) namespace(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource, live *unstructured.Unstructured, checked *namespaceuse.Answer) removed {
	reason := t.stillUsed(desired.Key.Name)
	if reason == "" {
		if checked == nil {
			answer, answered := t.namespaces.Check(t.namespaceQuestion(desired.Key.Name))
			if !answered {
				return beingChecked(desired)
			}
			checked = &answer
		}
		if checked.Err != nil {
			return removed{key: desired.Key, err: checked.Err}
		}
		reason = checked.InUse
	}
	if reason != "" {
		return removed{key: desired.Key, kept: reason, err: t.release(ctx, at, live, orphanedFrom(t.owner))}
	}
	result := t.delete(ctx, desired, at, live)
	result.left = result.left && !result.deleted // do not wait for its finalizers; after a conflict, it is checked again
	return result
}

// awaitCheck requests the check of a namespace that, according to the cache, belongs to the owner, so that the removal need not read the
// namespace first. It returns the result of the check, or nil. If the result is nil, true means that the check is in progress, and false
// means that the caller must read the namespace.
func (t *teardown) awaitCheck(desired *object.Desired, at schema.GroupVersionResource) (*namespaceuse.Answer, bool) {
	live := t.cached(desired, at)
	if live == nil || !t.hasLabel(live) || t.stillUsed(desired.Key.Name) != "" {
		return nil, false
	}
	answer, answered := t.namespaces.Check(t.namespaceQuestion(desired.Key.Name))
	if !answered {
		return nil, true
	}
	return &answer, false
}

func beingChecked(desired *object.Desired) removed {
	return removed{key: desired.Key, left: true, checking: true, why: "is being checked for objects of other owners; if it holds any, it is kept"}
}

// namespaceQuestion returns the input of a check whether a namespace is in use. Dependents of objects that the removal deleted do not count
// as use, because the garbage collector deletes them.
func (t *teardown) namespaceQuestion(namespace string) namespaceuse.Question {
	return namespaceuse.Question{Owner: t.owner.Name, Namespace: namespace, Removed: func(reference metav1.OwnerReference) bool {
		return t.memory.wasDeleted(reference.UID)
	}}
}

// stillUsed returns a text that names the first object that is in a namespace and in one of the sets to keep; empty if there is none. It
// includes kinds that a check does not list.
func (t *teardown) stillUsed(namespace string) string {
	var inside []string
	for _, set := range t.keep {
		for _, key := range set.InNamespace(namespace) {
			inside = append(inside, key.String())
		}
	}
	if len(inside) == 0 {
		return ""
	}
	return "it still holds " + slices.Min(inside)
}

// hasLabel reports whether a live object has the label with the owner's name.
func (t *teardown) hasLabel(live *unstructured.Unstructured) bool {
	return live.GetLabels()[corev1alpha2.LabelOwnerName] == t.owner.Name
}
