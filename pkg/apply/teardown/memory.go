package teardown

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// Memory is the cache of one owner's removal between calls. It may be lost. It is safe for concurrent use.
type Memory struct {
	mu sync.Mutex
	// done are the objects that a removal has finished with, and why it kept them, if it did.
	done map[object.Key]string
	// deleted are the UIDs of objects that a removal deleted.
	deleted map[types.UID]bool
}

// NewMemory returns the memory of an owner of which nothing was removed.
func NewMemory() *Memory {
	return &Memory{done: map[object.Key]string{}, deleted: map[types.UID]bool{}}
}

// isDone reports whether a removal has finished with an object, and why it kept the object, if it did.
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

// maxDeleted bounds the UIDs that are remembered of one owner. A bundle has fewer objects.
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
