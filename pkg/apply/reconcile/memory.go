package reconcile

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

type digest = [sha256.Size]byte

// objectState is the state of one object that is cached between calls.
type objectState struct {
	// declared is the digest of the desired object that was last applied, or found to be applied. If it equals the digest of the current
	// desired object, every difference was made by other clients.
	declared digest
	// live is the digest of the live object that was last compared, and policy is the digest of the drift policy at that time. While both
	// are unchanged, the object is not compared again. A zero live makes the next call compare the object.
	live, policy digest
	// normalized holds the declared fields that differed right after an apply, with the digests of their live values. The API server prunes
	// or rewrites them, or an admission webhook changes them. While a field keeps its recorded value, no other client has changed it.
	normalized map[string]digest
	// standing are the changes by other clients that were not repaired. drifted is true if one of them concerns a declared field or the
	// existence of the object.
	standing []corev1alpha2.DriftRecord
	drifted  bool
	// contention holds the number of recent repairs.
	contention contention
	// version is the resourceVersion of the newest live object that was compared or written.
	version string
	// written is the time of the manager's last write, according to the managedFields of the object that was last compared or written; zero
	// if unknown.
	written metav1.Time
}

// isCurrent reports whether the object was already compared in this state and under this policy. It returns false for an object that is
// being deleted.
func (s objectState) isCurrent(desired *object.Desired, live *livecache.Live, policy *policy) bool {
	return s.declared == desired.Digest && s.live == live.Digest && s.policy == policy.digest && live.DeletionTimestamp == nil
}

// isNewerThan reports whether the cached state belongs to a newer version of the object than live. It returns false for resourceVersions
// that cannot be compared.
func (s objectState) isNewerThan(live *livecache.Live) bool {
	order, err := resourceversion.CompareResourceVersion(live.ResourceVersion, s.version)
	return err == nil && order < 0
}

// isFromBackup reports whether the cluster was restored from a backup since the state was cached. written is the time of the manager's last
// write to the live object: if it differs from the cached time, the object is from the backup. The resourceVersion does not always show
// this, because later writes, or a restore that raises the revision of etcd, can make it newer. Changes by other clients do not affect
// written.
func (s objectState) isFromBackup(written metav1.Time) bool {
	return !s.written.IsZero() && !written.IsZero() && !s.written.Equal(&written)
}

// writeTime returns the time of a field manager's last write to an object; zero if managedFields has no such entry.
func writeTime(live *unstructured.Unstructured, manager string) (last metav1.Time) {
	for _, each := range live.GetManagedFields() {
		if each.Manager == manager && each.Subresource == "" && each.Time != nil && last.Before(each.Time) {
			last = *each.Time
		}
	}
	return last
}

// withoutNormalized returns the differences, except those in normalized fields that still have their recorded value.
func (s objectState) withoutNormalized(differences []drift.Difference) []drift.Difference {
	if len(s.normalized) == 0 {
		return differences
	}
	var rest []drift.Difference
	for _, each := range differences {
		if before, normalized := s.normalized[each.Path]; !normalized || before != digestOf(each) {
			rest = append(rest, each)
		}
	}
	return rest
}

// digestsOf returns the digest of the live value of each field that differs, keyed by path; nil if there are no differences.
func digestsOf(differences []drift.Difference) map[string]digest {
	if len(differences) == 0 {
		return nil
	}
	digests := map[string]digest{}
	for _, each := range differences {
		digests[each.Path] = digestOf(each)
	}
	return digests
}

func digestOf(each drift.Difference) digest {
	encoded, err := json.Marshal([]any{each.Gone, each.Found})
	if err != nil {
		return digest{} // it was decoded from JSON, so it can be encoded
	}
	return sha256.Sum256(encoded)
}

// Memory is the cache of one owner's objects between calls. After a restart of the manager, the cache is rebuilt without any write. Memory
// is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	objects map[object.Key]objectState
	// notOwned holds the install namespaces that do not belong to the owner. The value is false if the manager created the namespace for
	// another BundleDeployment, and true if the manager did not create it.
	notOwned map[string]bool
	// foreign holds the objects that are not in the cache, but that already existed when the manager last tried to create them.
	foreign map[object.Key]bool
	// unusable is the name of the install namespace while nothing may be created in it; otherwise empty.
	unusable string
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{objects: map[object.Key]objectState{}, notOwned: map[string]bool{}, foreign: map[object.Key]bool{}}
}

func (m *Memory) state(key object.Key) (objectState, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, ok := m.objects[key]
	return state, ok
}

func (m *Memory) setState(key object.Key, state objectState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[key] = state
}

func (m *Memory) isForeign(key object.Key) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.foreign[key]
}

func (m *Memory) setForeign(key object.Key, isForeign bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if isForeign {
		m.foreign[key] = true
		return
	}
	delete(m.foreign, key)
}

// setVersion records the resourceVersion of an object after a call. It does nothing if the object has no state.
func (m *Memory) setVersion(key object.Key, live *livecache.Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if state, isKnown := m.objects[key]; isKnown {
		state.version = live.ResourceVersion
		m.objects[key] = state
	}
}

// Keep removes the objects that none of the sets contains. If a later revision declares such an object again, its absence is then not
// reported as a deletion by another client.
func (m *Memory) Keep(sets ...*object.Set) {
	m.mu.Lock()
	defer m.mu.Unlock()
	isUnwanted := func(key object.Key) bool {
		return !slices.ContainsFunc(sets, func(set *object.Set) bool { return set.Has(key) })
	}
	maps.DeleteFunc(m.objects, func(key object.Key, _ objectState) bool { return isUnwanted(key) })
	maps.DeleteFunc(m.foreign, func(key object.Key, _ bool) bool { return isUnwanted(key) })
}
