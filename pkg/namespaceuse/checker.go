package namespaceuse

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/background"
)

const (
	// quietTime is the time without a new question after which a check begins. longestWait is the longest time that the first
	// question waits for others. One check answers all questions that arrive in this time, with the same requests.
	quietTime, longestWait = 500 * time.Millisecond, 15 * time.Second
	// answerAge is how long an answer is valid: any user may create objects in the namespace after the check.
	answerAge = 30 * time.Second
	// revokeTimeout bounds the last request of a check, which the manager sends even while it shuts down.
	revokeTimeout = 5 * time.Second
	// cleanUpPause is the first pause between two tries to revoke what an earlier process left; it doubles.
	cleanUpPause, longestCleanUpPause = time.Second, time.Minute
)

// Config configures a Checker; every field is required.
type Config struct {
	// Metadata lists objects; pager.Bounded has to wrap its transport.
	Metadata metadata.Interface
	// Dynamic applies and deletes ClusterRole RoleName, and reviews the manager's rights.
	Dynamic   dynamic.Interface
	Discovery discovery.DiscoveryInterface
	// RoleLabel is the label with which Kubernetes aggregates a ClusterRole into the manager's, where its value is "true".
	RoleLabel string
	Clock     clock.PassiveClock
	// Answered is called with the owner of each question that a check has answered. It must not block.
	Answered func(owner string)
	// Tasks runs the checks, so that a caller can wait for them.
	Tasks *background.Tasks
}

// Question asks whether a namespace holds objects for which the manager must keep it.
type Question struct {
	// Owner is the name of the BundleDeployment whose removal asks.
	Owner     string
	Namespace string
	// Removed reports whether an owner reference in this namespace names an object that the removal has already deleted. The
	// garbage collector deletes the dependents of such an object.
	Removed func(reference metav1.OwnerReference) bool
}

// Answer is the result of a check for one namespace.
type Answer struct {
	// InUse is the reason to keep the namespace; empty when it holds no objects of other owners.
	InUse string
	// Err is why the check failed. Asking again starts another check.
	Err error
}

// Checker answers questions in the background, several with one check. It is safe for concurrent use.
type Checker struct {
	ctx      context.Context
	cluster  cluster
	clock    clock.PassiveClock
	answered func(owner string)
	tasks    *background.Tasks

	// rights is held while a check needs what it was granted, and while that is revoked.
	rights sync.Mutex

	mu sync.Mutex
	// questions are those that have no answer yet, or whose answer Check has not returned yet.
	questions map[key]*question
	// running is whether the goroutine of run is active; asked is when the last question arrived.
	running bool
	asked   time.Time
}

type key struct{ owner, namespace string }

type question struct {
	Question
	answer *Answer
	since  time.Time
}

// New returns a Checker. Canceling the context ends its checks.
func New(ctx context.Context, config Config) *Checker {
	return newChecker(ctx, &apiServer{config}, config)
}

func newChecker(ctx context.Context, on cluster, config Config) *Checker {
	return &Checker{ctx: ctx, cluster: on, clock: config.Clock, answered: config.Answered, tasks: config.Tasks, questions: map[key]*question{}}
}

// Check returns the answer of a check that began after the first call with this question. Until there is one, it returns false;
// the Checker calls Config.Answered when the check is done. Check returns an answer once; asking again starts another check.
func (c *Checker) Check(asked Question) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := key{asked.Owner, asked.Namespace}
	if found := c.questions[at]; found != nil {
		if found.answer == nil {
			return Answer{}, false
		}
		delete(c.questions, at)
		if c.clock.Since(found.since) <= answerAge {
			return *found.answer, true
		}
	}
	c.questions[at], c.asked = &question{Question: asked}, c.clock.Now()
	if !c.running {
		c.running = true
		c.tasks.Go(c.run)
	}
	return Answer{}, false
}

// Forget drops the questions of an owner that no longer exists.
func (c *Checker) Forget(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.questions {
		if at.owner == owner {
			delete(c.questions, at)
		}
	}
}

// run answers questions until none is left, or the context ends.
func (c *Checker) run() {
	for first := c.clock.Now(); pause(c.ctx, quietTime); {
		batch, asked := c.unanswered()
		switch {
		case len(batch) == 0:
			return
		case c.clock.Since(asked) < quietTime && c.clock.Since(first) < longestWait:
			continue
		}
		c.answer(batch)
		first = c.clock.Now()
	}
}

// unanswered returns the questions that wait, and when the last question arrived. Where none waits, it sets running to false.
func (c *Checker) unanswered() ([]*question, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var batch []*question
	for _, each := range c.questions {
		if each.answer == nil {
			batch = append(batch, each)
		}
	}
	c.running = len(batch) > 0
	return batch, c.asked
}

func (c *Checker) answer(batch []*question) {
	questions := make([]Question, len(batch))
	for i, each := range batch {
		questions[i] = each.Question
	}
	inUse, since, err := c.check(questions)
	c.mu.Lock()
	for _, each := range batch {
		each.answer, each.since = &Answer{InUse: inUse[each.Namespace], Err: err}, since
	}
	c.mu.Unlock()
	for _, each := range batch {
		c.answered(each.Owner)
	}
}

// check returns, for each namespace in use, the reason, and the time from which on it saw Kubernetes' own resources. It revokes the
// rights that it granted.
func (c *Checker) check(questions []Question) (map[string]string, time.Time, error) {
	c.rights.Lock()
	defer c.rights.Unlock()
	scan := newScan(c.cluster, c.clock, questions)
	err := scan.run(c.ctx)
	if scan.granted {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), revokeTimeout)
		defer cancel()
		if failed := c.cluster.revoke(ctx); failed != nil {
			klog.Warningf("%v; it is tried again", failed)
			c.tasks.Go(func() { c.CleanUp(c.ctx) })
		}
	}
	if err != nil {
		return nil, c.clock.Now(), err
	}
	return scan.inUse(), scan.since, nil
}

// CleanUp revokes the rights that a check left: an earlier process ended during it, or could not revoke them. CleanUp tries until
// that succeeds or the context ends. It writes nothing where there is nothing to revoke.
func (c *Checker) CleanUp(ctx context.Context) {
	for wait := cleanUpPause; ; wait = min(2*wait, longestCleanUpPause) {
		c.rights.Lock()
		err := c.cluster.revoke(ctx)
		c.rights.Unlock()
		if err == nil || ctx.Err() != nil {
			return
		}
		klog.Warningf("%v; it is tried again in %s", err, wait)
		if !pause(ctx, wait) {
			return
		}
	}
}

// pause waits; it returns false when the context ended first.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// cluster is what a check needs from the API server; tests replace it.
type cluster interface {
	resourceLister
	granter
}

// resourceLister lists what a namespace may hold.
type resourceLister interface {
	// resources returns the namespaced resources that support list. It also returns the API groups whose discovery failed,
	// with the error of each.
	resources(ctx context.Context) (listable []schema.GroupVersionResource, unavailable map[string]error, err error)
	// list lists the metadata of objects in a namespace, or in all namespaces when namespace is empty.
	list(ctx context.Context, resource schema.GroupVersionResource, namespace string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error)
}

// granter extends the manager's own rights for a check.
type granter interface {
	// grant gives the manager the right to list resources, until revoke. The API server may take a moment to honor it.
	grant(ctx context.Context, resources []schema.GroupVersionResource) error
	// permitted reports whether the manager may list all of these resources.
	permitted(ctx context.Context, resources []schema.GroupVersionResource) (bool, error)
	// revoke takes the manager's grant away, whichever process made it; it writes nothing where there is none.
	revoke(ctx context.Context) error
}
