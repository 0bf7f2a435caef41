package reconcile

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// put merges the declared object into the live one and writes the result by PUT; see merged.
func (w writer) put(ctx context.Context, declared, live *unstructured.Unstructured, whole bool) (*unstructured.Unstructured, error) {
	after, err := w.update(ctx, w.merged(declared, live, whole))
	return after, object.WriteError("updating", w.key, err)
}

// merged returns the live object with the declared fields. If whole is true, each declared top-level field (spec, data, rules) replaces the
// live one. Otherwise maps are merged, and lists are replaced. Metadata from other clients remains in both cases. merged removes the owner
// reference, the orphan annotation, and managedFields entries of other BundleDeployments.
func (w writer) merged(declared, live *unstructured.Unstructured, whole bool) *unstructured.Unstructured {
	wanted := object.WithoutOwnerReference(live, w.owner)
	for name := range declared.Object {
		if whole && name != "metadata" {
			delete(wanted.Object, name)
		}
	}
	object.MergeFields(wanted.Object, declared.Object)
	annotations := wanted.GetAnnotations()
	delete(annotations, platformv1alpha1.AnnotationOrphanedFrom)
	wanted.SetAnnotations(annotations)
	var records []metav1.ManagedFieldsEntry
	for _, record := range wanted.GetManagedFields() {
		if !strings.HasPrefix(record.Manager, corev1alpha2.FieldManagerPrefix) || record.Manager == w.owner.Manager() {
			records = append(records, record) // an earlier owner no longer manages fields
		}
	}
	wanted.SetManagedFields(records)
	return wanted
}
