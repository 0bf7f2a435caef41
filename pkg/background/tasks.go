// Package background runs the tasks that controllers start outside of their syncs, such as fetching an image or reading a catalog, so that
// a caller can wait until none is running. It does not know what the tasks do.
package background

import (
	"context"
	"fmt"
	"sync"
)

// Tasks are the background tasks of one manager. The type does not use a sync.WaitGroup, because tasks may start while a caller waits, and
// Wait must return when its context ends. The zero value is ready for use. It is safe for concurrent use.
type Tasks struct {
	// Await is true if Go runs each task to its end before it returns. It must not change after the first call of Go.
	Await bool

	mu      sync.Mutex
	running int
	// idle is closed when the last task ends. It is nil if no caller waits.
	idle chan struct{}
}

// Go runs a task in a goroutine, or with Await in the caller's. The caller must not hold a lock that the task needs.
func (t *Tasks) Go(task func()) {
	if t.Await {
		task()
		return
	}
	t.mu.Lock()
	t.running++
	t.mu.Unlock()
	go func() {
		defer t.end()
		task()
	}()
}

func (t *Tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running--; t.running == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// Wait returns when no task is running, including tasks that other tasks started. It returns an error if the context ends first.
func (t *Tasks) Wait(ctx context.Context) error {
	t.mu.Lock()
	if t.running == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.idle == nil {
		t.idle = make(chan struct{})
	}
	running, idle := t.running, t.idle
	t.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for %d background tasks: %w", running, context.Cause(ctx))
	}
}
