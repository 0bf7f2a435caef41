package storedobjects

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/crdsafety"
)

const (
	// maxViolations is the maximum number of objects in a Result.
	maxViolations = 5
	// A result without violations is returned for resultAge, because a rollout asks again in each sync until its definitions are applied. A
	// result with violations is returned for violationAge, so that a rollout soon notices that a user has corrected the objects; and so is a
	// result after which another check failed.
	resultAge, violationAge = 10 * time.Minute, 30 * time.Second
	// maxRunning is the maximum number of definitions that are checked at the same time. Each takes the memory of compiled schemas and of one
	// page of objects.
	maxRunning = 3
)

// Config configures a Checker. Every field is required.
type Config struct {
	Clock clock.PassiveClock
	// Done is called with the owner of each request for which a check has ended. It must not block.
	Done func(owner string)
	// Tasks runs the checks, so that the process can wait for them when it shuts down.
	Tasks *background.Tasks
}

// Request is a request to check whether the custom resources in the cluster fit changed CustomResourceDefinitions.
type Request struct {
	// Owner is the name of the BundleDeployment. It has one request at a time.
	Owner string
	// ID identifies the changes and the identity of Client, for example by the digest of the revision, the generations of the live
	// definitions, and the name of the ServiceAccount. Another ID is another request.
	ID string
	// Changes are the definitions before and after the upgrade. If a change affects no objects, the Checker sends no request for it. The
	// caller must not modify the changes.
	Changes []crdsafety.Change
	// Client lists the objects. pager.Bounded must wrap its transport.
	Client dynamic.Interface
}

// Result is the result of a check.
type Result struct {
	// Violations are the first objects that do not fit: at most five, in the order of the changes and of the API server's lists.
	Violations []Violation
	// Checked is the number of objects that were checked. It is less than the number of all objects if there are five violations.
	Checked int
	// Err is the error of a check that failed.
	Err error
	// Until is the time until which Check returns this result. The caller asks again after it if the result has violations or an error.
	Until time.Time
}

// Checker runs checks in the background. It is safe for concurrent use.
type Checker struct {
	ctx    context.Context
	config Config
	// running has an element for each definition that is being checked.
	running chan struct{}

	mu sync.Mutex
	// requests holds the request of each owner, keyed by owner.
	requests map[string]*check
}

// check is a request, with its result once there is one.
type check struct {
	id     string
	cancel context.CancelFunc
	// isRunning is true while a check runs.
	isRunning bool
	result    *Result
}

// New returns a Checker. Canceling the context ends its checks.
func New(ctx context.Context, config Config) *Checker {
	return &Checker{ctx: ctx, config: config, running: make(chan struct{}, maxRunning), requests: map[string]*check{}}
}

// Check returns the result of a request. It returns false until the first check of this ID is done, which the first call starts. Then the
// Checker calls Config.Done, and Check returns the result. After Result.Until, Check starts another check, and returns the former result
// until that one is done. So it does with a result that has an error: otherwise each sync would start a check, and its end the next sync. The
// error of a later check only postpones the next one. If the tasks are awaited, the first call runs the check and returns its result.
func (c *Checker) Check(request Request) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.requests[request.Owner]
	if found == nil || found.id != request.ID {
		c.forget(request.Owner)
		found = &check{id: request.ID, cancel: func() {}}
		c.requests[request.Owner] = found
	}
	if !found.isRunning && (found.result == nil || !c.config.Clock.Now().Before(found.result.Until)) {
		c.start(request, found)
	}
	if found.result == nil || c.requests[request.Owner] != found {
		return Result{}, false
	}
	return *found.result, true
}

// start runs a check in the background. It releases the mutex meanwhile, because the tasks may await the check.
func (c *Checker) start(request Request, into *check) {
	ctx, cancel := context.WithCancel(c.ctx)
	into.cancel, into.isRunning = cancel, true
	c.mu.Unlock()
	defer c.mu.Lock()
	c.config.Tasks.Go(func() {
		defer cancel()
		c.run(ctx, request, into)
	})
}

// Forget ends the check of an owner that no longer exists or has no request, and drops its result.
func (c *Checker) Forget(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(owner)
}

func (c *Checker) forget(owner string) {
	if found := c.requests[owner]; found != nil {
		found.cancel()
		delete(c.requests, owner)
	}
}

// run checks all definitions of a request, and stores the result unless the request was dropped meanwhile.
func (c *Checker) run(ctx context.Context, request Request, into *check) {
	result := Result{}
	for _, change := range request.Changes {
		if result.Err = c.checkOne(ctx, request.Client, change, &result); result.Err != nil || len(result.Violations) >= maxViolations {
			break
		}
	}
	age := resultAge
	if len(result.Violations) > 0 || result.Err != nil {
		age = violationAge
	}
	result.Until = c.config.Clock.Now().Add(age)
	c.mu.Lock()
	into.isRunning = false
	isCurrent := c.requests[request.Owner] == into
	switch {
	case isCurrent && result.Err != nil && into.result != nil && into.result.Err == nil:
		into.result.Until = c.config.Clock.Now().Add(violationAge)
	case isCurrent:
		into.result = &result
	}
	c.mu.Unlock()
	if isCurrent {
		c.config.Done(request.Owner)
	}
}
