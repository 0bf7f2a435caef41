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

// SlowHosts is the number of hosts that must be slow at the same time before requests to other hosts wait. JobsConfig.Total is SlowHosts
// times PerHost.
const SlowHosts = 4

// ErrNotYet is wrapped by an error of JobsConfig.Do if the content may come later and the failure is nobody's who reads the status. With
// Tasks that are awaited, the request then counts as being tried.
var ErrNotYet = errors.New("the content is not there yet")

// JobsConfig configures Jobs. Every field is required.
type JobsConfig[Q comparable, R any] struct {
	// Do carries out a request. It must return when its context ends. A panic is treated as an error, and so is a nil result without an
	// error.
	Do func(context.Context, Q) (*R, error)
	// Host returns the host that a request depends on. The requests to one host share a queue.
	Host func(Q) string
	// Done is called with the name of each request that has ended, from any goroutine.
	Done func(name string)
	// PerHost is the maximum number of concurrent requests to one host, and Total is the maximum for all hosts together. Total limits
	// memory and disk usage. It must be at least PerHost. It should be several times PerHost, so that one host cannot use all slots.
	PerHost, Total int
	// Backoff configures the pause before a failed request is tried again.
	Backoff Backoff
	Clock   clock.PassiveClock
	// Tasks runs the requests, so that the process can wait for them when it shuts down.
	Tasks *background.Tasks
}

func (c JobsConfig[Q, R]) validate() error {
	if c.Do == nil || c.Host == nil || c.Done == nil || c.PerHost <= 0 || c.Total < c.PerHost ||
		c.Backoff.First <= 0 || c.Backoff.Last < c.Backoff.First || c.Clock == nil || c.Tasks == nil {
		return errors.New("building jobs: a field of their JobsConfig is not set")
	}
	return nil
}

// Progress is the state of a request: a result, the error of the last attempt, or neither during the first attempt.
type Progress[R any] struct {
	Result *R
	Err    error
	// Retry is the time until the next attempt; 0 during an attempt. The caller must call Request again after this time, because Done is
	// not called then.
	Retry time.Duration
}

// Jobs carries out requests in the background, one for each name. It is safe for concurrent use.
type Jobs[Q comparable, R any] struct {
	config JobsConfig[Q, R]
	ctx    context.Context
	total  chan struct{}

	mu     sync.Mutex
	jobs   map[string]*job[Q, R]
	queues map[string]*hostQueue
}

// job is the current request with one name, and the outcome of its last attempt.
type job[Q comparable, R any] struct {
	request  Q
	cancel   context.CancelFunc
	running  bool
	result   *R
	err      error
	failures int
	retryAt  time.Time
	// isOutdated is true if the cause of a failure of the running attempt may be gone before it ends.
	isOutdated bool
}

// hostQueue limits the concurrent requests to one host. users is the number of requests that run or wait. The queue is deleted when it has
// no users.
type hostQueue struct {
	slots chan struct{}
	users int
}

// NewJobs returns a Jobs whose requests end when the context ends. It returns an error if a field of config is not set.
func NewJobs[Q comparable, R any](ctx context.Context, config JobsConfig[Q, R]) (*Jobs[Q, R], error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	return &Jobs[Q, R]{
		config: config, ctx: ctx, total: make(chan struct{}, config.Total),
		jobs: map[string]*job[Q, R]{}, queues: map[string]*hostQueue{},
	}, nil
}

// Request returns the progress of the request with a given name, and starts the request if it is due. A different request with the same
// name replaces the earlier one. Request does not wait for the attempt, unless Tasks awaits it.
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
		// The last attempt's error remains until the next attempt succeeds, so that the status does not flap.
		return Progress[R]{Err: current.err}
	}
	if wait := current.retryAt.Sub(j.config.Clock.Now()); current.err != nil && wait > 0 {
		return Progress[R]{Err: current.err, Retry: wait}
	}
	ctx, cancel := context.WithCancel(j.ctx)
	current.running, current.cancel = true, cancel
	last := Progress[R]{Err: current.err}
	j.start(func() { j.run(ctx, name, current) })
	if !j.config.Tasks.Await || errors.Is(current.err, ErrNotYet) {
		return last
	}
	if current.err != nil {
		return Progress[R]{Err: current.err, Retry: max(current.retryAt.Sub(j.config.Clock.Now()), 0)}
	}
	return Progress[R]{Result: current.result}
}

// start runs a task without the lock, which the caller holds and holds again afterwards, also if the task panics.
func (j *Jobs[Q, R]) start(task func()) {
	j.mu.Unlock()
	defer j.mu.Lock()
	j.config.Tasks.Go(task)
}

// RetryFailed makes each affected request whose last attempt has failed due, and calls Done for it. So is a request that runs, if it fails. Callers
// use it when the cause of the failures may be gone.
func (j *Jobs[Q, R]) RetryFailed(isAffected func(request Q) bool) {
	var due []string
	j.mu.Lock()
	for name, each := range j.jobs {
		switch {
		case !isAffected(each.request):
		case each.running:
			each.isOutdated = true
		case each.err != nil:
			each.failures, each.retryAt = 0, time.Time{}
			due = append(due, name)
		}
	}
	j.mu.Unlock()
	for _, name := range due {
		j.config.Done(name)
	}
}

// Cancel ends the request with a given name and drops its result. Callers use it when the result is stored or no longer needed.
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
	err := panics.ToError(fmt.Sprintf("fetching the source of %q", name), func() (err error) {
		result, err = j.do(ctx, current.request)
		return err
	})
	if err == nil && result == nil {
		err = errors.New("internal error of the manager: the fetch ended with neither a result nor an error")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	current.cancel()
	current.running, current.result, current.err = false, result, err
	if err != nil {
		current.result = nil
		current.failures++
		current.retryAt = j.config.Clock.Now().Add(j.config.Backoff.After(current.failures))
		if current.isOutdated {
			current.failures, current.retryAt = 0, time.Time{}
		}
	}
	current.isOutdated = false
}

// do waits for a free slot of the host, then for one of the total, and carries out the request. Because of this order, a request that waits
// for a slow host takes no slot of the total.
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

// enter adds a user to a host's queue, and returns the slots of the queue.
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
