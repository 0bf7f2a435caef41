package namespaceuse

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/background"
)

const (
	// A check begins when no new question has arrived for quietTime, or when longestWait has passed since the first question. It answers
	// all questions that have arrived until then with the same requests.
	quietTime, longestWait = 500 * time.Millisecond, 15 * time.Second
	// answerAge is the maximum age of an answer, because any user may create objects in the namespace after the check.
	answerAge = 30 * time.Second
	// revokeTimeout is the timeout of the request that revokes the grant at the end of a check. This request is sent even while the manager
	// shuts down.
	revokeTimeout = 5 * time.Second
	// cleanUpPause is the first pause between two attempts to revoke a grant. The pause doubles each time, up to longestCleanUpPause.
	cleanUpPause, longestCleanUpPause = time.Second, time.Minute
)

// Config configures a Checker. Every field is required.
type Config struct {
	// Metadata lists objects. pager.Bounded must wrap its transport.
	Metadata metadata.Interface
	// Dynamic applies and deletes ClusterRole RoleName, and reviews the manager's rights.
	Dynamic   dynamic.Interface
	Discovery discovery.DiscoveryInterface
	// RoleLabel is the label, with the value "true", of ClusterRoles that Kubernetes aggregates into the manager's ClusterRole.
	RoleLabel string
	Clock     clock.PassiveClock
	// Answered is called with the owner of each question that a check has answered. It must not block.
	Answered func(owner string)
	// Tasks runs the checks, so that the process can wait for them when it shuts down.
	Tasks *background.Tasks
}

// Question asks whether a namespace holds objects because of which the manager must keep it.
type Question struct {
	// Owner is the name of the BundleDeployment that is being removed.
	Owner     string
	Namespace string
	// Removed reports whether an owner reference in this namespace names an object that the removal has already deleted. The garbage
	// collector deletes the objects that depend on such an object.
	Removed func(reference metav1.OwnerReference) bool
}

// Answer is the result of a check for one namespace.
type Answer struct {
	// InUse is the reason to keep the namespace; empty if the namespace holds no objects of other owners.
	InUse string
	// Err is the error of a failed check. If Check is called again, it starts another check.
	Err error
}

// Checker runs checks in the background, each for several questions. It is safe for concurrent use.
type Checker struct {
	ctx     context.Context
	cluster cluster
	grants  cache.ListerWatcher
	clock   clock.PassiveClock
	notify  func(owner string)
	tasks   *background.Tasks
	// quietTime is the constant of the same name, or 0 if tasks are awaited: then no other question can follow.
	quietTime time.Duration

	// rights is held from the start of a check until its grant is revoked.
	rights sync.Mutex
	// holdsGrant means that the running check called grant and has not called revoke yet.
	holdsGrant atomic.Bool

	mu sync.Mutex
	// pending are the questions without an answer, and those with an answer that Check has not returned yet.
	pending map[key]*pendingQuestion
	// running means that the goroutine of run is active. lastAdded is the time at which the last question was added.
	running   bool
	lastAdded time.Time
}

type key struct{ owner, namespace string }

type pendingQuestion struct {
	Question
	answer *Answer
	since  time.Time
}

// New returns a Checker. Canceling the context ends its checks.
func New(ctx context.Context, config Config) *Checker {
	return newChecker(ctx, &apiServer{config}, grants(config.Metadata), config)
}

func newChecker(ctx context.Context, on cluster, grants cache.ListerWatcher, config Config) *Checker {
	c := &Checker{
		ctx: ctx, cluster: on, grants: grants, clock: config.Clock, notify: config.Answered, tasks: config.Tasks, quietTime: quietTime,
		pending: map[key]*pendingQuestion{},
	}
	if c.tasks.Await {
		c.quietTime = 0
	}
	return c
}

// Check returns the answer to a question. It returns false until a check that began after the first call with this question is done. Then
// the Checker calls Config.Answered, and the next call returns the answer. Each answer is returned once; a later call starts another check.
// An answer that is older than answerAge is dropped, and another check starts. If the tasks are awaited, the first call runs the check and
// returns its answer.
func (c *Checker) Check(question Question) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := key{question.Owner, question.Namespace}
	answer, isAnswered := c.take(at)
	if isAnswered || c.pending[at] != nil {
		return answer, isAnswered
	}
	c.pending[at], c.lastAdded = &pendingQuestion{Question: question}, c.clock.Now()
	if !c.running {
		c.running = true
		c.mu.Unlock() // the tasks may await the check
		c.tasks.Go(c.run)
		c.mu.Lock()
	}
	return c.take(at)
}

// take removes the answer to a question and returns it. It returns false if there is none that is recent enough.
func (c *Checker) take(at key) (Answer, bool) {
	found := c.pending[at]
	if found == nil || found.answer == nil {
		return Answer{}, false
	}
	delete(c.pending, at)
	if c.clock.Since(found.since) > answerAge {
		return Answer{}, false
	}
	return *found.answer, true
}

// Forget drops the questions of an owner that no longer exists.
func (c *Checker) Forget(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.pending {
		if at.owner == owner {
			delete(c.pending, at)
		}
	}
}

// run runs checks until no question is left, or the context ends.
func (c *Checker) run() {
	for first := c.clock.Now(); pause(c.ctx, c.quietTime); {
		batch, lastAdded := c.unanswered()
		switch {
		case len(batch) == 0:
			return
		case c.clock.Since(lastAdded) < c.quietTime && c.clock.Since(first) < longestWait:
			continue
		}
		c.answer(batch)
		first = c.clock.Now()
	}
}

// unanswered returns the questions without an answer, and the time at which the last question was added. It sets running to false if all
// questions have an answer.
func (c *Checker) unanswered() ([]*pendingQuestion, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var batch []*pendingQuestion
	for _, each := range c.pending {
		if each.answer == nil {
			batch = append(batch, each)
		}
	}
	c.running = len(batch) > 0
	return batch, c.lastAdded
}

// answer runs one check for several questions, and stores their answers.
func (c *Checker) answer(batch []*pendingQuestion) {
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
		c.notify(each.Owner)
	}
}

// check returns the reason for each namespace in use, keyed by namespace, and the time at which it last began to list built-in resources.
// At the end, it revokes its grant. If the revocation fails, it starts CleanUp in the background.
func (c *Checker) check(questions []Question) (map[string]string, time.Time, error) {
	scan := newScan(c.cluster, c.clock, &c.holdsGrant, questions)
	c.rights.Lock()
	err := scan.run(c.ctx)
	failed := c.revoke()
	c.rights.Unlock()
	if failed != nil {
		klog.Warningf("%v; the manager retries", failed)
		c.tasks.Go(func() { c.CleanUp(c.ctx) })
	}
	if err != nil {
		return nil, c.clock.Now(), err
	}
	return scan.inUse(), scan.since, nil
}

// revoke revokes the grant of the running check, if it has one.
func (c *Checker) revoke() error {
	if !c.holdsGrant.Swap(false) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), revokeTimeout)
	defer cancel()
	return c.cluster.revoke(ctx)
}

// CleanUp revokes the grant of an earlier check if that check, possibly in an earlier process, did not revoke it. CleanUp retries until it
// succeeds or the context ends. It writes nothing if there is no grant.
func (c *Checker) CleanUp(ctx context.Context) {
	for wait := cleanUpPause; ; wait = min(2*wait, longestCleanUpPause) {
		c.rights.Lock()
		err := c.cluster.revoke(ctx)
		c.rights.Unlock()
		if err == nil || ctx.Err() != nil {
			return
		}
		klog.Warningf("%v; retrying in %s", err, wait)
		if !pause(ctx, wait) {
			return
		}
	}
}

// pause waits for some time. It returns false if the context ends first.
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

// cluster contains the API server operations that a check uses. Tests replace it.
type cluster interface {
	resourceLister
	granter
}

// resourceLister lists resources and their objects.
type resourceLister interface {
	// resources returns the namespaced resources that support list. unavailable holds the errors of API groups whose discovery failed,
	// keyed by group.
	resources(ctx context.Context) (listable []schema.GroupVersionResource, unavailable map[string]error, err error)
	// list returns the metadata of objects in a namespace, or in all namespaces if namespace is empty.
	list(ctx context.Context, resource schema.GroupVersionResource, namespace string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error)
}

// granter extends the manager's own rights for a check.
type granter interface {
	// grant permits the manager to list resources until revoke is called. The API server may honor the grant with a delay.
	grant(ctx context.Context, resources []schema.GroupVersionResource) error
	// permitted reports whether the manager may list all of these resources.
	permitted(ctx context.Context, resources []schema.GroupVersionResource) (bool, error)
	// revoke deletes the manager's grant, even if another process made it. It writes nothing if there is no grant.
	revoke(ctx context.Context) error
}
