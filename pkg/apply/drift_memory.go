package apply

import (
	"crypto/sha256"
	"encoding/json"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

type digest = [sha256.Size]byte

// objectState is what is remembered of one object between calls.
type objectState struct {
	// declared is the digest of what was applied last, or was found to be there: what is different since was changed by others.
	declared digest
	// seen and rules are the state that was judged last, and by which rules. While both stand nothing has to be looked at.
	seen, rules digest
	// odd are declared fields that were not as declared right after they were applied, with the digest of what was there
	// instead: the API server prunes them, or writes them in its own way, or somebody changes them on their way in. As long
	// as they stay so nobody has changed them since.
	odd map[string]digest
	// standing is what others changed and was left; drifted says that something declared is among it.
	standing []corev1alpha2.DriftRecord
	drifted  bool
	// fight counts repairs.
	fight fight
}

// holds says whether an object was judged in this very state.
func (s objectState) holds(entry *item, live *seen, rules *rules) bool {
	return s.declared == entry.digest && s.seen == live.digest && s.rules == rules.digest && live.DeletionTimestamp == nil
}

// news are the differences that are not odd.
func (s objectState) news(differences []drift.Difference) []drift.Difference {
	if len(s.odd) == 0 {
		return differences
	}
	var rest []drift.Difference
	for _, each := range differences {
		if before, odd := s.odd[each.Path]; !odd || before != digestOf(each) {
			rest = append(rest, each)
		}
	}
	return rest
}

func oddities(differences []drift.Difference) map[string]digest {
	if len(differences) == 0 {
		return nil
	}
	odd := map[string]digest{}
	for _, each := range differences {
		odd[each.Path] = digestOf(each)
	}
	return odd
}

func digestOf(each drift.Difference) digest {
	encoded, err := json.Marshal([]any{each.Gone, each.Found})
	if err != nil {
		return digest{} // what came as JSON can be written as JSON
	}
	return sha256.Sum256(encoded)
}

func (m *memory) stateOf(key Key) (objectState, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, ok := m.objects[key]
	return state, ok
}

func (m *memory) setState(key Key, state objectState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.objects[key] = state
}

// keep forgets the objects that none of the sets has: one that comes back in a later revision was not deleted by others.
func (m *memory) keep(sets []*Set) {
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
