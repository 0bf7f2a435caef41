package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// fingerprint identifies the content of an immutable Secret: the same UID means the same content.
type fingerprint struct {
	uid types.UID
	// digest is the SHA-256 digest of the Secret's part of the revision.
	digest [sha256.Size]byte
}

// remember records that a Secret has the content that belongs to the revision. It ignores a mutable Secret, whose content may change under
// the same UID.
func (r *Revisions) remember(owner Owner, secret *corev1.Secret) {
	if !isImmutable(secret) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[types.UID]map[string]fingerprint{}
	}
	if r.known[owner.UID] == nil {
		r.known[owner.UID] = map[string]fingerprint{}
	}
	r.known[owner.UID][secret.Name] = fingerprint{secret.UID, sha256.Sum256(secret.Data[keyObject])}
}

func (r *Revisions) forget(owner Owner, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known[owner.UID], secret)
}

func (r *Revisions) fingerprint(owner Owner, secret string) (fingerprint, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, isKnown := r.known[owner.UID][secret]
	return found, isKnown
}

// Forget removes what is remembered about the Secrets of an owner that was deleted.
func (r *Revisions) Forget(owner types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, owner)
}

// Verify returns an error if a Secret of a revision is missing, was changed, is mutable, or lacks the labels by which it is listed and
// watched. IsUnusable reports whether the error is permanent. Verify reads the Secrets whose metadata differs or is not known, one at a
// time. It loads the whole revision only if it reads a part with which it cannot compare an earlier digest.
func (r *Revisions) Verify(ctx context.Context, owner Owner, header Header) error {
	isComparable := true
	for i := range 1 + min(header.Parts, maxParts) {
		name, role := indexName(owner.Name, header.Number), RoleIndex
		if i > 0 {
			name, role = partName(owner.Name, header.Number, i-1), RolePart
		}
		wanted := labels.SelectorFromSet(labelsOf(owner, header.Number, role))
		if r.isUnchanged(owner, name, wanted) {
			continue
		}
		secret, err := r.secrets.Get(ctx, name, metav1.GetOptions{})
		if err == nil && (!isOwnedBy(secret, owner) || !wanted.Matches(labels.Set(secret.Labels))) {
			err = fmt.Errorf("%w: Secret %q has other labels or another owner", errCorrupt, name)
		}
		if err == nil && !isImmutable(secret) {
			err = fmt.Errorf("%w: Secret %q is not immutable", errCorrupt, name)
		}
		before, isKnown := r.fingerprint(owner, name)
		if err == nil && (role == RoleIndex && !isIndexOf(secret, header) ||
			role == RolePart && isKnown && before.digest != sha256.Sum256(secret.Data[keyObject])) {
			err = fmt.Errorf("%w: Secret %q has other content", errCorrupt, name)
		}
		if err != nil {
			return fmt.Errorf("reading revision %d of BundleDeployment %q: %w", header.Number, owner.Name, err)
		}
		if role == RolePart && !isKnown {
			isComparable = false
			continue
		}
		r.remember(owner, secret)
	}
	if isComparable {
		return nil
	}
	_, err := r.Load(ctx, owner, header)
	return err
}

// isUnchanged reports whether, according to the watched metadata, a Secret is still the one that was written or read, with its labels and
// its owner. If the watch is behind, that does no harm, because a later change causes another event.
func (r *Revisions) isUnchanged(owner Owner, name string, wanted labels.Selector) bool {
	before, isKnown := r.fingerprint(owner, name)
	if r.metadata == nil || !isKnown || before.uid == "" {
		return false
	}
	cached, exists, err := r.metadata.GetByKey(cache.NewObjectName(r.namespace, name).String())
	if err != nil || !exists {
		return false
	}
	secret, err := meta.Accessor(cached)
	return err == nil && secret.GetUID() == before.uid && wanted.Matches(labels.Set(secret.GetLabels())) && hasReferenceTo(secret, owner)
}

func isImmutable(secret *corev1.Secret) bool { return ptr.Deref(secret.Immutable, false) }

// isIndexOf reports whether an index contains a header. It does not compare what may change after the index is written: the renderer, which
// an annotation overrides, and a plan that an older manager did not record.
func isIndexOf(index *corev1.Secret, header Header) bool {
	var stored Header
	if json.Unmarshal(index.Data[keyHeader], &stored) != nil {
		return false
	}
	stored.Renderer = header.Renderer
	if stored.Plan == "" {
		stored.Plan = header.Plan
	}
	got, gotErr := json.Marshal(stored)
	want, wantErr := json.Marshal(header)
	return gotErr == nil && wantErr == nil && string(got) == string(want)
}
