package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// updateStatus sets the conditions that explain why a Namespace is still terminating. It sends no request if they are unchanged.
func (n *namespaces) updateStatus(ctx context.Context, namespace *object, live *corev1.Namespace, content []*object) error {
	conditions := []corev1.NamespaceCondition{
		{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionFalse, Reason: "ResourcesDiscovered", Message: "All resources successfully discovered"},
		{Type: corev1.NamespaceDeletionGVParsingFailure, Status: corev1.ConditionFalse, Reason: "ParsedGroupVersions", Message: "All legacy kube types successfully parsed"},
		{Type: corev1.NamespaceDeletionContentFailure, Status: corev1.ConditionFalse, Reason: "ContentDeleted", Message: "All content successfully deleted, may be waiting on finalization"},
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Reason: "SomeResourcesRemain", Message: "Some resources are remaining: " + counts(content, "%s has %d resource instances", resourceName)},
		{Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionFalse, Reason: "ContentHasNoFinalizers", Message: "All content-preserving finalizers finished"},
	}
	if finalizers := counts(content, "%s in %d resource instances", finalizerNames); finalizers != "" {
		conditions[4].Status, conditions[4].Reason = corev1.ConditionTrue, "SomeFinalizersRemain"
		conditions[4].Message = "Some content in the namespace has finalizers remaining: " + finalizers
	}
	changed := false
	for _, condition := range conditions {
		changed = setCondition(&live.Status.Conditions, condition) || changed
	}
	if !changed {
		return nil
	}
	_, err := n.client.CoreV1().Namespaces().UpdateStatus(ctx, live, metav1.UpdateOptions{})
	return ignoreStale(namespace, err)
}

func resourceName(o *object) []string { return []string{o.resource.Resource + "." + o.resource.Group} }

func finalizerNames(o *object) []string { return o.Finalizers }

// counts lists the names that the function names returns for the objects, sorted, each with the number of its objects. format formats a
// name and its number, as kube-controller-manager does. If there are no names, counts returns "".
func counts(objects []*object, format string, names func(*object) []string) string {
	number := map[string]int{}
	for _, o := range objects {
		for _, name := range names(o) {
			number[name]++
		}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(number)) {
		all = append(all, fmt.Sprintf(format, name, number[name]))
	}
	return strings.Join(all, ", ")
}

// setCondition sets a condition, and reports whether it changed. It keeps LastTransitionTime if the status is the same.
func setCondition(conditions *[]corev1.NamespaceCondition, condition corev1.NamespaceCondition) bool {
	condition.LastTransitionTime = metav1.Now()
	for i, old := range *conditions {
		if old.Type != condition.Type {
			continue
		}
		if old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		(*conditions)[i] = condition
		return old.Status != condition.Status || old.Reason != condition.Reason || old.Message != condition.Message
	}
	*conditions = append(*conditions, condition)
	return true
}
