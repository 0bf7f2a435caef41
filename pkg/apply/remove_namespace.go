package apply

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// namespace deletes a namespace if it holds no objects of other owners, because the API server deletes everything in it.
// checked is the answer of a check, nil when the caller has not asked for one.
func (r *taking) namespace(ctx context.Context, entry *item, at apiResource, live *unstructured.Unstructured, checked *namespaceuse.Answer) removed {
	reason := r.stillUsed(entry.key.Name)
	if reason == "" {
		if checked == nil {
			answer, answered := r.namespaces.Check(r.namespaceQuestion(entry.key.Name))
			if !answered {
				return beingChecked(entry)
			}
			checked = &answer
		}
		if checked.Err != nil {
			return removed{key: entry.key, err: checked.Err}
		}
		reason = checked.InUse
	}
	if reason != "" {
		return removed{key: entry.key, kept: reason, err: r.disown(ctx, at, live, map[string]any{})}
	}
	result := r.delete(ctx, entry, at, live)
	result.left = result.left && !result.deleted // its finalizers protect no object of the set; after a conflict it is checked again
	return result
}

// awaitCheck asks for the check of a namespace that the cache shows as the owner's, so that the removal need not read the namespace
// before the answer. It returns the answer, or true while there is none; neither for a namespace that the caller has to read first.
func (r *taking) awaitCheck(entry *item, at apiResource) (*namespaceuse.Answer, bool) {
	live := r.cached(entry, at)
	if live == nil || !r.hasLabel(live) || r.stillUsed(entry.key.Name) != "" {
		return nil, false
	}
	answer, answered := r.namespaces.Check(r.namespaceQuestion(entry.key.Name))
	if !answered {
		return nil, true
	}
	return &answer, false
}

func beingChecked(entry *item) removed {
	return removed{key: entry.key, left: true, checking: true, why: "is being checked for objects of other owners; if it holds any, it is kept"}
}

// namespaceQuestion asks whether a namespace is in use. Dependents of objects that the removal deleted do not count: the garbage
// collector deletes them.
func (r *taking) namespaceQuestion(namespace string) namespaceuse.Question {
	return namespaceuse.Question{Owner: r.set.owner.Name, Namespace: namespace, Removed: func(reference metav1.OwnerReference) bool {
		return r.memory.wasDeleted(reference.UID)
	}}
}

// stillUsed names an object of the sets to keep that is in a namespace, also one of a kind that a check does not list.
func (r *taking) stillUsed(namespace string) string {
	var inside []string
	for _, set := range r.keep {
		for key := range set.keys {
			if key.Namespace == namespace {
				inside = append(inside, key.String())
			}
		}
	}
	if len(inside) == 0 {
		return ""
	}
	return "it still holds " + slices.Min(inside)
}

// hasLabel reports whether a live object has the label with the owner's name.
func (r *taking) hasLabel(live *unstructured.Unstructured) bool {
	return live.GetLabels()[corev1alpha2.LabelOwnerName] == r.set.owner.Name
}
