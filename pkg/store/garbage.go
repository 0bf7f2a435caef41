package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/sets"
)

// orphanLimit is the page size for lists of parts. A list of parts includes their data: 4 MiB at most in one page.
const orphanLimit = 4

// CollectGarbage deletes the parts of those revisions of an owner that have no index. Such parts remain after a crash during Save or
// Delete, or if another client deletes the index. stored must contain the result of List and all revisions saved since. For other
// revisions, CollectGarbage reads the index, because restoring a backup may have brought it back. No Save for the same owner may run
// concurrently.
func (r *Revisions) CollectGarbage(ctx context.Context, owner Owner, stored []Header) error {
	selector := labels.SelectorFromSet(labels.Set{LabelDeployment: owner.Name, LabelRole: RolePart})
	if len(stored) > 0 {
		numbers := make([]string, 0, len(stored))
		for _, each := range stored {
			numbers = append(numbers, strconv.FormatInt(each.Number, 10))
		}
		others, err := labels.NewRequirement(LabelNumber, selection.NotIn, numbers)
		if err != nil {
			return fmt.Errorf("looking for what is left of revisions of BundleDeployment %q: %w", owner.Name, err)
		}
		selector = selector.Add(*others)
	}
	options := metav1.ListOptions{LabelSelector: selector.String(), Limit: orphanLimit}
	complete := map[string]bool{} // whether a revision has an index, keyed by number
	used := partNames(owner, stored)
	for {
		page, err := r.secrets.List(ctx, options)
		if err != nil {
			return fmt.Errorf("looking for what is left of revisions of BundleDeployment %q: %w", owner.Name, err)
		}
		for i := range page.Items {
			if !isOwnedBy(&page.Items[i], owner) {
				continue // of an earlier BundleDeployment with this name; Kubernetes' garbage collector deletes it
			}
			if used.Has(page.Items[i].Name) {
				continue // Load finds parts by their names, so that a part whose label another client has changed is still used
			}
			number := page.Items[i].Labels[LabelNumber]
			if _, isKnown := complete[number]; !isKnown {
				if complete[number], err = r.hasIndex(ctx, owner, number); err != nil {
					return fmt.Errorf("looking for what is left of revisions of BundleDeployment %q: %w", owner.Name, err)
				}
			}
			if complete[number] {
				continue
			}
			options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(page.Items[i].UID))}
			if err := r.secrets.Delete(ctx, page.Items[i].Name, options); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("deleting what is left of a revision of BundleDeployment %q: Secret %q: %w", owner.Name, page.Items[i].Name, err)
			}
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return nil
		}
	}
}

// partNames returns the names of the parts of revisions.
func partNames(owner Owner, of []Header) sets.Set[string] {
	names := sets.New[string]()
	for _, each := range of {
		for i := range min(each.Parts, maxParts) {
			names.Insert(partName(owner.Name, each.Number, i))
		}
	}
	return names
}

// hasIndex reports whether the index of an owner's revision exists. number is the value of LabelNumber. hasIndex returns false if the value
// is not a number.
func (r *Revisions) hasIndex(ctx context.Context, owner Owner, number string) (bool, error) {
	parsed, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return false, nil
	}
	found, err := r.secrets.Get(ctx, indexName(owner.Name, parsed), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && isOwnedBy(found, owner), err
}

// deleteExcessParts deletes the parts that an unfinished Save left beyond the last part of a revision. Parts are saved in the order of
// their numbers, so the first missing part marks the end. They are deleted from the end, which preserves this order.
func (r *Revisions) deleteExcessParts(ctx context.Context, owner Owner, header Header) error {
	var behind []*corev1.Secret
	for i := header.Parts; i < maxParts; i++ {
		found, err := r.secrets.Get(ctx, partName(owner.Name, header.Number, i), metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && found.Type != SecretType {
			break
		}
		if err != nil {
			return fmt.Errorf("saving revision %d of BundleDeployment %q: looking for what an unfinished one has left: %w", header.Number, owner.Name, err)
		}
		found.Data = nil
		behind = append(behind, found)
	}
	for _, each := range slices.Backward(behind) {
		options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(each.UID))}
		if err := r.secrets.Delete(ctx, each.Name, options); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("saving revision %d of BundleDeployment %q: deleting Secret %q, which an unfinished one has left: %w", header.Number, owner.Name, each.Name, err)
		}
	}
	return nil
}
