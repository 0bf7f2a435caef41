package managerversion

import "sync"

// trial is one object that has been tried.
type trial struct{ kind, name string }

// Trials knows which objects other controllers have tried, whatever came of it. It carries no data beyond that. It is safe for
// concurrent use.
type Trials struct {
	mu      sync.Mutex
	tried   map[trial]bool
	changed func()
	closed  bool
}

// NewTrials knows of none.
func NewTrials() *Trials { return &Trials{tried: map[trial]bool{}} }

// Of gives what a controller of a kind calls each time that it has tried one, with its name.
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

// tell has a function called, which must return at once, when an object is tried for the first time.
func (t *Trials) tell(changed func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = changed
}

func (t *Trials) has(each trial) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tried[each]
}

// forget ends it: nobody asks any more, and what others still tell costs nothing.
func (t *Trials) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tried, t.changed, t.closed = nil, nil, true
}
