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
)

// orphanLimit bounds one answer of the API server when parts are listed, which come with what they hold: 4 MiB at most.
const orphanLimit = 4

// Clear deletes the parts of an owner's revisions that have no index: those of a Save or a Delete in which a process was
// killed, and those whose index was deleted. Nothing else names them. The revisions are all that List gives, and those
// that were saved since. No Save of the same owner may be under way.
func (r *Revisions) Clear(ctx context.Context, owner Owner, stored []Header) error {
	selector := labels.SelectorFromSet(labels.Set{LabelDeployment: owner.Name, LabelRole: rolePart})
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
	for {
		page, err := r.secrets.List(ctx, options)
		if err != nil {
			return fmt.Errorf("looking for what is left of revisions of BundleDeployment %q: %w", owner.Name, err)
		}
		for i := range page.Items {
			if !belongs(&page.Items[i], owner) {
				continue // of an earlier BundleDeployment of this name: the garbage collector's
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

// cutOff deletes what an unfinished Save of more parts has left behind the last one of a revision. Parts are saved in the
// order of their numbers, so that the first one that is missing is the end; they go from there, so that this stays so.
func (r *Revisions) cutOff(ctx context.Context, owner Owner, header Header) error {
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
