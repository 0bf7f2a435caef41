package managerversion

import "sync"

// trial is one reconciled object.
type trial struct{ kind, name string }

// Trials records which objects other controllers have reconciled, with any result. It is safe for concurrent use.
type Trials struct {
	mu      sync.Mutex
	tried   map[trial]bool
	changed func()
	closed  bool
}

// NewTrials returns Trials without a record.
func NewTrials() *Trials { return &Trials{tried: map[trial]bool{}} }

// Of returns the function that a kind's controller calls with the name of each reconciled object.
func (t *Trials) Of(kind string) func(name string) {
	return func(name string) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if each := (trial{kind, name}); !t.closed && !t.tried[each] {
			t.tried[each] = true
			if t.changed != nil {
				t.changed()
			}
		}
	}
}

// onTrial sets a function to call when an object is reconciled for the first time, which must not block.
func (t *Trials) onTrial(changed func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = changed
}

func (t *Trials) has(each trial) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tried[each]
}

// stop ends recording when the records are no longer used.
func (t *Trials) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried, t.changed, t.closed = nil, nil, true
}
