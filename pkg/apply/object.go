package apply

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// cleanState is a state of a live object that was found to be as declared.
type cleanState struct {
	// declared is the digest of what was declared then.
	declared [sha256.Size]byte
	// version is the object's resourceVersion: while it stands nothing has to be looked at.
	version string
	// live is set when only the API server could tell: it digests the state that an apply did not change, so that status
	// updates do not lead to one apply each.
	live [sha256.Size]byte
}

// worker brings the objects of one kind to where they should be.
type worker struct {
	*Engine
	place
	owner   Owner
	memory  *memory
	options Options
}

// bring creates an object that is missing, changes one that is not as declared, and leaves alone what is as declared or is
// not the owner's.
func (w worker) bring(ctx context.Context, entry *item) outcome {
	result := outcome{item: entry}
	if entry.given && w.memory.isGiven(entry.key.Name) {
		result.live = entry.object
		return result
	}
	if w.namespaced != (entry.key.Namespace != "") {
		result.err = &Refusal{Object: entry.key, Err: fmt.Errorf("its kind being namespaced is %v, and its namespace is %q", w.namespaced, entry.key.Namespace), Remedy: "the bundle has to be corrected"}
		return result
	}
	live := w.cache.get(entry.key)
	if live == nil && w.options.ReadOnly {
		return result
	}
	if live == nil {
		live, result.created, result.err = w.create(ctx, entry)
		if result.err != nil || result.created || live == nil {
			result.live = live
			return result
		}
	}
	if live.GetDeletionTimestamp() != nil {
		result.err = waitFor("%s is being deleted; it is created again when it is gone", entry.key)
		return result
	}
	result.live = live
	switch holding := holdingOf(live, w.owner); {
	case !holding.mine && entry.given:
		w.memory.setGiven(entry.key.Name, true)
	case holding.orphaned && !w.options.ReadOnly:
		result.live, result.err = w.adopt(ctx, entry, live)
		result.updated = result.err == nil
	case !holding.mine && !holding.orphaned:
		result.err = foreign(entry.key, holding.holder)
	case !w.asDeclared(entry, live) && !w.options.ReadOnly:
		result.live, result.updated, result.err = w.change(ctx, entry)
	}
	return result
}

// create posts an object. One that exists already, and was not in the cache, is read: it is somebody else's, or has lost
// its labels, or the cache is behind.
func (w worker) create(ctx context.Context, entry *item) (live *unstructured.Unstructured, created bool, err error) {
	client := w.client(entry.key)
	if entry.given {
		// A namespace mostly exists; asking first saves a write that would be refused.
		if live, err = client.Get(ctx, entry.key.Name, metav1.GetOptions{}); err == nil || !apierrors.IsNotFound(err) {
			return live, false, writeError("reading", entry.key, err)
		}
	}
	live, err = client.Create(ctx, entry.object, metav1.CreateOptions{FieldManager: w.owner.Manager()})
	if err == nil {
		live = w.cache.remember(live)
		w.remember(entry, live)
		return live, true, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		if apierrors.IsNotFound(err) {
			w.memory.setGiven(entry.key.Namespace, false)
		}
		return nil, false, writeError("creating", entry.key, err)
	}
	live, err = client.Get(ctx, entry.key.Name, metav1.GetOptions{})
	if err != nil {
		return nil, false, fmt.Errorf("reading %s, which is said to exist: %w", entry.key, err)
	}
	return live, false, nil
}

// asDeclared says whether nothing has to be sent for an object.
func (w worker) asDeclared(entry *item, live *unstructured.Unstructured) bool {
	if isCRD(entry.key.GroupKind) && live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != "" {
		return false // it was taken up again, and the mark has to go
	}
	last, remembered := w.memory.cleanOf(entry.key)
	known := remembered && last.declared == entry.digest
	if known && last.version == live.GetResourceVersion() {
		return true
	}
	compare := comparison{manager: w.owner.Manager(), trusted: known || w.options.Trusted && !remembered}
	if compare.settled(entry.object, live) {
		last = cleanState{declared: entry.digest, version: live.GetResourceVersion()}
		w.memory.markClean(entry.key, last)
		return true
	}
	if known && last.live != [sha256.Size]byte{} && last.live == liveDigest(live) {
		last.version = live.GetResourceVersion()
		w.memory.markClean(entry.key, last)
		return true
	}
	return false
}

// attempts is how often a change is tried when others write the object at the same moment: mostly its own controller,
// whose status update is enough to make the record of field managers outdated.
const attempts = 3

// change applies what was declared to an object that is the owner's.
func (w worker) change(ctx context.Context, entry *item) (live *unstructured.Unstructured, changed bool, err error) {
	for range attempts {
		live, changed, err = w.changeOnce(ctx, entry)
		if !apierrors.IsConflict(err) {
			break
		}
	}
	return live, changed, err
}

// changeOnce reads the object first, because the cache keeps neither the whole record of field managers nor a promise to
// be up to date.
func (w worker) changeOnce(ctx context.Context, entry *item) (*unstructured.Unstructured, bool, error) {
	live, err := w.client(entry.key).Get(ctx, entry.key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		w.cache.forget(entry.key)
		return nil, false, waitFor("%s was deleted just now; it is created again", entry.key)
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", entry.key, err)
	}
	if holding := holdingOf(live, w.owner); !holding.mine || live.GetDeletionTimestamp() != nil {
		return nil, false, waitFor("%s is changing hands; it is looked at again", entry.key)
	}
	before := live.GetResourceVersion()
	after, err := w.apply(ctx, entry, live)
	if err != nil {
		return nil, false, err
	}
	after = w.cache.remember(after)
	w.remember(entry, after)
	return after, after.GetResourceVersion() != before, nil
}

// apply applies what was declared by server-side apply, and by PUT where that cannot do it.
func (w worker) apply(ctx context.Context, entry *item, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live.GetAnnotations()[platformv1alpha1.AnnotationOrphanedFrom] != "" && isCRD(entry.key.GroupKind) {
		return w.put(ctx, entry, live, true)
	}
	live, err := w.takeOver(ctx, entry, live)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(entry.object.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", entry.key, err)
	}
	after, err := w.client(entry.key).Patch(ctx, entry.key.Name, types.ApplyPatchType, encoded,
		metav1.PatchOptions{FieldManager: w.owner.Manager(), Force: ptr.To(true)})
	switch {
	case err == nil:
		return after, nil
	case strings.Contains(err.Error(), "duplicate entries for key"):
		// Server-side apply takes no list with two equal keys, which POST and PUT do, and which bundles have.
		return w.put(ctx, entry, live, false)
	case apierrors.IsInvalid(err):
		// A default that nobody owns may stand against what is declared: a Deployment that moves to Recreate keeps the
		// rollingUpdate parameters that the API server once filled in. Only writing the object as a whole ends that.
		if after, putErr := w.put(ctx, entry, live, true); putErr == nil {
			return after, nil
		}
	}
	return nil, writeError("applying", entry.key, err)
}

// takeOver turns what the owner's creation by POST recorded into what an apply would have recorded. Without it fields that
// are no longer declared would stay for ever, because the creation still holds them.
func (w worker) takeOver(ctx context.Context, entry *item, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager := w.owner.Manager()
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(manager), manager)
	if err != nil {
		return nil, fmt.Errorf("reading the record of field managers of %s: %w", entry.key, err)
	}
	if len(patch) == 0 {
		return live, nil
	}
	live, err = w.client(entry.key).Patch(ctx, entry.key.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: manager})
	return live, writeError("taking over", entry.key, err)
}

// put writes what was declared over an object by PUT. As a whole, everything declared at the top (spec, data, rules)
// replaces what is there; else maps are merged, and only lists are replaced. Metadata of others stays in both cases.
func (w worker) put(ctx context.Context, entry *item, live *unstructured.Unstructured, whole bool) (*unstructured.Unstructured, error) {
	wanted := live.DeepCopy()
	for name := range entry.object.Object {
		if whole && name != "metadata" {
			delete(wanted.Object, name)
		}
	}
	overlay(wanted.Object, entry.object.Object)
	annotations := wanted.GetAnnotations()
	delete(annotations, platformv1alpha1.AnnotationOrphanedFrom)
	wanted.SetAnnotations(annotations)
	var records []metav1.ManagedFieldsEntry
	for _, record := range wanted.GetManagedFields() {
		if !strings.HasPrefix(record.Manager, managerPrefix) || record.Manager == w.owner.Manager() {
			records = append(records, record) // an earlier deployment of ours has no say any more
		}
	}
	wanted.SetManagedFields(records)
	after, err := w.client(entry.key).Update(ctx, wanted, metav1.UpdateOptions{FieldManager: w.owner.Manager()})
	return after, writeError("updating", entry.key, err)
}

// adopt takes up a CustomResourceDefinition that was kept for the owner's package.
func (w worker) adopt(ctx context.Context, entry *item, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	live, err := w.client(entry.key).Get(ctx, live.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", entry.key, err)
	}
	after, err := w.put(ctx, entry, live, true)
	if err != nil {
		return nil, err
	}
	after = w.cache.remember(after)
	w.remember(entry, after)
	return after, nil
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

// remember notes that the object is as declared in this state, because the API server has just said so.
func (w worker) remember(entry *item, live *unstructured.Unstructured) {
	w.memory.markClean(entry.key, cleanState{declared: entry.digest, version: live.GetResourceVersion(), live: liveDigest(live)})
}

func (w worker) client(key Key) dynamic.ResourceInterface {
	if w.namespaced {
		return w.Engine.client.Resource(w.resource).Namespace(key.Namespace)
	}
	return w.Engine.client.Resource(w.resource)
}

func (m *memory) cleanOf(key Key) (cleanState, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, ok := m.clean[key]
	return state, ok
}

func (m *memory) markClean(key Key, state cleanState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clean[key] = state
}

func (m *memory) isGiven(namespace string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given[namespace]
}

func (m *memory) setGiven(namespace string, given bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if given {
		m.given[namespace] = true
	} else {
		delete(m.given, namespace)
	}
}
