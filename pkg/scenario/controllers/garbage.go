package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
)

// garbageCollector is the controller that deletes objects whose owners do not exist, and handles the finalizers foregroundDeletion and
// orphan.
type garbageCollector struct {
	graph  *graph
	client metadata.Interface
}

// handle implements controller.
func (c *garbageCollector) handle(ctx context.Context, before, now *object) error {
	if now != nil {
		return c.reconcile(ctx, now)
	}
	for _, dependent := range c.graph.dependentsOf(before.UID) {
		if err := c.reconcile(ctx, dependent); err != nil {
			return err
		}
	}
	for _, owner := range before.OwnerReferences {
		if waiting := c.graph.byUID[owner.UID]; waiting != nil {
			if err := c.reconcile(ctx, waiting); err != nil {
				return err
			}
		}
	}
	return nil
}

// reconcile handles an object. If the object is being deleted, it handles the garbage collector's finalizers; otherwise, it handles the
// owner references.
func (c *garbageCollector) reconcile(ctx context.Context, o *object) error {
	switch {
	case o.deleting() && o.hasFinalizer(metav1.FinalizerOrphanDependents):
		return c.orphanDependents(ctx, o)
	case o.deleting() && o.hasFinalizer(metav1.FinalizerDeleteDependents):
		return c.deleteDependents(ctx, o)
	case o.deleting() || len(o.OwnerReferences) == 0:
		return nil
	}
	return c.reconcileOwners(ctx, o)
}

// reconcileOwners deletes an object if all of its owners are missing or in foreground deletion. If the object has other owners as well,
// reconcileOwners only removes the references to the owners that are missing or in foreground deletion.
func (c *garbageCollector) reconcileOwners(ctx context.Context, o *object) error {
	var kept []metav1.OwnerReference
	ownerWaits := false
	for _, reference := range o.OwnerReferences {
		owner := c.owner(o, reference)
		switch {
		case owner == nil:
		case owner.deleting() && owner.hasFinalizer(metav1.FinalizerDeleteDependents):
			ownerWaits = true
		default:
			kept = append(kept, reference)
		}
	}
	switch {
	case len(kept) == len(o.OwnerReferences):
		return nil
	case len(kept) > 0:
		return c.patch(ctx, o, map[string]any{"ownerReferences": kept})
	case ownerWaits && len(c.graph.dependents[o.UID]) > 0:
		return c.delete(ctx, o, metav1.DeletePropagationForeground)
	case o.hasFinalizer(metav1.FinalizerOrphanDependents):
		return c.delete(ctx, o, metav1.DeletePropagationOrphan)
	case o.hasFinalizer(metav1.FinalizerDeleteDependents):
		return c.delete(ctx, o, metav1.DeletePropagationForeground)
	}
	return c.delete(ctx, o, metav1.DeletePropagationBackground)
}

// owner returns the owner of o that a reference refers to, or nil if it does not exist. An owner must be in the namespace of o, or
// cluster-scoped.
func (c *garbageCollector) owner(o *object, reference metav1.OwnerReference) *object {
	owner := c.graph.byUID[reference.UID]
	if owner == nil || owner.Name != reference.Name || owner.Kind != reference.Kind || owner.Namespace != "" && owner.Namespace != o.Namespace {
		return nil
	}
	return owner
}

// deleteDependents deletes the dependents of an object, except dependents that also have another owner. When no dependent blocks the
// deletion of the object, it removes the object's finalizer foregroundDeletion.
func (c *garbageCollector) deleteDependents(ctx context.Context, o *object) error {
	blocked := false
	for _, dependent := range c.graph.dependentsOf(o.UID) {
		blocked = blocked || slices.ContainsFunc(dependent.OwnerReferences, func(reference metav1.OwnerReference) bool {
			return reference.UID == o.UID && reference.BlockOwnerDeletion != nil && *reference.BlockOwnerDeletion
		})
		if dependent.deleting() {
			continue
		}
		if err := c.reconcile(ctx, dependent); err != nil {
			return err
		}
	}
	if blocked {
		return nil
	}
	return c.removeFinalizer(ctx, o, metav1.FinalizerDeleteDependents)
}

// orphanDependents removes an object from the owner references of its dependents, and then removes the object's finalizer orphan.
func (c *garbageCollector) orphanDependents(ctx context.Context, o *object) error {
	for _, dependent := range c.graph.dependentsOf(o.UID) {
		kept := slices.DeleteFunc(slices.Clone(dependent.OwnerReferences), func(reference metav1.OwnerReference) bool { return reference.UID == o.UID })
		if err := c.patch(ctx, dependent, map[string]any{"ownerReferences": kept}); err != nil {
			return err
		}
	}
	return c.removeFinalizer(ctx, o, metav1.FinalizerOrphanDependents)
}

func (c *garbageCollector) removeFinalizer(ctx context.Context, o *object, name string) error {
	kept := slices.DeleteFunc(slices.Clone(o.Finalizers), func(finalizer string) bool { return finalizer == name })
	return c.patch(ctx, o, map[string]any{"finalizers": kept})
}

// patch changes metadata fields of an object if the object has not changed since it was observed. If it has changed, the event for that
// change triggers a retry.
func (c *garbageCollector) patch(ctx context.Context, o *object, fields map[string]any) error {
	fields["uid"], fields["resourceVersion"] = o.UID, o.ResourceVersion
	patch, err := json.Marshal(map[string]any{"metadata": fields})
	if err != nil {
		return fmt.Errorf("patching %s: %w", o, err)
	}
	_, err = c.client.Resource(o.resource).Namespace(o.Namespace).Patch(ctx, o.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return ignoreStale(o, err)
}

// delete deletes an object if it has not changed since it was observed, because a client may just have removed an owner reference. It sends
// the request only once for each resourceVersion of the object. Otherwise each event in a large terminating namespace would delete all
// remaining objects again.
func (c *garbageCollector) delete(ctx context.Context, o *object, policy metav1.DeletionPropagation) error {
	if o.deletionSent {
		return nil
	}
	err := c.client.Resource(o.resource).Namespace(o.Namespace).Delete(ctx, o.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &o.UID, ResourceVersion: &o.ResourceVersion}, PropagationPolicy: &policy,
	})
	err = ignoreStale(o, err)
	o.deletionSent = err == nil
	return err
}

// ignoreStale returns nil for errors that mean that the object was changed or deleted, because the event for that change triggers a retry.
// To other errors, it adds the object.
func ignoreStale(o *object, err error) error {
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return fmt.Errorf("writing %s: %w", o, err)
}
