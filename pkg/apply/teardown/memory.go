package teardown

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// Memory is the cache of one owner's removal between calls. If it is lost, the removal reads the objects again. It is safe for concurrent
// use.
type Memory struct {
	mu sync.Mutex
	// done holds the objects that a removal has finished. The value is the reason why the removal kept the object; empty if it did not keep
	// it.
	done map[object.Key]string
	// deleted holds the UIDs of objects that a removal deleted.
	deleted map[types.UID]bool
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{done: map[object.Key]string{}, deleted: map[types.UID]bool{}}
}

// isDone reports whether a removal has finished an object. kept is the reason why the removal kept it; empty if it did not keep it.
func (m *Memory) isDone(key object.Key) (kept string, done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, done = m.done[key]
	return kept, done
}

func (m *Memory) setDone(key object.Key, kept string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[key] = kept
}

// maxDeleted is the maximum number of UIDs of deleted objects that are cached for one owner. A bundle has fewer objects. When the cache is
// full, it is cleared.
const maxDeleted = 30_000

// wasDeleted reports whether a removal deleted the object with this UID for the owner.
func (m *Memory) wasDeleted(uid types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.deleted[uid]
}

func (m *Memory) setDeleted(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.deleted) >= maxDeleted {
		clear(m.deleted)
	}
	m.deleted[uid] = true
}
