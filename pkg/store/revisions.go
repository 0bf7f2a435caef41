package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// SecretType is the type of the Secrets that store revisions.
	SecretType corev1.SecretType = corev1alpha2.GroupName + "/revision"
	// LabelDeployment is the key of the label with the name of the BundleDeployment that a stored revision belongs to.
	LabelDeployment = corev1alpha2.GroupName + "/revision-of"
	// LabelNumber is the key of the label with the number of the revision.
	LabelNumber = corev1alpha2.GroupName + "/revision-number"
	// LabelRole is the key of a label with the value RoleIndex on the Secret that makes a revision complete, and RolePart on the Secrets that
	// hold its objects.
	LabelRole           = corev1alpha2.GroupName + "/revision-role"
	RoleIndex, RolePart = "index", "part"
	// RolePlan is the value of LabelRole on the ConfigMaps with the plan of a revision.
	RolePlan = "plan"

	// annotationRenderer on an index overrides the header's Renderer, which is immutable.
	annotationRenderer = corev1alpha2.GroupName + "/revision-renderer"

	keyHeader, keyObject = "header.json", "objects.jsonl.gz.part"

	fieldManager = "platform-operators-revisions"
	// listLimit is the page size for lists of revisions.
	listLimit = 100
)

// Owner is the BundleDeployment that revisions belong to. The UID distinguishes it from a deleted BundleDeployment with the same name.
type Owner struct {
	Name string
	UID  types.UID
}

// Revisions stores numbered revisions in Secrets of one namespace. It does not use ConfigMaps, because rendered objects may include
// Secrets. The objects are split into as many immutable parts as necessary. The index is written last and deleted first, so that a revision
// with an index is complete.
//
// A Revisions remembers which Secrets it has written and read, so that Verify reads only those that others may have changed.
type Revisions struct {
	secrets corev1client.SecretInterface
	// partBytes is the size of one Secret's data.
	partBytes int
	// metadata holds the metadata of the Secrets, keyed by namespace and name; nil before Watch is called. namespace is the namespace of
	// the Secrets.
	metadata  cache.KeyGetter
	namespace string

	mu sync.Mutex
	// known holds the fingerprints of the Secrets that this Revisions has written or read, keyed by the UID of the owner and the name of
	// the Secret.
	known map[types.UID]map[string]fingerprint
}

// NewRevisions returns a Revisions whose Secrets are in the namespace of the client.
func NewRevisions(secrets corev1client.SecretInterface) *Revisions {
	return &Revisions{secrets: secrets, partBytes: partBytes}
}

// List returns the headers of an owner's complete revisions, oldest first.
func (r *Revisions) List(ctx context.Context, owner Owner) ([]Header, error) {
	selector := labels.Set{LabelDeployment: owner.Name, LabelRole: RoleIndex}.String()
	options := metav1.ListOptions{LabelSelector: selector, Limit: listLimit}
	var headers []Header
	for {
		page, err := r.secrets.List(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("listing the stored revisions of BundleDeployment %q: %w", owner.Name, err)
		}
		for i := range page.Items {
			var header Header
			if !isOwnedBy(&page.Items[i], owner) || json.Unmarshal(page.Items[i].Data[keyHeader], &header) != nil {
				continue // of an earlier BundleDeployment with this name, or not written by us: ignored
			}
			if renderer, ok := page.Items[i].Annotations[annotationRenderer]; ok {
				header.Renderer = renderer
			}
			r.remember(owner, &page.Items[i])
			headers = append(headers, header)
		}
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
	}
	slices.SortFunc(headers, func(a, b Header) int { return int(a.Number - b.Number) })
	return headers, nil
}

// Load returns a revision with its objects, after comparing them with its digest. IsUnusable reports whether an error is permanent.
func (r *Revisions) Load(ctx context.Context, owner Owner, header Header) (*Revision, error) {
	if header.Parts < 0 || header.Parts > maxParts {
		return nil, fmt.Errorf("loading revision %d of BundleDeployment %q: %w: it says it has %d parts", header.Number, owner.Name, errCorrupt, header.Parts)
	}
	parts, secrets := make([][]byte, 0, header.Parts), make([]*corev1.Secret, 0, header.Parts)
	for i := range header.Parts {
		secret, err := r.secrets.Get(ctx, partName(owner.Name, header.Number, i), metav1.GetOptions{})
		if err == nil && !isOwnedBy(secret, owner) {
			err = fmt.Errorf("%w: Secret %q is not a revision of this BundleDeployment", errCorrupt, secret.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("loading revision %d of BundleDeployment %q: %w", header.Number, owner.Name, err)
		}
		parts, secrets = append(parts, secret.Data[keyObject]), append(secrets, secret)
	}
	revision, err := decode(header, parts)
	if err != nil {
		return nil, fmt.Errorf("loading revision %d of BundleDeployment %q: %w", header.Number, owner.Name, err)
	}
	for _, each := range secrets {
		r.remember(owner, each)
	}
	return revision, nil
}

// IsUnusable reports whether a stored revision is lost: a part is missing or differs from the saved one. The caller must render it again.
func IsUnusable(err error) bool { return errors.Is(err, errCorrupt) || apierrors.IsNotFound(err) }

// Save stores a revision under its number and sets its Digest, Parts and Bytes. It replaces what remains of an unfinished Save. Saving the
// same revision again writes nothing.
func (r *Revisions) Save(ctx context.Context, owner Owner, revision *Revision) error {
	parts, err := encode(revision, r.partBytes)
	if err != nil {
		return fmt.Errorf("saving revision %d of BundleDeployment %q: %w", revision.Number, owner.Name, err)
	}
	for i, part := range parts {
		secret := newSecret(owner, partName(owner.Name, revision.Number, i), revision.Number, RolePart, part)
		if err := r.ensure(ctx, owner, revision.Number, secret); err != nil {
			return err
		}
	}
	if err := r.deleteExcessParts(ctx, owner, revision.Header); err != nil {
		return err
	}
	header, err := json.Marshal(revision.Header)
	if err != nil {
		return fmt.Errorf("saving revision %d of BundleDeployment %q: %w", revision.Number, owner.Name, err)
	}
	index := newSecret(owner, indexName(owner.Name, revision.Number), revision.Number, RoleIndex, header)
	return r.ensure(ctx, owner, revision.Number, index)
}

// MarkRenderer records that a different renderer renders a revision to the same objects. It also sets header.Renderer.
func (r *Revisions) MarkRenderer(ctx context.Context, owner Owner, header *Header, renderer string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{annotationRenderer: renderer}}})
	if err != nil {
		return fmt.Errorf("marking revision %d of BundleDeployment %q: %w", header.Number, owner.Name, err)
	}
	_, err = r.secrets.Patch(ctx, indexName(owner.Name, header.Number), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("marking revision %d of BundleDeployment %q: %w", header.Number, owner.Name, err)
	}
	header.Renderer = renderer
	return nil
}

// Delete deletes a revision, its index first. Missing Secrets are ignored; CollectGarbage deletes what a crash leaves.
func (r *Revisions) Delete(ctx context.Context, owner Owner, header Header) error {
	names := []string{indexName(owner.Name, header.Number)}
	for i := min(header.Parts, maxParts) - 1; i >= 0; i-- { // from the end, as deleteExcessParts requires
		names = append(names, partName(owner.Name, header.Number, i))
	}
	for _, name := range names {
		if err := r.deleteSecret(ctx, owner, name); err != nil {
			return fmt.Errorf("deleting revision %d of BundleDeployment %q: deleting Secret %q: %w", header.Number, owner.Name, name, err)
		}
		r.forget(owner, name)
	}
	return nil
}

// deleteSecret deletes a Secret of the owner, or a Secret without owner references, as restoring a backup leaves it. It keeps the Secret of
// a later BundleDeployment with the same name, even if that Secret is created between the Get and the Delete.
func (r *Revisions) deleteSecret(ctx context.Context, owner Owner, name string) error {
	found, err := r.secrets.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if isUnowned := found.Type == SecretType && len(found.OwnerReferences) == 0; !isOwnedBy(found, owner) && !isUnowned {
		return nil
	}
	// 409 Conflict is an error: the Secret was replaced, and the next attempt reads the new owner.
	err = r.secrets.Delete(ctx, name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(found.UID))})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// newSecret returns one Secret of a revision, with its data under the key of its role.
func newSecret(owner Owner, name string, number int64, role string, data []byte) *corev1.Secret {
	key := keyObject
	if role == RoleIndex {
		key = keyHeader
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: labelsOf(owner, number, role),
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: corev1alpha2.SchemeGroupVersion.String(),
				Kind:       corev1alpha2.OwnerKindBundleDeployment,
				Name:       owner.Name,
				UID:        owner.UID,
			}},
		},
		Type:      SecretType,
		Immutable: ptr.To(true),
		Data:      map[string][]byte{key: data},
	}
}

func labelsOf(owner Owner, number int64, role string) labels.Set {
	return labels.Set{LabelDeployment: owner.Name, LabelNumber: strconv.FormatInt(number, 10), LabelRole: role}
}

func isOwnedBy(secret *corev1.Secret, owner Owner) bool {
	return secret.Type == SecretType && hasReferenceTo(secret, owner)
}

func hasReferenceTo(secret metav1.Object, owner Owner) bool {
	return slices.ContainsFunc(secret.GetOwnerReferences(), func(each metav1.OwnerReference) bool { return each.UID == owner.UID })
}

func equalData(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || string(other) != string(value) {
			return false
		}
	}
	return true
}

// indexName returns the name of a revision's index. An index ends in "r" and the revision's number, a part in "p" and the part's number, so
// that names are unique for any BundleDeployment name, including names with dots.
func indexName(deployment string, number int64) string {
	return fmt.Sprintf("revision.%s.r%d", deployment, number)
}

func partName(deployment string, number int64, part int) string {
	return fmt.Sprintf("%s.p%d", indexName(deployment, number), part)
}
