package invariants

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// driftIsReported is the rule that the objects of the active revision have all declared fields while Drifted is False with reason
// AsExpected and no other change is in progress. Fields in spec.drift.ignore and fields that status.warnings reports as unknown to the API
// server may differ. With the policy Ignore, Drifted has another reason, because the manager does not look for drift.
func driftIsReported(c *Cluster) error {
	var errs []error
	for _, deployment := range c.Deployments() {
		drifted := condition(deployment.Status.Conditions, corev1alpha2.ConditionDrifted)
		revision := c.revisions(deployment)[deployment.Status.ActiveRevision]
		isClaimed := drifted.Status == metav1.ConditionFalse && drifted.Reason == corev1alpha2.ReasonAsExpected
		if !isClaimed || revision == nil || isBusy(deployment) {
			continue
		}
		for _, declared := range revision.objects {
			if err := c.checkDrift(deployment, declared); err != nil {
				errs = append(errs, fmt.Errorf("BundleDeployment %q has Drifted=False, but %w", deployment.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkDrift returns an error if a live object does not exist or differs from its declaration.
func (c *Cluster) checkDrift(deployment *corev1alpha2.BundleDeployment, declared *unstructured.Unstructured) error {
	live := c.liveObject(keyOf(declared))
	if live == nil {
		return fmt.Errorf("%s does not exist", keyOf(declared))
	}
	path := difference(declared, live, ignoredFields(deployment, declared))
	if path == "" || isUnknownField(deployment, path) {
		return nil
	}
	return fmt.Errorf("field %s of %s differs from the bundle", path, keyOf(declared))
}

// isUnknownField reports whether an API server warning in status names the field at a JSON pointer, or a field that encloses it.
func isUnknownField(deployment *corev1alpha2.BundleDeployment, pointer string) bool {
	names := strings.Split(strings.Trim(pointer, "/"), "/")
	for i := range names {
		warning := fmt.Sprintf("unknown field %q", strings.Join(names[:i+1], "."))
		if slices.ContainsFunc(deployment.Status.Warnings, func(text string) bool { return strings.Contains(text, warning) }) {
			return true
		}
	}
	return false
}

// ignoredFields returns the JSON pointers in spec.drift.ignore that select fields of an object.
func ignoredFields(deployment *corev1alpha2.BundleDeployment, object *unstructured.Unstructured) []string {
	if deployment.Spec.Drift == nil {
		return nil
	}
	var pointers []string
	kind := object.GroupVersionKind()
	for _, each := range deployment.Spec.Drift.Ignore {
		target := each.Target
		isKind := target.Kind == "" && target.Group == "" || target.Kind == "" && target.Group == kind.Group ||
			schema.GroupKind{Group: target.Group, Kind: target.Kind} == kind.GroupKind()
		isNamespace := target.Namespace == "" || target.Namespace == object.GetNamespace()
		if isKind && isNamespace && (target.Name == "" || target.Name == object.GetName()) {
			pointers = append(pointers, each.JSONPointers...)
		}
	}
	return pointers
}
