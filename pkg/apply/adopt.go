package apply

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

// adopt takes over an object that the owner may adopt. The live object is read again first: the cache does not hold
// the whole record of field managers, and whoever has the object now may have changed.
func (w worker) adopt(ctx context.Context, entry *item) (*seen, error) {
	live, err := w.client(entry.key).Get(ctx, entry.key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		w.cache.forget(entry.key)
		return nil, waitFor("%s was deleted just now; it is created again", entry.key)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", entry.key, err)
	}
	if refusal := refusalOf(entry.key, live, w.verdictOn(entry.key, live), w.owner); refusal != nil {
		return nil, refusal
	}
	if live.GetDeletionTimestamp() != nil {
		return nil, waitFor("%s is being deleted; it is created again when it is gone", entry.key)
	}
	if live, err = w.inherit(ctx, entry, live); err != nil {
		return nil, err
	}
	compare := drift.Comparison{Manager: w.owner.Manager(), Ignored: w.rules.ignored(entry.key)}
	declared := compare.WithLive(entry.declared(), live)
	// Whoever had it may be writing just now: that must not come in between.
	declared.SetResourceVersion(live.GetResourceVersion())
	after, _, err := w.write(ctx, entry.key, declared, live)
	if err != nil {
		return nil, err
	}
	return w.remember(entry, after)
}

// inherit puts the owner in the place of other BundleDeployments, in the label and in the record of field managers, by one
// write, so that they see at once that the object is theirs no more. Then applying takes away what they declared and the
// owner does not.
func (w worker) inherit(ctx context.Context, entry *item, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	records, changed := inherited(live.GetManagedFields(), w.owner.Manager())
	if !changed {
		return live, nil
	}
	wanted := live.DeepCopy()
	wanted.SetManagedFields(records)
	labels := wanted.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[corev1alpha2.LabelOwnerKind], labels[corev1alpha2.LabelOwnerName] = corev1alpha2.OwnerKindBundleDeployment, w.owner.Name
	wanted.SetLabels(labels)
	after, err := w.client(entry.key).Update(ctx, wanted, metav1.UpdateOptions{FieldManager: w.owner.Manager()})
	return after, writeError("taking over", entry.key, err)
}

// inherited renames the records of other BundleDeployments to what an apply of the manager would have recorded, and drops
// those that it has its own of.
func inherited(records []metav1.ManagedFieldsEntry, manager string) (renamed []metav1.ManagedFieldsEntry, changed bool) {
	have := map[metav1.ManagedFieldsOperationType]bool{}
	for _, record := range records {
		if record.Manager == manager && record.Subresource == "" {
			have[record.Operation] = true
		}
	}
	for _, record := range records {
		if strings.HasPrefix(record.Manager, corev1alpha2.FieldManagerPrefix) && record.Manager != manager {
			changed = true
			if have[metav1.ManagedFieldsOperationApply] || record.Subresource != "" {
				continue
			}
			record.Manager, record.Operation, record.Time = manager, metav1.ManagedFieldsOperationApply, nil
			have[metav1.ManagedFieldsOperationApply] = true
		}
		renamed = append(renamed, record)
	}
	return renamed, changed
}
