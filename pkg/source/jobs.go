package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/panics"
)

// SlowHosts is the number of hosts that must be slow before requests of other hosts wait: JobsConfig.Total is so many times PerHost.
const SlowHosts = 4

// JobsConfig is what Jobs are built from; every field is required.
type JobsConfig[Q comparable, R any] struct {
	// Do carries out a request. It ends early when its context does; a panic counts as an error.
	Do func(context.Context, Q) (*R, error)
	// Host is the host that a request depends on. Requests of one host wait for one another, those of different hosts do not.
	Host func(Q) string
	// Done is called, from any goroutine, with the name of a request that has ended.
	Done func(name string)
	// PerHost is the number of requests of one host that are carried out at once. Total is the same over all hosts; it limits what is
	// held for them, and must be several times PerHost, so that no host can take all of it.
	PerHost, Total int
	// Backoff is the pause before a request that failed is tried again.
	Backoff Backoff
	Clock   clock.PassiveClock
	// Tasks runs the requests, so that a caller can wait for them.
	Tasks *background.Tasks
}

func (c JobsConfig[Q, R]) validate() error {
	if c.Do == nil || c.Host == nil || c.Done == nil || c.PerHost <= 0 || c.Total < c.PerHost ||
		c.Backoff.First <= 0 || c.Backoff.Last < c.Backoff.First || c.Clock == nil || c.Tasks == nil {
		return errors.New("building jobs: a field of their JobsConfig is not set")
	}
	return nil
}

// Progress is how far a request is: a result, or an error and the time until the next attempt, or neither while it is carried out.
type Progress[R any] struct {
	Result *R
	Err    error
	// Retry is the time until the next attempt; 0 while one is under way. Call Request again then: Done is not called for it.
	Retry time.Duration
}

// Jobs carries out requests beside the syncs that make them, one request for each name. It is safe for concurrent use.
type Jobs[Q comparable, R any] struct {
	config JobsConfig[Q, R]
	ctx    context.Context
	total  chan struct{}

	mu     sync.Mutex
	jobs   map[string]*job[Q, R]
	queues map[string]*hostQueue
}

// job is the request of one name.
type job[Q comparable, R any] struct {
	request  Q
	cancel   context.CancelFunc
	running  bool
	result   *R
	err      error
	failures int
	retryAt  time.Time
}

// hostQueue has the slots of one host. It is deleted with its last user.
type hostQueue struct {
	slots chan struct{}
	users int
}

// NewJobs returns Jobs whose work ends with the context.
func NewJobs[Q comparable, R any](ctx context.Context, config JobsConfig[Q, R]) (*Jobs[Q, R], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Jobs[Q, R]{
		config: config, ctx: ctx, total: make(chan struct{}, config.Total),
		jobs: map[string]*job[Q, R]{}, queues: map[string]*hostQueue{},
	}, nil
}

// Request returns how far the request of a name is, and starts it if it is due. A request that differs from the name's last one replaces
// that. It never blocks.
func (j *Jobs[Q, R]) Request(name string, request Q) Progress[R] {
	j.mu.Lock()
	defer j.mu.Unlock()
	current := j.jobs[name]
	if current != nil && current.request != request {
		current.cancel()
		current = nil
	}
	if current == nil {
		current = &job[Q, R]{request: request, cancel: func() {}}
		j.jobs[name] = current
	}
	switch {
	case current.result != nil:
		return Progress[R]{Result: current.result}
	case current.running:
		// The error of the last attempt stands until the next one succeeds, so that a status does not flap.
		return Progress[R]{Err: current.err}
	}
	if wait := current.retryAt.Sub(j.config.Clock.Now()); current.err != nil && wait > 0 {
		return Progress[R]{Err: current.err, Retry: wait}
	}
	ctx, cancel := context.WithCancel(j.ctx)
	current.running, current.cancel = true, cancel
	j.config.Tasks.Go(func() { j.run(ctx, name, current) })
	return Progress[R]{Err: current.err}
}

// Cancel ends and forgets the request of a name: its result is stored, or not needed any more.
func (j *Jobs[Q, R]) Cancel(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if current := j.jobs[name]; current != nil {
		current.cancel()
		delete(j.jobs, name)
	}
}

func (j *Jobs[Q, R]) run(ctx context.Context, name string, current *job[Q, R]) {
	defer j.config.Done(name)
	var result *R
	err := panics.ToError(fmt.Sprintf("fetching what %q wants", name), func() (err error) {
		result, err = j.do(ctx, current.request)
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
		current.retryAt = j.config.Clock.Now().Add(j.config.Backoff.After(current.failures))
	}
}

// do carries out a request when its host, and then the total, has a free slot. In this order no request that waits for a slow host takes a
// slot of the total.
func (j *Jobs[Q, R]) do(ctx context.Context, request Q) (*R, error) {
	host := j.config.Host(request)
	slots := j.enter(host)
	defer j.leave(host)
	for _, each := range []chan struct{}{slots, j.total} {
		select {
		case each <- struct{}{}:
			defer func() { <-each }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return j.config.Do(ctx, request)
}

// enter adds a user to the queue of a host, and returns its slots.
func (j *Jobs[Q, R]) enter(host string) chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := j.queues[host]
	if found == nil {
		found = &hostQueue{slots: make(chan struct{}, j.config.PerHost)}
		j.queues[host] = found
	}
	found.users++
	return found.slots
}

func (j *Jobs[Q, R]) leave(host string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := j.queues[host]
	if found.users--; found.users == 0 {
		delete(j.queues, host)
	}
}
