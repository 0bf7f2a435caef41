package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Removal is how far taking objects down has come.
type Removal struct {
	// Done says that nothing of the set is left that is the owner's.
	Done bool
	// Held says that nothing that is left goes by itself, and that users' custom resources, of which no watch tells, are among the causes.
	Held bool
	// Stuck says that everything that is waited for was deleted more than stuckAfter ago: somebody has to see to that.
	Stuck bool
	// Waiting names what is still being deleted, or why nothing is, and what to do about it; empty when Done.
	Waiting string
	// Kept names what was deliberately left, and why, at most 10.
	Kept []string
	// Deleted names objects that were deleted by this call, at most 10.
	Deleted []string
}

// RemoveOptions say how a set is taken down.
type RemoveOptions struct {
	// CRDs is what becomes of CustomResourceDefinitions; empty means Orphan. It has no say while there are sets to keep.
	CRDs corev1alpha2.CRDDeletion
	// Applied are sets of revisions that were applied completely: as Options.Applied.
	Applied []*Set
}

// Remove takes a set's objects down, the last phase first, and each phase only when the one after it is gone: the custom
// resources while their operator runs, webhooks before the workloads that answer them, and those before what they need.
// A namespace, be it the install namespace or one of the bundle's, goes only if it was created for the owner and holds nothing
// of others; else it is let go of. Calling it again goes on where it stopped.
//
// Without sets to keep, CustomResourceDefinitions go by the policy. Orphan keeps them, without owner labels and marked with
// the package. Delete deletes them; while there are custom resources beside the bundle's own, nothing at all is taken down,
// because their operator has to be there for them to be deleted.
//
// With sets to keep it prunes: what those have too is left. It never deletes a CustomResourceDefinition then, whatever the
// policy, but orphans it: an upgrade must not be able to lose data.
func (e *Engine) Remove(ctx context.Context, set *Set, options RemoveOptions, keep ...*Set) (Removal, error) {
	r := &taking{
		Engine: e, set: set, keep: keep, applied: options.Applied, memory: e.memoryOf(set.owner.Name), pass: &pass{clock: e.clock, start: e.clock.Now()},
		deleteCRDs: options.CRDs == corev1alpha2.CRDsDelete && len(keep) == 0,
	}
	var removal Removal
	if r.deleteCRDs {
		held, err := r.inUse(ctx)
		if err != nil || held != "" {
			removal.Waiting, removal.Held = held, held != ""
			return removal, err
		}
	}
	for _, each := range slices.Backward(set.phases) {
		results, err := r.phase(ctx, each)
		if err != nil {
			return removal, err
		}
		for _, result := range results {
			if result.kept != "" && len(removal.Kept) < maxListed {
				removal.Kept = append(removal.Kept, result.key.String()+": "+result.kept)
			}
			if result.deleted {
				removal.Deleted = listed(removal.Deleted, result.key)
			}
		}
		if removal.Waiting = waitingFor(results); removal.Waiting != "" {
			removal.Held, removal.Stuck = heldUp(results)
			return removal, nil
		}
	}
	removal.Done = true
	return removal, nil
}

// taking is one call of Remove.
type taking struct {
	*Engine
	set        *Set
	keep       []*Set
	applied    []*Set
	memory     *memory
	pass       *pass
	deleteCRDs bool
}

// removed is what became of one object.
type removed struct {
	key Key
	// left: it is still there and has to go; why says what holds it up, where that is known.
	left bool
	why  string
	// inUse and stuck are why it does not go by itself: users have custom resources of it; its deletion has taken too long.
	inUse, stuck bool
	// deleted: this call deleted it.
	deleted bool
	// kept says why it stays.
	kept string
	err  error
}

func (r *taking) phase(ctx context.Context, phase phase) ([]removed, error) {
	results := make([]removed, len(phase.items))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, entry := range phase.items {
		results[i].key = entry.key
		if kept, gone := r.memory.isGone(entry.key); gone {
			results[i].kept = kept
			continue
		}
		if slices.ContainsFunc(r.keep, func(other *Set) bool { return other.Has(entry.key) }) {
			continue
		}
		slots <- struct{}{}
		if r.pass.over() {
			<-slots
			results[i].left = true // for the next call, so that how far it is can be told
			continue
		}
		group.Go(func() {
			defer func() { <-slots }()
			results[i] = r.one(ctx, entry)
			if results[i].deleted {
				r.pass.writes.Add(1)
			}
			if !results[i].left && results[i].err == nil && len(r.keep) == 0 {
				r.memory.setGone(entry.key, results[i].kept)
			}
		})
	}
	group.Wait()
	var errs []error
	for _, result := range results {
		errs = append(errs, result.err)
	}
	return results, foremost(errs)
}

func (r *taking) one(ctx context.Context, entry *item) removed {
	result := removed{key: entry.key}
	if len(rest.IsValidPathSegmentName(entry.key.Name)) > 0 {
		return result // the API server never took an object of such a name, and it cannot even be asked for
	}
	found, served, err := r.kinds.findAny(ctx, entry.kind)
	if err != nil || !served {
		result.err = err // a kind that is not served any more has no objects; one that cannot be asked for may have some
		return result
	}
	live, err := r.client.Resource(found.GroupVersionResource).Namespace(entry.key.Namespace).Get(ctx, entry.key.Name, metav1.GetOptions{})
	if notServed(err) {
		r.kinds.outdated(found.GroupVersion()) // the kind may be served in another version
		result.left = true
		return result
	}
	if apierrors.IsNotFound(err) {
		return result
	}
	if apierrors.IsForbidden(err) && r.nowhere(ctx, entry.key.Namespace) {
		return result // what the manager lacks rights for was mostly never applied, and must not need them to be removed
	}
	if err != nil {
		result.err = writeError("reading", entry.key, err)
		return result
	}
	// A namespace is the owner's by its labels alone: without them somebody has made it their own, or it was let go of.
	labelled, space := live.GetLabels()[corev1alpha2.LabelOwnerName] == r.set.owner.Name, isNamespace(entry.key.GroupKind)
	if !r.set.owner.isOurs(live, r.applied) || space && !labelled {
		return result
	}
	switch {
	case isCRD(entry.key.GroupKind):
		return r.definition(ctx, entry, found, live)
	case live.GetDeletionTimestamp() != nil:
		result.left = !space // whoever holds a namespace back holds nothing of ours
		result.why, result.stuck = r.detained(live)
		return result
	case space:
		return r.namespace(ctx, entry, found, live)
	}
	return r.delete(ctx, entry, found, live)
}

// nowhere says that there is no namespace of this name, and so nothing in it.
func (r *taking) nowhere(ctx context.Context, namespace string) bool {
	if namespace == "" {
		return false
	}
	_, err := r.client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Get(ctx, namespace, metav1.GetOptions{})
	return apierrors.IsNotFound(err)
}

// definition takes down a CustomResourceDefinition. One that is kept is not waited for when somebody else deletes it.
func (r *taking) definition(ctx context.Context, entry *item, at apiResource, live *unstructured.Unstructured) removed {
	result := removed{key: entry.key}
	if !r.deleteCRDs {
		patch, conversion := orphan(live, r.set.owner.orphanMark())
		result.kept = "CustomResourceDefinitions are kept, and custom resources with them" + conversion
		result.err = r.disown(ctx, at, live, patch)
		return result
	}
	if live.GetDeletionTimestamp() != nil {
		result.left = true
		result.why, result.stuck = r.detained(live)
		return result
	}
	// Looked at again, because the check before the first deletion may be long ago.
	used, err := r.users(ctx, definitionOf(live))
	if err != nil || !used.none() {
		result.left, result.inUse, result.err = err == nil, err == nil, err
		result.why = "is in use: " + used.String()
		return result
	}
	return r.delete(ctx, entry, at, live)
}

// orphan gives the changes that a CustomResourceDefinition is kept with, and what is to be said of them. A webhook that
// converts its custom resources goes with the operator, or is looked after by nobody any more: while the definition called
// for it nobody could read, change or delete custom resources of another version than the stored one, and what goes through
// all kinds of the cluster, such as the deletion of a namespace, would fail. Without it the API server changes nothing but the
// version's name. Whoever takes the definition up again declares the conversion anew.
func orphan(live *unstructured.Unstructured, mark string) (patch map[string]any, conversion string) {
	patch = map[string]any{"metadata": map[string]any{"annotations": map[string]any{platformv1alpha1.AnnotationOrphanedFrom: mark}}}
	if called, _, _ := unstructured.NestedMap(live.Object, "spec", "conversion", "webhook", "clientConfig", "service"); called == nil {
		return patch, ""
	}
	patch["spec"] = map[string]any{"conversion": map[string]any{"strategy": "None", "webhook": nil}}
	return patch, ", which are no longer converted between versions until the package is installed again"
}

func isNamespace(kind schema.GroupKind) bool { return kind == schema.GroupKind{Kind: "Namespace"} }

// namespace deletes a namespace if nothing of others is in it: with it goes whatever it holds, which may be users' data.
func (r *taking) namespace(ctx context.Context, entry *item, at apiResource, live *unstructured.Unstructured) removed {
	reason := r.stillUsed(entry.key.Name)
	if reason == "" {
		var err error
		if reason, err = r.occupied(ctx, entry.key.Name); err != nil {
			return removed{key: entry.key, err: err}
		}
	}
	if reason != "" {
		err := r.withdraw(ctx, entry.key.Name)
		if err == nil {
			err = r.disown(ctx, at, live, map[string]any{})
		}
		return removed{key: entry.key, kept: reason, err: err}
	}
	result := r.delete(ctx, entry, at, live)
	result.left = false
	return result
}

// stillUsed says which object of what is kept is in a namespace, be it of a kind that nobody looks for there.
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

// workloads go together with their Pods: what they need is removed after them.
var workloads = []schema.GroupKind{
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "apps", Kind: "ReplicaSet"},
	{Group: "batch", Kind: "Job"},
}

// delete deletes exactly what was looked at. An object that nothing can hold back is gone with the answer, and is not asked
// for again: that takes the version that was looked at, of which it is known that it has no finalizer.
func (r *taking) delete(ctx context.Context, entry *item, at apiResource, live *unstructured.Unstructured) removed {
	result := removed{key: entry.key, deleted: true, left: true}
	propagation := metav1.DeletePropagationBackground
	preconditions := metav1.NewUIDPreconditions(string(live.GetUID()))
	lingers := len(live.GetFinalizers()) > 0 || isCRD(entry.key.GroupKind) || entry.key.GroupKind == schema.GroupKind{Kind: "Pod"}
	if slices.Contains(workloads, entry.key.GroupKind) {
		propagation, lingers = metav1.DeletePropagationForeground, true
	}
	if !lingers {
		preconditions.ResourceVersion = ptr.To(live.GetResourceVersion())
	}
	err := r.client.Resource(at.GroupVersionResource).Namespace(live.GetNamespace()).Delete(ctx, live.GetName(), metav1.DeleteOptions{
		Preconditions: preconditions, PropagationPolicy: &propagation,
	})
	switch {
	case err == nil:
		result.left = lingers
	case apierrors.IsNotFound(err):
		result.left, result.deleted = false, false
	case apierrors.IsConflict(err):
		result.deleted = false // it has just changed; the next call looks at it again
	default:
		result.deleted, result.err = false, writeError("deleting", entry.key, err)
	}
	return result
}

// disown takes the owner labels off an object that stays, and changes it by a merge patch in the same write.
func (r *taking) disown(ctx context.Context, at apiResource, live *unstructured.Unstructured, changes map[string]any) error {
	metadata := map[string]any{
		"uid":    string(live.GetUID()),
		"labels": map[string]any{corev1alpha2.LabelOwnerKind: nil, corev1alpha2.LabelOwnerName: nil},
	}
	if tied(live, r.set.owner) { // a patch replaces the whole list, which nobody may have changed meanwhile
		kept, _, err := unstructured.NestedSlice(withoutTies(live, r.set.owner).Object, "metadata", "ownerReferences")
		if err != nil {
			return fmt.Errorf("reading the owner references of %s: %w", keyOf(live), err)
		}
		metadata["ownerReferences"], metadata["resourceVersion"] = kept, live.GetResourceVersion()
	}
	overlay(changes, map[string]any{"metadata": metadata})
	patch, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("encoding the patch of %s: %w", keyOf(live), err)
	}
	_, err = r.client.Resource(at.GroupVersionResource).Namespace(live.GetNamespace()).Patch(ctx, live.GetName(), types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: r.set.owner.Manager()})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return writeError("releasing", keyOf(live), err)
}

// isGone says whether a removal is through with an object, and why it was kept if it was.
func (m *memory) isGone(key Key) (kept string, gone bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, gone = m.gone[key]
	return kept, gone
}

func (m *memory) setGone(key Key, kept string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone[key] = kept
}

var errUnlistable = errors.New("may not be listed")
