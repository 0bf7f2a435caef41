package reconcile

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

// create creates an object by POST. If the object already exists although it is not in the cache, create reads and returns it, and created
// is false. Such an object has a different owner or has lost its labels, or the cache is out of date.
func (r *reconciliation) create(ctx context.Context) (live *livecache.Live, created bool, err error) {
	if r.desired.IsInstallNamespace || r.options.Memory.isForeign(r.desired.Key) {
		// A namespace usually exists, and so does an object that has another owner; reading it first saves a write that would be refused.
		found, err := r.writer.get(ctx)
		if err == nil {
			live, err = livecache.NewLive(found)
			return live, false, err
		}
		if !apierrors.IsNotFound(err) {
			return nil, false, object.WriteError("reading", r.desired.Key, err)
		}
	}
	if err := r.confirm(ctx); err != nil {
		return nil, false, err
	}
	posted, err := r.writer.create(ctx, r.desired.Object())
	r.options.Memory.setForeign(r.desired.Key, apierrors.IsAlreadyExists(err))
	if err == nil {
		live, err = r.remember(posted)
		return live, true, err
	}
	if !apierrors.IsAlreadyExists(err) {
		if apierrors.IsNotFound(err) {
			r.options.Memory.forgetNamespace(r.desired.Key.Namespace)
		}
		return nil, false, object.WriteError("creating", r.desired.Key, err)
	}
	found, err := r.writer.get(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("reading %s, which is said to exist: %w", r.desired.Key, err)
	}
	live, err = livecache.NewLive(found)
	return live, false, err
}

// confirm returns an error if the object must not be written, because the owner is not as the options say.
func (r *reconciliation) confirm(ctx context.Context) error {
	if r.options.Confirm == nil {
		return nil
	}
	return r.options.Confirm(ctx)
}

// attempts is the maximum number of attempts to make a change that conflicts with other writers. The usual cause is the object's own
// controller, because its status update changes the resourceVersion.
const attempts = 3

// writeResult is the result of a write.
type writeResult struct {
	// written is true if the write changed the object.
	written bool
	// repaired is true if the write changed more than the managedFields of the object.
	repaired bool
}

// change applies the declared object to a live object of the owner. It makes at most attempts attempts, and sets Live, Updated and Err of
// the result.
func (r *reconciliation) change(ctx context.Context) writeResult {
	var did writeResult
	for range attempts {
		r.result.Live, did, r.result.Err = r.changeOnce(ctx)
		if !apierrors.IsConflict(r.result.Err) {
			break
		}
	}
	r.result.Updated = did.written
	return did
}

// changeOnce reads the live object and applies the declared object to it. It reads the object first, because the cache may be out of date
// and does not hold all managedFields.
func (r *reconciliation) changeOnce(ctx context.Context) (*livecache.Live, writeResult, error) {
	live, err := r.read(ctx)
	if err != nil {
		return nil, writeResult{}, err
	}
	if !r.options.Claim.Owns(live) || live.GetDeletionTimestamp() != nil {
		return nil, writeResult{}, object.WaitFor("the owner of %s is changing; the manager checks the object again", r.desired.Key)
	}
	version := live.GetResourceVersion()
	declared := r.withIgnored(live)
	if len(r.policy.ignored(r.desired.Key)) > 0 {
		declared.SetResourceVersion(version) // others may be writing the ignored fields
	}
	if err := r.confirm(ctx); err != nil {
		return nil, writeResult{}, err
	}
	after, before, err := r.writer.write(ctx, declared, live)
	if err != nil {
		return nil, writeResult{}, err
	}
	did := writeResult{written: after.GetResourceVersion() != version, repaired: !sameContent(before, after)}
	kept, err := r.remember(after)
	return kept, did, err
}

// read reads the live object, unless readCurrent has just read it. If the object does not exist, read drops its last response from the
// cache and returns a WaitError.
func (r *reconciliation) read(ctx context.Context) (*unstructured.Unstructured, error) {
	if live := r.current; live != nil {
		r.current = nil
		return live, nil
	}
	live, err := r.writer.get(ctx)
	if apierrors.IsNotFound(err) {
		r.cache.Forget(r.desired.Key)
		return nil, object.WaitFor("%s was deleted just now; it is created again", r.desired.Key)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", r.desired.Key, err)
	}
	return live, nil
}

// withIgnored returns the declared object, but with the live values in the ignored fields.
func (r *reconciliation) withIgnored(live *unstructured.Unstructured) *unstructured.Unstructured {
	comparison := drift.Comparison{Manager: r.options.Claim.Owner.Manager(), Ignored: r.policy.ignored(r.desired.Key)}
	return comparison.WithLive(r.desired.Object(), live)
}

// remember stores the API server's response to a write in the cache, and records in Memory that the object is as declared. Fields that
// differ in the response are stored as normalized.
func (r *reconciliation) remember(answer *unstructured.Unstructured) (*livecache.Live, error) {
	live, err := r.cache.Remember(answer)
	if err != nil {
		return nil, err
	}
	before, _ := r.options.Memory.state(r.desired.Key)
	after := objectState{
		declared: r.desired.Digest, policy: r.policy.digest, live: live.Digest, contention: before.contention,
		written: writeTime(answer, r.options.Claim.Owner.Manager()),
	}
	declared, comparison := r.desired.Object(), r.comparison()
	comparison.Trust = drift.WrittenNow
	after.normalized = digestsOf(comparison.Differences(declared, answer))
	if r.policy.additions != corev1alpha2.AdditionsIgnore {
		if added := comparison.Additions(declared, answer); len(added) > 0 && r.policy.additions == corev1alpha2.AdditionsRemove {
			after.live = digest{} // the additions are removed after the watch has delivered this state
		} else {
			after.standing = recordsOf(recordedChange{r.desired.Key, corev1alpha2.DriftAdded, corev1alpha2.DriftReported}, changesOf(added), before.standing, r.options.Clock.Now())
		}
	}
	r.options.Memory.setState(r.desired.Key, after)
	return live, nil
}

// sameContent reports whether two versions of an object differ at most in their managedFields and resourceVersion. A write with this result
// is no repair: after a POST, the first apply adds managedFields for declared fields that the API server drops, such as a field that is
// false by default.
func sameContent(before, after *unstructured.Unstructured) bool {
	if before.GetResourceVersion() == after.GetResourceVersion() {
		return true
	}
	return reflect.DeepEqual(withoutManagedFields(before), withoutManagedFields(after))
}

func withoutManagedFields(live *unstructured.Unstructured) map[string]any {
	content := maps.Clone(live.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		delete(metadata, "resourceVersion")
		content["metadata"] = metadata
	}
	return content
}
