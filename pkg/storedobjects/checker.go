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
	// maxViolations is the maximum number of objects in an Answer.
	maxViolations = 5
	// An answer without violations is repeated for answerAge, because a rollout asks again in each sync until its definitions are applied. An
	// answer with violations is repeated for violationAge, so that a rollout soon notices that a user has corrected the objects; and so is an
	// answer whose repetition failed.
	answerAge, violationAge = 10 * time.Minute, 30 * time.Second
	// maxRunning is the maximum number of definitions that are checked at the same time. Each takes the memory of compiled schemas and of one
	// page of objects.
	maxRunning = 3
)

// Config configures a Checker. Every field is required.
type Config struct {
	Clock clock.PassiveClock
	// Answered is called with the owner of each question that a check has answered. It must not block.
	Answered func(owner string)
	// Tasks runs the checks, so that the process can wait for them when it shuts down.
	Tasks *background.Tasks
}

// Question asks whether the custom resources in the cluster fit changed CustomResourceDefinitions.
type Question struct {
	// Owner is the name of the BundleDeployment. It has one question at a time.
	Owner string
	// ID identifies the changes and the identity of Client, for example by the digest of the revision, the generations of the live
	// definitions, and the name of the ServiceAccount. Another ID is another question.
	ID string
	// Changes are the definitions before and after the upgrade. Those that affect no object cost no request. The caller must not change them.
	Changes []crdsafety.Change
	// Client lists the objects. pager.Bounded must wrap its transport.
	Client dynamic.Interface
}

// Answer is the result of a check.
type Answer struct {
	// Violations are the first objects that do not fit: at most five, in the order of the changes and of the API server's lists.
	Violations []Violation
	// Checked is the number of objects that were checked. It is less than the number of all objects if there are five violations.
	Checked int
	// Err is the error of a check that failed. If Check is called again, it starts another check.
	Err error
	// Until is the time until which Check returns this answer. The caller asks again after it if the answer has violations.
	Until time.Time
}

// Checker runs checks in the background. It is safe for concurrent use.
type Checker struct {
	ctx    context.Context
	config Config
	// running has an element for each definition that is being checked.
	running chan struct{}

	mu sync.Mutex
	// questions holds the question of each owner, keyed by owner.
	questions map[string]*asked
}

// asked is a question, with its answer once there is one.
type asked struct {
	id     string
	cancel context.CancelFunc
	// isRunning is true while a check runs.
	isRunning bool
	answer    *Answer
}

// New returns a Checker. Canceling the context ends its checks.
func New(ctx context.Context, config Config) *Checker {
	return &Checker{ctx: ctx, config: config, running: make(chan struct{}, maxRunning), questions: map[string]*asked{}}
}

// Check returns the answer to a question. It returns false until the first check of this ID is done, which the first call starts. Then the
// Checker calls Config.Answered, and Check returns the answer. After Answer.Until, Check starts another check, and returns the former answer
// until that one is done. An answer with an error is returned once; the error of a later check only postpones the next one. If the tasks are
// awaited, the first call runs the check and returns its answer.
func (c *Checker) Check(question Question) (Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.questions[question.Owner]
	if found == nil || found.id != question.ID {
		c.forget(question.Owner)
		found = &asked{id: question.ID, cancel: func() {}}
		c.questions[question.Owner] = found
	}
	if !found.isRunning && (found.answer == nil || !c.config.Clock.Now().Before(found.answer.Until)) {
		c.start(question, found)
	}
	if found.answer == nil || c.questions[question.Owner] != found {
		return Answer{}, false
	}
	if found.answer.Err != nil {
		c.forget(question.Owner)
	}
	return *found.answer, true
}

// start runs a check in the background. It releases the mutex meanwhile, because the tasks may await the check.
func (c *Checker) start(question Question, into *asked) {
	ctx, cancel := context.WithCancel(c.ctx)
	into.cancel, into.isRunning = cancel, true
	c.mu.Unlock()
	defer c.mu.Lock()
	c.config.Tasks.Go(func() {
		defer cancel()
		c.run(ctx, question, into)
	})
}

// Forget ends the check of an owner that no longer exists or has no question, and drops its answer.
func (c *Checker) Forget(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(owner)
}

func (c *Checker) forget(owner string) {
	if found := c.questions[owner]; found != nil {
		found.cancel()
		delete(c.questions, owner)
	}
}

// run checks all definitions of a question, and stores the answer unless the question was dropped meanwhile.
func (c *Checker) run(ctx context.Context, question Question, into *asked) {
	answer := Answer{}
	for _, change := range question.Changes {
		if answer.Err = c.checkOne(ctx, question.Client, change, &answer); answer.Err != nil || len(answer.Violations) >= maxViolations {
			break
		}
	}
	age := answerAge
	if len(answer.Violations) > 0 {
		age = violationAge
	}
	answer.Until = c.config.Clock.Now().Add(age)
	c.mu.Lock()
	into.isRunning = false
	isAsked := c.questions[question.Owner] == into
	switch {
	case isAsked && answer.Err != nil && into.answer != nil:
		into.answer.Until = c.config.Clock.Now().Add(violationAge)
	case isAsked:
		into.answer = &answer
	}
	c.mu.Unlock()
	if isAsked {
		c.config.Answered(question.Owner)
	}
}
