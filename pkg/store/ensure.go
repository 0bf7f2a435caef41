package store

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// ensure creates a Secret of a revision. If a Secret with the name and the same content exists, ensure patches it, so that the content is
// never missing. If its content differs, ensure replaces it. Such a Secret remains after an unfinished Save, or from an earlier
// BundleDeployment with the same name. ensure returns an error if the existing Secret has another type.
func (r *Revisions) ensure(ctx context.Context, owner Owner, number int64, secret *corev1.Secret) error {
	created, err := r.secrets.Create(ctx, secret, metav1.CreateOptions{FieldManager: fieldManager})
	if err == nil {
		r.remember(owner, created)
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("saving a revision of BundleDeployment %q: creating Secret %q: %w", owner.Name, secret.Name, err)
	}
	found, err := r.secrets.Get(ctx, secret.Name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("saving a revision of BundleDeployment %q: reading Secret %q: %w", owner.Name, secret.Name, err)
	}
	switch {
	case found.Type != SecretType:
		return fmt.Errorf("saving a revision of BundleDeployment %q: Secret %q of type %q exists, and is not a revision of this BundleDeployment; delete it",
			owner.Name, secret.Name, found.Type)
	case !hasContentOf(found, secret) || found.DeletionTimestamp != nil:
		return r.replace(ctx, owner, number, found, secret)
	case isOwnedBy(found, owner) && labels.SelectorFromSet(secret.Labels).Matches(labels.Set(found.Labels)) && isImmutable(found) &&
		rendererOf(found) == rendererOf(secret):
		r.remember(owner, found)
		return nil
	}
	return r.patch(ctx, owner, found, secret)
}

// patch sets the labels, the owner, the renderer and immutability of an existing Secret, if nobody has changed it since it was read.
func (r *Revisions) patch(ctx context.Context, owner Owner, found, wanted *corev1.Secret) error {
	metadata := map[string]any{"uid": found.UID, "resourceVersion": found.ResourceVersion, "labels": wanted.Labels}
	if !isOwnedBy(found, owner) {
		metadata["ownerReferences"] = wanted.OwnerReferences
	}
	if renderer := rendererOf(wanted); renderer != rendererOf(found) {
		metadata["annotations"] = map[string]string{annotationRenderer: renderer}
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata, "immutable": true})
	if err != nil {
		return fmt.Errorf("saving a revision of BundleDeployment %q: patching Secret %q: %w", owner.Name, wanted.Name, err)
	}
	patched, err := r.secrets.Patch(ctx, wanted.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("saving a revision of BundleDeployment %q: patching Secret %q: %w", owner.Name, wanted.Name, err)
	}
	r.remember(owner, patched)
	return nil
}

// replace replaces a Secret by one with other content. It deletes the index first, because the revision is incomplete meanwhile.
func (r *Revisions) replace(ctx context.Context, owner Owner, number int64, found, wanted *corev1.Secret) error {
	if index := indexName(owner.Name, number); wanted.Name != index {
		if err := r.deleteSecret(ctx, owner, index); err != nil {
			return fmt.Errorf("saving a revision of BundleDeployment %q: deleting Secret %q: %w", owner.Name, index, err)
		}
		r.forget(owner, index)
	}
	options := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(found.UID))}
	if err := r.secrets.Delete(ctx, wanted.Name, options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("saving a revision of BundleDeployment %q: replacing Secret %q: %w", owner.Name, wanted.Name, err)
	}
	created, err := r.secrets.Create(ctx, wanted, metav1.CreateOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("saving a revision of BundleDeployment %q: creating Secret %q: %w", owner.Name, wanted.Name, err)
	}
	r.remember(owner, created)
	return nil
}

// hasContentOf reports whether an existing Secret has the content of another. The renderer in an index may differ, because an annotation
// overrides it.
func hasContentOf(found, wanted *corev1.Secret) bool {
	if equalData(found.Data, wanted.Data) {
		return true
	}
	var header Header
	return len(found.Data) == 1 && json.Unmarshal(wanted.Data[keyHeader], &header) == nil && isIndexOf(found, header)
}

// rendererOf returns the renderer that an index records. It returns an empty string for a part.
func rendererOf(secret *corev1.Secret) string {
	if renderer, ok := secret.Annotations[annotationRenderer]; ok {
		return renderer
	}
	var header Header
	if json.Unmarshal(secret.Data[keyHeader], &header) != nil {
		return ""
	}
	return header.Renderer
}
