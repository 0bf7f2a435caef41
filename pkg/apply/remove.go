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
	"github.com/openshift/platform-operators/pkg/namespaceuse"
)

// Removal is the progress of the removal of a set.
type Removal struct {
	// Done is whether no object of the set that belongs to the owner is left.
	Done bool
	// Held is whether every object that is left waits for somebody to act, and some wait for users' custom resources. No watch
	// reports the end of those.
	Held bool
	// Stuck is whether every object that is left was deleted more than stuckAfter ago: an admin has to act.
	Stuck bool
	// Checking is true while the removal waits for nothing but checks of namespaces, which take seconds.
	Checking bool
	// Waiting names the objects that are still being deleted, or why none is, and what to do about it; empty when Done.
	Waiting string
	// Kept names objects that the removal keeps, and why, at most 10.
	Kept []string
	// Deleted names objects that this call deleted, at most 10.
	Deleted []string
}

// RemoveOptions configure Remove.
type RemoveOptions struct {
	// CRDs is the policy for CustomResourceDefinitions; empty means Orphan. Remove ignores it while there are sets to keep.
	CRDs corev1alpha2.CRDDeletion
	// Applied are the sets of completely applied revisions, as in Options.Applied.
	Applied []*Set
}

// Remove deletes a set's objects in the reverse order of the phases, and begins with a phase only when the later ones are gone.
// So custom resources go while their operator runs, webhooks before the workloads that serve them, and workloads before what
// those need. Remove deletes a namespace only if the manager created it for the owner and it holds no objects of other owners.
// Otherwise it keeps the namespace and removes its owner labels. Calling Remove again continues where it stopped.
//
// Without sets to keep, the policy decides about CustomResourceDefinitions. Orphan keeps them, without owner labels and annotated
// with the package. Delete deletes them. While custom resources exist beside the bundle's own, Delete removes nothing at all,
// because their operator has to run to finish their deletion.
//
// With sets to keep, Remove prunes: it leaves the objects that those sets contain too. It orphans every other
// CustomResourceDefinition, whatever the policy, because an upgrade must not lose data.
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
			removal.Checking = onlyChecking(results)
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

// removed is the result for one object.
type removed struct {
	key Key
	// left is whether the object still has to go; why is what it waits for, where that is known.
	left bool
	why  string
	// inUse is whether users have custom resources of it; stuck is whether its deletion takes longer than stuckAfter. Either needs
	// an admin.
	inUse, stuck bool
	// checking is whether the object is a namespace whose check has no answer yet.
	checking bool
	// deleted is whether this call deleted it.
	deleted bool
	// kept is why the object stays.
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
			results[i].left = true // the next call continues here; the controller reports the progress in between
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
		return result // the API server accepts no object of such a name, and no request can name it
	}
	found, served, err := r.kinds.findAny(ctx, entry.kind)
	if err != nil || !served {
		result.err = err // a kind that is no longer served has no objects; one whose discovery failed may have some
		return result
	}
	if result, ok := r.fromCache(ctx, entry, found); ok {
		return result
	}
	space := isNamespace(entry.key.GroupKind)
	var checked *namespaceuse.Answer
	if space {
		var awaited bool
		if checked, awaited = r.awaitCheck(entry, found); awaited {
			return beingChecked(entry)
		}
	}
	if checked != nil {
		if result, ok := r.checkedFromCache(ctx, entry, found, checked); ok {
			return result
		}
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
		return result // an object that the manager had no right to apply must need no right to be removed
	}
	if err != nil {
		result.err = writeError("reading", entry.key, err)
		return result
	}
	// Only its labels make a namespace the owner's. Without them, a user took it over or an earlier removal kept it.
	if !r.set.owner.isOurs(live, r.applied) || space && !r.hasLabel(live) {
		return result
	}
	switch {
	case isCRD(entry.key.GroupKind):
		return r.definition(ctx, entry, found, live)
	case live.GetDeletionTimestamp() != nil:
		result.left = !space // a finalizer that holds a namespace protects no object of the set
		result.why, result.stuck = r.detained(live)
		return result
	case space:
		return r.namespace(ctx, entry, found, live, checked)
	}
	return r.delete(ctx, entry, found, live)
}

// nowhere reports that no namespace of this name exists, and so no object in it.
func (r *taking) nowhere(ctx context.Context, namespace string) bool {
	if namespace == "" {
		return false
	}
	_, err := r.client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Get(ctx, namespace, metav1.GetOptions{})
	return apierrors.IsNotFound(err)
}

// definition orphans or deletes a CustomResourceDefinition. It does not wait for the deletion of one that the policy keeps.
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
	// Checked again, because users may have created custom resources since the check before the first deletion.
	used, err := r.users(ctx, definitionOf(live))
	if err != nil || !used.none() {
		result.left, result.inUse, result.err = err == nil, err == nil, err
		result.why = "is in use: " + used.String()
		return result
	}
	return r.delete(ctx, entry, at, live)
}

// orphan returns the patch for a CustomResourceDefinition that is kept, and what to add to the message. It sets the conversion to
// None where a Service answers it, because the webhook goes with the operator, or nobody repairs it any more. If the definition
// still called the webhook, no client could read, change or delete custom resources in a version other than the stored one. Deleting
// a namespace would fail as well, because that lists every kind. With None, the API server changes nothing but apiVersion. The
// package's next installation declares the conversion again.
func orphan(live *unstructured.Unstructured, mark string) (patch map[string]any, conversion string) {
	patch = map[string]any{"metadata": map[string]any{"annotations": map[string]any{platformv1alpha1.AnnotationOrphanedFrom: mark}}}
	if called, _, _ := unstructured.NestedMap(live.Object, "spec", "conversion", "webhook", "clientConfig", "service"); called == nil {
		return patch, ""
	}
	patch["spec"] = map[string]any{"conversion": map[string]any{"strategy": "None", "webhook": nil}}
	return patch, ", which are no longer converted between versions until the package is installed again"
}

func isNamespace(kind schema.GroupKind) bool { return kind == schema.GroupKind{Kind: "Namespace"} }

// workloads are deleted in the foreground, with their Pods: what the Pods need is removed after them.
var workloads = []schema.GroupKind{
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "apps", Kind: "ReplicaSet"},
	{Group: "batch", Kind: "Job"},
}

// delete deletes the object in the state of live: by its UID and resourceVersion. So a deletion that an ended manager sent, and that
// arrives late, does not delete an object that was written meanwhile. An object that neither a finalizer nor a grace period delays is
// gone when the API server answers, and is not read again.
func (r *taking) delete(ctx context.Context, entry *item, at apiResource, live *unstructured.Unstructured) removed {
	result := removed{key: entry.key, deleted: true, left: true}
	propagation := metav1.DeletePropagationBackground
	preconditions := metav1.NewUIDPreconditions(string(live.GetUID()))
	preconditions.ResourceVersion = ptr.To(live.GetResourceVersion())
	lingers := len(live.GetFinalizers()) > 0 || isCRD(entry.key.GroupKind) || entry.key.GroupKind == schema.GroupKind{Kind: "Pod"}
	if slices.Contains(workloads, entry.key.GroupKind) {
		propagation, lingers = metav1.DeletePropagationForeground, true
	}
	err := r.client.Resource(at.GroupVersionResource).Namespace(live.GetNamespace()).Delete(ctx, live.GetName(), metav1.DeleteOptions{
		Preconditions: preconditions, PropagationPolicy: &propagation,
	})
	switch {
	case err == nil:
		r.memory.setDeleted(live.GetUID())
		result.left = lingers
	case apierrors.IsNotFound(err):
		result.left, result.deleted = false, false
	case apierrors.IsConflict(err):
		result.deleted = false // somebody has just changed the object; the next call reads it again
	default:
		result.deleted, result.err = false, writeError("deleting", entry.key, err)
	}
	return result
}

// disown removes the owner's labels and owner references from an object that stays. The same merge patch makes the given changes.
func (r *taking) disown(ctx context.Context, at apiResource, live *unstructured.Unstructured, changes map[string]any) error {
	metadata := map[string]any{
		"uid":             string(live.GetUID()),
		"resourceVersion": live.GetResourceVersion(), // a merge patch replaces whole lists, and one that arrives late must not apply
		"labels":          map[string]any{corev1alpha2.LabelOwnerKind: nil, corev1alpha2.LabelOwnerName: nil},
	}
	if tied(live, r.set.owner) {
		kept, _, err := unstructured.NestedSlice(withoutTies(live, r.set.owner).Object, "metadata", "ownerReferences")
		if err != nil {
			return fmt.Errorf("reading the owner references of %s: %w", keyOf(live), err)
		}
		metadata["ownerReferences"] = kept
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

// isGone reports whether a removal has finished with an object, and why it kept the object, if it did.
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
