package reconcile

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

type digest = [sha256.Size]byte

// objectState is the cache for one object between calls.
type objectState struct {
	// declared is the digest of what was applied last, or was found to be there: others made whatever difference there is.
	declared digest
	// live and policy are the state that was judged last, and by which drift policy. While both are the same, nothing is judged again.
	live, policy digest
	// normalized are the declared fields that were not as declared right after they were applied, with the digest of the value that they
	// had instead: the API server prunes or rewrites them, or an admission webhook changes them. While they keep that value, nobody has
	// changed them.
	normalized map[string]digest
	// standing are the changes by others that were left. drifted is true if one of them is of a declared field.
	standing []corev1alpha2.DriftRecord
	drifted  bool
	// contention counts repairs.
	contention contention
}

// isCurrent reports whether an object was judged in this very state.
func (s objectState) isCurrent(desired *object.Desired, live *livecache.Live, policy *policy) bool {
	return s.declared == desired.Digest && s.live == live.Digest && s.policy == policy.digest && live.DeletionTimestamp == nil
}

// withoutNormalized returns the differences that are not normalized fields in the value that they had.
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

// digestsOf returns the digest of the live value of each field that differs.
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

// Memory is the cache for one owner's objects between calls. After a restart it is built again without a write. It is safe for concurrent
// use.
type Memory struct {
	mu      sync.Mutex
	objects map[object.Key]objectState
	// notOwned are the install namespaces that are not the owner's. The value is whether the manager did not create it for another
	// BundleDeployment either.
	notOwned map[string]bool
	// unusable is the install namespace while nothing may be created in it; otherwise empty.
	unusable string
}

// NewMemory returns the memory of an owner of which nothing is known.
func NewMemory() *Memory {
	return &Memory{objects: map[object.Key]objectState{}, notOwned: map[string]bool{}}
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

// Keep forgets the objects that none of the sets has: an object that a later revision declares again was not deleted by others.
func (m *Memory) Keep(sets ...*object.Set) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.objects {
		wanted := false
		for _, set := range sets {
			wanted = wanted || set.Has(key)
		}
		if !wanted {
			delete(m.objects, key)
		}
	}
}
