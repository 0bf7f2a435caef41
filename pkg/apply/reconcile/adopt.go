package reconcile

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
)

// adopt makes the owner own an object that it may adopt, and applies the declared object. It reads the live object first, because the
// object's owner may have changed, and because the cache does not hold all managedFields. It returns a Refusal if the owner may no longer
// adopt the object.
func (r *reconciliation) adopt(ctx context.Context) (*livecache.Live, error) {
	live, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	claim := r.options.Claim
	if refusal := claim.Refusal(r.desired.Key, live, claim.Decide(r.desired.Key, live)); refusal != nil {
		return nil, refusal
	}
	if live.GetDeletionTimestamp() != nil {
		return nil, object.WaitFor("%s is being deleted; it is created again when it is gone", r.desired.Key)
	}
	if err := r.confirm(ctx); err != nil {
		return nil, err
	}
	if live, err = r.writer.transferOwnership(ctx, live); err != nil {
		return nil, err
	}
	declared := r.withIgnored(live)
	declared.SetResourceVersion(live.GetResourceVersion()) // its current owner may be writing it
	after, _, err := r.writer.write(ctx, declared, live)
	if err != nil {
		return nil, err
	}
	return r.remember(after)
}

// transferOwnership replaces other BundleDeployments with the owner, in the labels and in managedFields, in one update. From then on, those
// BundleDeployments no longer own the object. The next apply removes the fields that only they declared. If no other BundleDeployment is in
// managedFields, transferOwnership sends nothing.
func (w writer) transferOwnership(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	records, changed := transferRecords(live.GetManagedFields(), w.owner.Manager())
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
	after, err := w.update(ctx, wanted)
	return after, object.WriteError("taking over", w.key, err)
}

// transferRecords replaces the managedFields entries of other BundleDeployments with one entry of the owner's field manager, as if that
// field manager had applied the object. If the field manager already has such an entry, transferRecords drops the others' entries. changed
// is false if there are no entries of others.
func transferRecords(records []metav1.ManagedFieldsEntry, manager string) (transferred []metav1.ManagedFieldsEntry, changed bool) {
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
		transferred = append(transferred, record)
	}
	return transferred, changed
}
