package teardown

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// definition orphans or deletes a CustomResourceDefinition, as the policy requires. It does not delete a definition while users have custom
// resources of it. If the policy keeps a CustomResourceDefinition that is already being deleted, definition does not wait for the deletion.
func (t *teardown) definition(ctx context.Context, desired *object.Desired, at schema.GroupVersionResource, live *unstructured.Unstructured) removed {
	result := removed{key: desired.Key}
	if !t.deleteCRDs {
		patch, conversion := orphan(live, t.owner)
		result.kept = "CustomResourceDefinitions and their custom resources are kept" + conversion
		result.err = t.release(ctx, at, live, patch)
		return result
	}
	if live.GetDeletionTimestamp() != nil {
		result.left = true
		result.why, result.stuck = t.deletionState(live)
		return result
	}
	// Checked again, because users may have created custom resources since the check that preceded the first deletion.
	definition := bundle.DefinitionOf(live)
	used, err := t.users(ctx, &definition)
	if err != nil || !used.none() {
		result.left, result.inUse, result.err = err == nil, err == nil, err
		result.why = "is in use: " + used.String()
		return result
	}
	return t.delete(ctx, desired, at, live)
}

// orphan returns the patch for a CustomResourceDefinition that is kept, and a suffix for the message. If the webhook of a Service converts
// the custom resources, the patch sets the conversion to None, because the webhook is removed with the operator or is no longer repaired.
// If the definition still called the webhook, no client could read, change or delete custom resources in a version other than the stored
// one. The deletion of a namespace would fail for the same reason, because it lists every kind. With None, the API server changes only
// apiVersion. The package's next installation declares the conversion again.
func orphan(live *unstructured.Unstructured, owner object.Owner) (patch map[string]any, conversion string) {
	patch = orphanedFrom(owner)
	if called, _, _ := unstructured.NestedMap(live.Object, "spec", "conversion", "webhook", "clientConfig", "service"); called == nil {
		return patch, ""
	}
	patch["spec"] = map[string]any{"conversion": map[string]any{"strategy": "None", "webhook": nil}}
	return patch, ", which are no longer converted between versions until the package is installed again"
}

// orphanedFrom returns the patch that records the former owner of an object that is kept. For a namespace, managedFields is the only proof
// that the manager created it. With the owner labels removed, managedFields would have no entry of the manager without this annotation, and
// the next installation would be refused in a namespace of the manager.
func orphanedFrom(owner object.Owner) map[string]any {
	return map[string]any{"metadata": map[string]any{"annotations": map[string]any{platformv1alpha1.AnnotationOrphanedFrom: owner.OrphanMark()}}}
}
