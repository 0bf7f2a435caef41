package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// writer sends the requests for one object, with the owner's field manager.
type writer struct {
	client dynamic.ResourceInterface
	owner  object.Owner
	key    object.Key
}

func (w writer) get(ctx context.Context) (*unstructured.Unstructured, error) {
	return w.client.Get(ctx, w.key.Name, metav1.GetOptions{})
}

func (w writer) create(ctx context.Context, declared *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return w.client.Create(ctx, declared, metav1.CreateOptions{FieldManager: w.owner.Manager()})
}

func (w writer) update(ctx context.Context, wanted *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return w.client.Update(ctx, wanted, metav1.UpdateOptions{FieldManager: w.owner.Manager()})
}

// write applies the declared object to a live one by server-side apply, or by PUT if server-side apply does not accept the object. after is
// the object after the write. before is the object that the write was applied to. If declared has a resourceVersion, write does not retry
// after a conflict.
func (w writer) write(ctx context.Context, declared, live *unstructured.Unstructured) (after, before *unstructured.Unstructured, err error) {
	if object.IsMarkedOrphan(w.key, live) {
		after, err = w.put(ctx, declared, live, true)
		return after, live, err
	}
	if live, err = w.removeOwnerReference(ctx, live); err != nil {
		return nil, nil, err
	}
	if live, err = w.upgradeManagedFields(ctx, live); err != nil {
		return nil, nil, err
	}
	pinned := declared.GetResourceVersion() != "" // because declared has values of live, which are valid for that version only
	after, live, err = w.patch(ctx, declared, live, pinned)
	switch {
	case err == nil:
		return after, live, nil
	case isUnappliable(err):
		after, err = w.put(ctx, declared, live, false)
		return after, live, err
	case apierrors.IsInvalid(err):
		// A default value without a field manager may contradict the declared object: a Deployment that changes to Recreate keeps the
		// rollingUpdate parameters that the API server once filled in. Only writing the whole object removes them.
		if after, putErr := w.put(ctx, declared, live, true); putErr == nil {
			return after, live, nil
		}
	}
	return nil, nil, object.WriteError("applying", w.key, err)
}

// maxApplies is the maximum number of requests for one apply that conflicts with other writers, such as the controller that writes the
// object's status.
const maxApplies = 5

// patch sends the server-side apply. It includes the resourceVersion that was read, although an apply does not need one: a request of a
// manager process that has ended may arrive after the next process has written the object, and must then conflict. After a conflict, patch
// reads the object and sends the apply for the new version. It does not do this if pinned is true, or if the object's UID or its
// ownership.Marks have changed, because another BundleDeployment may have taken it over. written is the object for which the last apply was
// sent.
func (w writer) patch(ctx context.Context, declared, live *unstructured.Unstructured, pinned bool) (after, written *unstructured.Unstructured, err error) {
	for attempt := 1; ; attempt++ {
		declared.SetUID(live.GetUID()) // so that no other object with this name is changed
		declared.SetResourceVersion(live.GetResourceVersion())
		encoded, err := json.Marshal(declared.Object)
		if err != nil {
			return nil, live, fmt.Errorf("encoding %s: %w", w.key, err)
		}
		after, err = w.client.Patch(ctx, w.key.Name, types.ApplyPatchType, encoded,
			metav1.PatchOptions{FieldManager: w.owner.Manager(), Force: ptr.To(true)})
		if pinned || attempt == maxApplies || !apierrors.IsConflict(err) {
			return after, live, err
		}
		found, getErr := w.get(ctx)
		if getErr != nil || found.GetUID() != live.GetUID() || !ownership.MarksOf(found).Equal(ownership.MarksOf(live)) {
			return nil, live, err
		}
		live = found
	}
}

// isUnappliable reports whether server-side apply has rejected an object that POST and PUT accept. Bundles contain such objects: a list
// with two equal keys, or an unknown field, which POST and PUT drop with a warning. isUnappliable compares the message, because the API
// server gives no specific reason for this error.
func isUnappliable(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "duplicate entries for key") || strings.Contains(err.Error(), "field not declared in schema"))
}

// dryRun returns the object as the API server would store it, without writing it.
func (w writer) dryRun(ctx context.Context, declared, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	encoded, err := json.Marshal(declared.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", w.key, err)
	}
	dry := []string{metav1.DryRunAll}
	answer, err := w.client.Patch(ctx, w.key.Name, types.ApplyPatchType, encoded,
		metav1.PatchOptions{FieldManager: w.owner.Manager(), Force: ptr.To(true), DryRun: dry})
	if isUnappliable(err) {
		answer, err = w.client.Update(ctx, w.merged(declared, live, false), metav1.UpdateOptions{FieldManager: w.owner.Manager(), DryRun: dry})
	}
	return answer, err
}

// removeOwnerReference removes the object's owner references to the owner, and returns the updated object. Without such references it sends
// nothing.
func (w writer) removeOwnerReference(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if !object.HasOwnerReference(live, w.owner) {
		return live, nil
	}
	after, err := w.update(ctx, withManagerInsteadOfReference(live, w.owner))
	return after, object.WriteError("taking over", w.key, err)
}

// withManagerInsteadOfReference returns a copy of an object without owner references to the owner, but with the owner in managedFields.
// Otherwise nothing would show who owns the object until the next apply.
func withManagerInsteadOfReference(live *unstructured.Unstructured, owner object.Owner) *unstructured.Unstructured {
	wanted := object.WithoutOwnerReference(live, owner)
	if !slices.Contains(ownership.MarksOf(live).Managers, owner.Name) {
		wanted.SetManagedFields(append(wanted.GetManagedFields(), labelsRecord(wanted, owner.Manager())))
	}
	return wanted
}

// labelsRecord returns the managedFields entry that the API server adds when a field manager applies the owner labels.
func labelsRecord(live *unstructured.Unstructured, manager string) metav1.ManagedFieldsEntry {
	fields := fmt.Sprintf(`{"f:metadata":{"f:labels":{"f:%s":{},"f:%s":{}}}}`, corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName)
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: live.GetAPIVersion(),
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)},
	}
}

// upgradeManagedFields converts the managedFields entry of the owner's POST to the entry of an apply. Otherwise fields that are no longer
// declared would never be removed, because the entry of the POST still lists them. If there is no such entry, it sends nothing.
func (w writer) upgradeManagedFields(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager := w.owner.Manager()
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(manager), manager)
	if err != nil {
		return nil, fmt.Errorf("reading the record of field managers of %s: %w", w.key, err)
	}
	if len(patch) == 0 {
		return live, nil
	}
	live, err = w.client.Patch(ctx, w.key.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: manager})
	return live, object.WriteError("taking over", w.key, err)
}
