package scenario

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// restDelay is the time without a write after which AtRest is called.
	restDelay = time.Second
	// repeatedWithin is how long the checker waits for the operator to repeat a request that failed. It does not call AtRest meanwhile.
	repeatedWithin = 10 * time.Minute
	// maxViolations is the maximum number of violations that a cluster keeps. It drops later violations.
	maxViolations = 20
)

// Checks are invariants of the operator under test: functions that return an error if a rule is violated. The error names the object and
// the rule. The cluster adds the time and the request.
//
// For two minutes after RestoreSnapshot, the cluster calls neither OnWrite nor AtRest, because the operator's caches may hold objects from
// after the snapshot.
//
// The cluster never calls OnWrite and AtRest concurrently, but the calls come from several goroutines. The functions must not send requests
// to the cluster.
type Checks struct {
	// User is the user of the operator's processes. Required.
	User string
	// OnEveryWrite is called before each write by User. An injected fault may still delay or prevent the write. If it is nil, no writes are
	// checked.
	OnEveryWrite func(write Write) error
	// OnWrite is like OnEveryWrite, but also gets the objects as they were before the write. It is not called for two minutes after
	// RestoreSnapshot, because the operator's caches hold objects from after the snapshot.
	OnWrite func(before *View, write Write) error
	// AtRest is called by Settle, and when no client has written for one second. Writes to Leases do not count. If a request by User got no
	// response, or the response of an injected fault, AtRest is not called until User repeats the request, for at most 10 minutes. It is
	// not called while DelayEvent may delay an event. If it is nil, no state is checked.
	AtRest func(objects *View) error
	// IsActive reports whether the operator is running and is the leader. While it returns false, AtRest is not called. If it is nil, the
	// operator counts as always active.
	IsActive func() bool
}

// checker calls the functions of Checks. A nil checker calls none.
type checker struct {
	cluster *Cluster
	storage *storageReader
	checks  Checks

	mu sync.Mutex
	// timer calls elapsed after restDelay without a write. It is nil after close.
	timer *time.Timer
	// unanswered holds the times at which requests by User ended, keyed by request. It contains a request that got no response, or the
	// response of an injected fault, until the process repeats it. killed is the set of the numbers of killed processes, whose requests are
	// ignored.
	unanswered map[requestKey]time.Time
	killed     map[int]bool
	violations []error

	// suspended is the Unix time in nanoseconds before which AtRest is not called. restored is the Unix time in nanoseconds before which
	// neither AtRest nor OnWrite is called.
	suspended, restored atomic.Int64
}

// requestKey identifies a request. Repetitions of the request have the same key.
type requestKey struct {
	process                                      int
	verb, resource, subresource, namespace, name string
}

// Check starts to check invariants. Settle and Violations return violations as errors. Call Check at most once, before the operator starts.
func (c *Cluster) Check(checks Checks) {
	k := &checker{
		cluster: c, storage: newStorageReader(c.store), checks: checks,
		unanswered: map[requestKey]time.Time{}, killed: map[int]bool{},
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer = time.AfterFunc(restDelay, k.elapsed)
	c.checker.Store(k)
}

// Violations returns the violations of invariants so far, in chronological order. It returns at most the first 20. A violation that is
// repeated is returned once.
func (c *Cluster) Violations() []error {
	k := c.checker.Load()
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.violations)
}

// close stops the timer that calls AtRest. It first waits until a running function of Checks has returned.
func (k *checker) close() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
}

// sending calls OnEveryWrite and OnWrite for a request that is about to be sent.
func (k *checker) sending(request Request, r *http.Request) {
	if k == nil || k.checks.OnWrite == nil && k.checks.OnEveryWrite == nil || request.User != k.checks.User || !request.IsWrite() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	write := Write{Request: request, FieldManager: fieldManager(r.URL), body: content(r)}
	view := k.storage.at(k.cluster.store.Revision())
	var errs []error
	if k.checks.OnEveryWrite != nil {
		errs = append(errs, k.checks.OnEveryWrite(write))
	}
	if k.checks.OnWrite != nil && hasPassed(&k.restored) {
		errs = append(errs, k.checks.OnWrite(view, write))
	}
	k.addViolation(view, errors.Join(errs...), fmt.Sprintf("the request was %s", request))
}

func fieldManager(sent *url.URL) string { return sent.Query().Get("fieldManager") }

// ended records a request that has ended. After a write, it restarts the timer for AtRest.
func (k *checker) ended(request Request) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if request.User == k.checks.User && !k.killed[request.Process] && request.Resource.Resource != "events" { // a repeated Event has another name
		key := requestKey{request.Process, request.Verb, request.Resource.String(), request.Subresource, request.Namespace, request.Name}
		isAnswered := request.Code == http.StatusOK || request.Code != 0 && !request.IsFaulted // by a stale list, too, which no client repeats
		if !isAnswered {
			k.unanswered[key] = time.Now()
		} else {
			delete(k.unanswered, key)
		}
	}
	if request.IsWrite() && !request.isElection() {
		k.storage.wrote(k.cluster.store.Revision())
		if k.timer != nil {
			k.timer.Reset(restDelay)
		}
	}
}

// forget drops the recorded requests of a process that was killed.
func (k *checker) forget(process int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.killed[process] = true
	maps.DeleteFunc(k.unanswered, func(key requestKey, _ time.Time) bool { return key.process == process })
}

// suspend prevents calls to AtRest for a time, because the operator does not see the latest state yet. It must not lock mu: its callers
// have locked the storage, whereas other functions of the checker lock mu before the storage.
func (k *checker) suspend(by time.Duration) {
	if k != nil {
		k.suspended.Store(max(k.suspended.Load(), time.Now().Add(by).UnixNano()))
	}
}

// suspendAll prevents calls to OnWrite and AtRest for a time, because the operator's caches hold objects from after the restored snapshot.
func (k *checker) suspendAll(by time.Duration) {
	if k != nil {
		k.restored.Store(time.Now().Add(by).UnixNano())
	}
}

func hasPassed(until *atomic.Int64) bool { return time.Now().UnixNano() >= until.Load() }

// awaitsRepetition reports whether the checker is still waiting for the operator to repeat a request. The caller must hold mu.
func (k *checker) awaitsRepetition() bool {
	maps.DeleteFunc(k.unanswered, func(_ requestKey, at time.Time) bool { return time.Since(at) > repeatedWithin })
	return len(k.unanswered) > 0
}

// elapsed checks the state when restDelay has passed since the last write.
func (k *checker) elapsed() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.timer != nil {
		k.atRest(restDelay)
	}
}

// settled checks the state of a cluster that has settled, and returns all violations.
func (k *checker) settled() error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.atRest(settleQuiet)
	return errors.Join(k.violations...)
}

// atRest calls AtRest if no client has written for the given time. It ignores an error from AtRest if a write began during the call. The
// caller must hold mu.
func (k *checker) atRest(quiet time.Duration) {
	isActive := k.checks.IsActive == nil || k.checks.IsActive()
	if k.checks.AtRest == nil || !isActive || k.awaitsRepetition() || !k.isQuiet(quiet) || !hasPassed(&k.suspended) || !hasPassed(&k.restored) {
		return
	}
	view := k.storage.at(k.cluster.store.Revision())
	err := k.checks.AtRest(view)
	if err == nil || k.isQuiet(quiet) && view.revision == k.cluster.store.Revision() {
		k.addViolation(view, err, fmt.Sprintf("no request wrote for %s", quiet))
	}
}

func (k *checker) isQuiet(quiet time.Duration) bool {
	return k.cluster.recorder.quietSince(time.Now().Add(-quiet))
}

// addViolation adds the error of a check function to the violations. when describes the moment at which the function was called. The caller
// must hold mu.
func (k *checker) addViolation(view *View, err error, when string) {
	if view.isCompacted() {
		return // the function saw only some of the objects
	}
	if err = errors.Join(err, view.err()); err == nil || len(k.violations) >= maxViolations {
		return
	}
	violation := &violationError{time: time.Now(), when: when, err: err}
	isKnown := func(other error) bool {
		known := &violationError{}
		return errors.As(other, &known) && known.err.Error() == err.Error()
	}
	if !slices.ContainsFunc(k.violations, isKnown) {
		k.violations = append(k.violations, violation)
	}
}

// violationError is a violation of an invariant.
type violationError struct {
	time time.Time
	when string
	err  error
}

// Error implements error.
func (v *violationError) Error() string {
	return fmt.Sprintf("invariant violated at %s: %s; %s", v.time.UTC().Format(time.DateTime), v.err, v.when)
}

// Unwrap returns the error of the function that found the violation.
func (v *violationError) Unwrap() error { return v.err }
