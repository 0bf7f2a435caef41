package managerversion

import "sync"

// syncedObject identifies a reconciled object.
type syncedObject struct{ kind, name string }

// FirstSyncs records which objects were reconciled at least once in this process, with any result. It is safe for concurrent use.
type FirstSyncs struct {
	mu      sync.Mutex
	synced  map[syncedObject]bool
	changed func()
	closed  bool
}

// NewFirstSyncs returns an empty FirstSyncs.
func NewFirstSyncs() *FirstSyncs { return &FirstSyncs{synced: map[syncedObject]bool{}} }

// Of returns the function that the controller of a kind calls with the name of each object that it has reconciled.
func (f *FirstSyncs) Of(kind string) func(name string) {
	return func(name string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if each := (syncedObject{kind, name}); !f.closed && !f.synced[each] {
			f.synced[each] = true
			if f.changed != nil {
				f.changed()
			}
		}
	}
}

// onFirstSync sets the function that is called after the first sync of each object. The function must not block.
func (f *FirstSyncs) onFirstSync(changed func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed = changed
}

func (f *FirstSyncs) has(each syncedObject) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.synced[each]
}

// stop removes the recorded objects. Later syncs are ignored.
func (f *FirstSyncs) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.synced, f.changed, f.closed = nil, nil, true
}
