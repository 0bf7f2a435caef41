package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// attempts is how often a change is tried when others write the object at the same moment: mostly its own controller,
// whose status update is enough to make the record of field managers outdated.
const attempts = 3

// change applies what was declared to an object that is the owner's.
func (w worker) change(ctx context.Context, entry *item) (live *seen, changed changed, err error) {
	for range attempts {
		live, changed, err = w.changeOnce(ctx, entry)
		if !apierrors.IsConflict(err) {
			break
		}
	}
	return live, changed, err
}

// changed says what a write did.
type changed struct {
	// written: something of the object is not as it was before.
	written bool
	// repaired: it is more than the record of field managers.
	repaired bool
}

// changeOnce reads the object first, because the cache keeps neither the whole record of field managers nor a promise to
// be up to date.
func (w worker) changeOnce(ctx context.Context, entry *item) (*seen, changed, error) {
	live, err := w.client(entry.key).Get(ctx, entry.key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		w.cache.forget(entry.key)
		return nil, changed{}, waitFor("%s was deleted just now; it is created again", entry.key)
	}
	if err != nil {
		return nil, changed{}, fmt.Errorf("reading %s: %w", entry.key, err)
	}
	if !w.owner.isOurs(live, w.options.Applied) || live.GetDeletionTimestamp() != nil {
		return nil, changed{}, waitFor("%s is changing hands; it is looked at again", entry.key)
	}
	after, did, err := w.apply(ctx, entry, live)
	if err != nil {
		return nil, did, err
	}
	kept, err := w.remember(entry, after)
	return kept, did, err
}

// apply applies what was declared by server-side apply, and by PUT where that cannot do it. Fields that are left to others
// keep the value that they have.
func (w worker) apply(ctx context.Context, entry *item, live *unstructured.Unstructured) (*unstructured.Unstructured, changed, error) {
	read := live.GetResourceVersion()
	compare := drift.Comparison{Manager: w.owner.Manager(), Ignored: w.rules.ignored(entry.key)}
	declared := compare.WithLive(entry.declared(), live)
	if len(compare.Ignored) > 0 {
		declared.SetResourceVersion(read) // whoever the fields are left to may be writing them just now
	}
	after, before, err := w.write(ctx, entry.key, declared, live)
	if err != nil {
		return nil, changed{}, err
	}
	return after, changed{written: after.GetResourceVersion() != read, repaired: !sameContent(before, after)}, nil
}

// sameContent says whether two versions of an object differ in nothing but the record of field managers. The first apply of an object
// that was created by POST adds to the record what the API server drops, such as a field that is false by default.
func sameContent(before, after *unstructured.Unstructured) bool {
	if before.GetResourceVersion() == after.GetResourceVersion() {
		return true
	}
	return reflect.DeepEqual(withoutRecord(before), withoutRecord(after))
}

func withoutRecord(object *unstructured.Unstructured) map[string]any {
	content := maps.Clone(object.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		delete(metadata, "resourceVersion")
		content["metadata"] = metadata
	}
	return content
}

// maxApplies is how often one apply is sent while others change the object, such as its controller its status.
const maxApplies = 5

// write gives the object after it was written, and as it was before its content was.
func (w worker) write(ctx context.Context, key Key, declared, live *unstructured.Unstructured) (after, before *unstructured.Unstructured, err error) {
	if orphanMarked(key, live) {
		after, err = w.put(ctx, key, declared, live, true)
		return after, live, err
	}
	if live, err = w.untie(ctx, key, live); err != nil {
		return nil, nil, err
	}
	live, err = w.takeOver(ctx, key, live)
	if err != nil {
		return nil, nil, err
	}
	pinned := declared.GetResourceVersion() != "" // values in it were read from live, and hold for that version only
	after, live, err = w.patch(ctx, key, declared, live, pinned)
	switch {
	case err == nil:
		return after, live, nil
	case unappliable(err):
		after, err = w.put(ctx, key, declared, live, false)
		return after, live, err
	case apierrors.IsInvalid(err):
		// A default that nobody owns may stand against what is declared: a Deployment that moves to Recreate keeps the
		// rollingUpdate parameters that the API server once filled in. Only writing the object as a whole ends that.
		if after, putErr := w.put(ctx, key, declared, live, true); putErr == nil {
			return after, live, nil
		}
	}
	return nil, nil, writeError("applying", key, err)
}

// patch sends the server-side apply. It names the version that was read, though an apply needs none: what a process has sent when
// it dies may arrive after the next process has written the object, and conflicts then. A process that runs reads the object again
// and sends the apply for that version, unless it is pinned to the first one. The object that it was sent for is returned too.
func (w worker) patch(ctx context.Context, key Key, declared, live *unstructured.Unstructured, pinned bool) (after, written *unstructured.Unstructured, err error) {
	for attempt := 1; ; attempt++ {
		declared.SetUID(live.GetUID()) // not something else, of others, that has come in its place
		declared.SetResourceVersion(live.GetResourceVersion())
		encoded, err := json.Marshal(declared.Object)
		if err != nil {
			return nil, live, fmt.Errorf("encoding %s: %w", key, err)
		}
		after, err = w.client(key).Patch(ctx, key.Name, types.ApplyPatchType, encoded,
			metav1.PatchOptions{FieldManager: w.owner.Manager(), Force: ptr.To(true)})
		if pinned || attempt == maxApplies || !apierrors.IsConflict(err) {
			return after, live, err
		}
		found, getErr := w.client(key).Get(ctx, key.Name, metav1.GetOptions{})
		if getErr != nil || found.GetUID() != live.GetUID() {
			return nil, live, err
		}
		live = found
	}
}

// unappliable says that server-side apply does not take what POST and PUT do, and what bundles have: a list with two equal
// keys, or a field that the API server does not know, which the others drop with a warning. It has no reason of its own.
func unappliable(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "duplicate entries for key") || strings.Contains(err.Error(), "field not declared in schema"))
}

// untie takes the owner reference to the owner off.
func (w worker) untie(ctx context.Context, key Key, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if !tied(live, w.owner) {
		return live, nil
	}
	after, err := w.client(key).Update(ctx, untied(live, w.owner), metav1.UpdateOptions{FieldManager: w.owner.Manager()})
	return after, writeError("taking over", key, err)
}

// untied gives a copy without owner references to the owner, and with the owner in the record of field managers: once the
// reference is gone, and before anything is applied, nothing else would tell whose the object is.
func untied(live *unstructured.Unstructured, owner Owner) *unstructured.Unstructured {
	wanted := withoutTies(live, owner)
	if !slices.Contains(ownership.MarksOf(live).Managers, owner.Name) {
		wanted.SetManagedFields(append(wanted.GetManagedFields(), labelsRecord(wanted, owner.Manager())))
	}
	return wanted
}

// labelsRecord is what the API server records when a manager applies the owner labels.
func labelsRecord(live *unstructured.Unstructured, manager string) metav1.ManagedFieldsEntry {
	fields := fmt.Sprintf(`{"f:metadata":{"f:labels":{"f:%s":{},"f:%s":{}}}}`, corev1alpha2.LabelOwnerKind, corev1alpha2.LabelOwnerName)
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: live.GetAPIVersion(),
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)},
	}
}

// takeOver turns what the owner's creation by POST recorded into what an apply would have recorded. Without it fields that
// are no longer declared would stay for ever, because the creation still holds them.
func (w worker) takeOver(ctx context.Context, key Key, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager := w.owner.Manager()
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(manager), manager)
	if err != nil {
		return nil, fmt.Errorf("reading the record of field managers of %s: %w", key, err)
	}
	if len(patch) == 0 {
		return live, nil
	}
	live, err = w.client(key).Patch(ctx, key.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: manager})
	return live, writeError("taking over", key, err)
}

// put writes what was declared over an object by PUT. As a whole, everything declared at the top (spec, data, rules)
// replaces what is there; else maps are merged, and only lists are replaced. Metadata of others stays in both cases.
func (w worker) put(ctx context.Context, key Key, declared, live *unstructured.Unstructured, whole bool) (*unstructured.Unstructured, error) {
	after, err := w.client(key).Update(ctx, w.written(declared, live, whole), metav1.UpdateOptions{FieldManager: w.owner.Manager()})
	return after, writeError("updating", key, err)
}

// written is what put writes.
func (w worker) written(declared, live *unstructured.Unstructured, whole bool) *unstructured.Unstructured {
	wanted := withoutTies(live, w.owner)
	for name := range declared.Object {
		if whole && name != "metadata" {
			delete(wanted.Object, name)
		}
	}
	overlay(wanted.Object, declared.Object)
	annotations := wanted.GetAnnotations()
	delete(annotations, platformv1alpha1.AnnotationOrphanedFrom)
	wanted.SetAnnotations(annotations)
	var records []metav1.ManagedFieldsEntry
	for _, record := range wanted.GetManagedFields() {
		if !strings.HasPrefix(record.Manager, corev1alpha2.FieldManagerPrefix) || record.Manager == w.owner.Manager() {
			records = append(records, record) // an earlier deployment of ours has no say any more
		}
	}
	wanted.SetManagedFields(records)
	return wanted
}

// overlay writes the fields of one object over another's. Values are copied, because the sets are shared.
func overlay(onto, from map[string]any) {
	for name, value := range from {
		fields, isMap := value.(map[string]any)
		existing, both := onto[name].(map[string]any)
		if isMap && both {
			overlay(existing, fields)
			continue
		}
		onto[name] = (&unstructured.Unstructured{Object: map[string]any{"value": value}}).DeepCopy().Object["value"]
	}
}
