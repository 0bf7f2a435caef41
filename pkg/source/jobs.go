package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// JobsConfig is what Jobs are built from; every field is required.
type JobsConfig[W comparable, R any] struct {
	// Do does the work that a wish costs. It ends early when its context does; a panic counts as an error.
	Do func(context.Context, W) (*R, error)
	// Lane says whose slowness a wish may suffer from: the registry's host, for example. Wishes in one lane wait for one
	// another, those in different ones do not.
	Lane func(W) string
	// Done is called, from any goroutine, when there is news for whoever asked under a name.
	Done func(name string)
	// PerLane is how many wishes of one lane are worked on at once. Total is the same over all lanes; it bounds what is
	// held for them, and should be several times PerLane, so that no lane can take all of it.
	PerLane, Total int
	// Backoff is how long to wait before what failed is tried again.
	Backoff Backoff
	Clock   clock.PassiveClock
}

func (c JobsConfig[W, R]) validate() error {
	if c.Do == nil || c.Lane == nil || c.Done == nil || c.PerLane <= 0 || c.Total < c.PerLane ||
		c.Backoff.First <= 0 || c.Backoff.Last < c.Backoff.First || c.Clock == nil {
		return errors.New("building jobs: a field of their JobsConfig is not set")
	}
	return nil
}

// Answer is what is known of a wish now: a result, or an error and when it is tried again, or neither while it is worked on.
type Answer[R any] struct {
	Result *R
	Err    error
	// Retry is how long it is until the next try; 0 while one is under way. Nobody is woken up for it: ask again then.
	Retry time.Duration
}

// Jobs is the work that is wanted, one wish a name. It is safe for concurrent use.
type Jobs[W comparable, R any] struct {
	JobsConfig[W, R]
	ctx   context.Context
	total chan struct{}

	mu    sync.Mutex
	jobs  map[string]*job[W, R]
	lanes map[string]*lane
}

// job is the work for one name's wish.
type job[W comparable, R any] struct {
	wish     W
	cancel   context.CancelFunc
	running  bool
	result   *R
	err      error
	failures int
	retryAt  time.Time
}

// lane is what those who wait for the same host share; it goes with the last of them.
type lane struct {
	slots chan struct{}
	users int
}

// NewJobs makes Jobs whose work ends with the context.
func NewJobs[W comparable, R any](ctx context.Context, config JobsConfig[W, R]) (*Jobs[W, R], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Jobs[W, R]{
		JobsConfig: config, ctx: ctx, total: make(chan struct{}, config.Total),
		jobs: map[string]*job[W, R]{}, lanes: map[string]*lane{},
	}, nil
}

// Ask gives what is known of a name's wish, and sees to it that something will be. Another wish than before takes the place
// of the one before. It never blocks.
func (j *Jobs[W, R]) Ask(name string, wish W) Answer[R] {
	j.mu.Lock()
	defer j.mu.Unlock()
	current := j.jobs[name]
	if current != nil && current.wish != wish {
		current.cancel()
		current = nil
	}
	if current == nil {
		current = &job[W, R]{wish: wish, cancel: func() {}}
		j.jobs[name] = current
	}
	switch {
	case current.result != nil:
		return Answer[R]{Result: current.result}
	case current.running:
		// The error of the last try stands until the next one succeeds, so that a status does not flap.
		return Answer[R]{Err: current.err}
	}
	if wait := current.retryAt.Sub(j.Clock.Now()); current.err != nil && wait > 0 {
		return Answer[R]{Err: current.err, Retry: wait}
	}
	ctx, cancel := context.WithCancel(j.ctx)
	current.running, current.cancel = true, cancel
	go j.run(ctx, name, current)
	return Answer[R]{Err: current.err}
}

// Cancel ends and forgets a name's wish: its result is kept elsewhere, or not wanted any more.
func (j *Jobs[W, R]) Cancel(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if current := j.jobs[name]; current != nil {
		current.cancel()
		delete(j.jobs, name)
	}
}

func (j *Jobs[W, R]) run(ctx context.Context, name string, current *job[W, R]) {
	defer j.Done(name)
	var result *R
	err := Guard(fmt.Sprintf("fetching what %q wants", name), func() (err error) {
		result, err = j.inLane(ctx, current.wish)
		return err
	})
	if err == nil && result == nil {
		err = errors.New("the work ended without a result")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	current.cancel()
	current.running, current.result, current.err = false, result, err
	if err != nil {
		current.result = nil
		current.failures++
		current.retryAt = j.Clock.Now().Add(j.Backoff.After(current.failures))
	}
}

// inLane does the work when the lane, and then the whole, has a slot free. In this order nobody who waits for a slow lane
// takes a slot of the whole.
func (j *Jobs[W, R]) inLane(ctx context.Context, wish W) (*R, error) {
	name := j.Lane(wish)
	slots := j.enter(name)
	defer j.leave(name)
	for _, each := range []chan struct{}{slots, j.total} {
		select {
		case each <- struct{}{}:
			defer func() { <-each }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return j.Do(ctx, wish)
}

func (j *Jobs[W, R]) enter(name string) chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := j.lanes[name]
	if found == nil {
		found = &lane{slots: make(chan struct{}, j.PerLane)}
		j.lanes[name] = found
	}
	found.users++
	return found.slots
}

func (j *Jobs[W, R]) leave(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := j.lanes[name]
	if found.users--; found.users == 0 {
		delete(j.lanes, name)
	}
}
