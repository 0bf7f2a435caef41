package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	// restDelay is the time without a write after which Checks.AtRest must hold.
	restDelay = time.Second
	// repeatedWithin is the maximum time in which an operator repeats a request that had no answer.
	repeatedWithin = 10 * time.Minute
	// maxViolations is the maximum number of violations that a cluster keeps: the first ones.
	maxViolations = 20
)

// Checks are invariants of the operator under test: functions that return an error if something is wrong. The error says which object
// violates which rule. The cluster adds the time and the request.
//
// For two minutes after RestoreSnapshot no function is called, because the operator may act on caches from the future.
//
// The cluster never calls OnWrite and AtRest concurrently, but it calls all functions in several goroutines. They must not send requests to
// the cluster.
type Checks struct {
	// User is the user of the operator's processes. Required.
	User string
	// OnWrite is called before each write of User, with the objects before the write. An injected fault may still delay or prevent the write.
	// Nil checks no writes.
	OnWrite func(before *View, write Write) error
	// AtRest is called when there was no write for a second, except of Leases, and by Settle. If User got no answer to a request, or one of
	// an injected fault, AtRest is not called before User repeats the request, but for 10 minutes at most. It is not called, either, while an
	// event may be delayed. Nil checks no state.
	AtRest func(objects *View) error
	// IsActive reports whether the operator runs and leads. While it returns false, AtRest is not called. Nil means that it always does.
	IsActive func() bool
}

// Write is a request that writes, with its content.
type Write struct {
	Request
	// FieldManager is the field manager that the request names; empty if it names none.
	FieldManager string

	body []byte
}

// Object returns the object or the patch in the request's body. It returns nil if the body has none, as for a deletion or a JSON patch, or
// if it cannot be decoded.
func (w Write) Object() *unstructured.Unstructured {
	if w.Verb == "delete" || w.Verb == "deletecollection" || len(w.body) == 0 {
		return nil
	}
	if object, err := decodeObject(w.body); err == nil {
		return object
	}
	patch := map[string]any{} // a merge patch has no kind
	if json.Unmarshal(w.body, &patch) != nil {
		return nil
	}
	return &unstructured.Unstructured{Object: patch}
}

// DeleteOptions returns the options of a deletion. They are empty if the request has none, or if it is not a deletion.
func (w Write) DeleteOptions() metav1.DeleteOptions {
	var options metav1.DeleteOptions
	if json.Unmarshal(w.body, &options) == nil {
		return options
	}
	if decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(w.body, nil, nil); err == nil {
		if decoded, ok := decoded.(*metav1.DeleteOptions); ok {
			return *decoded
		}
	}
	return metav1.DeleteOptions{}
}

// checker calls the functions of Checks. A nil checker calls none.
type checker struct {
	cluster *Cluster
	storage *storageReader
	checks  Checks

	mu sync.Mutex
	// timer calls elapsed after restDelay without a write. It is nil after close.
	timer *time.Timer
	// unanswered are the requests of User that got no answer, or one of an injected fault, and that the process has not repeated. The values
	// are the times at which they ended. killed are the processes that were killed, by number.
	unanswered map[requestKey]time.Time
	killed     map[int]bool
	violations []error

	// suspended is the time, in nanoseconds since 1970, before which AtRest is not called, and restored that before which no function is.
	suspended, restored atomic.Int64
}

// requestKey identifies requests that repeat one another.
type requestKey struct {
	process                                      int
	verb, resource, subresource, namespace, name string
}

// Check checks invariants from now on, until the cluster is stopped. Settle and Violations return violations as errors. Call Check at most
// once, before the operator starts.
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

// Violations returns the violations of invariants so far, at most 20, in the order of time. Repeated violations are listed once.
func (c *Cluster) Violations() []error {
	k := c.checker.Load()
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.violations)
}

// close ends the checks. It returns when no function is running.
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

// sending calls OnWrite for a request that is about to be sent.
func (k *checker) sending(request Request, r *http.Request) {
	if k == nil || k.checks.OnWrite == nil || request.User != k.checks.User || !request.IsWrite() || !hasPassed(&k.restored) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	view := k.storage.at(k.cluster.store.Revision())
	err := k.checks.OnWrite(view, Write{Request: request, FieldManager: fieldManager(r.URL), body: content(r)})
	k.judge(view, err, fmt.Sprintf("the request was %s", request))
}

func fieldManager(sent *url.URL) string { return sent.Query().Get("fieldManager") }

// ended records a request that has ended. After a write, AtRest must hold in restDelay.
func (k *checker) ended(request Request) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if request.User == k.checks.User && !k.killed[request.Process] && request.Resource.Resource != "events" { // names of Events do not repeat
		key := requestKey{request.Process, request.Verb, request.Resource.String(), request.Subresource, request.Namespace, request.Name}
		if request.IsFaulted || request.Code == 0 {
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

// forget forgets the requests of a process that was killed.
func (k *checker) forget(process int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.killed[process] = true
	maps.DeleteFunc(k.unanswered, func(key requestKey, _ time.Time) bool { return key.process == process })
}

// suspend prevents calls of AtRest for a time, because the operator cannot yet see the state. It takes no lock, because its callers lock the
// storage, for which other functions of the checker wait.
func (k *checker) suspend(by time.Duration) {
	if k != nil {
		k.suspended.Store(max(k.suspended.Load(), time.Now().Add(by).UnixNano()))
	}
}

// suspendAll prevents calls of all functions for a time, because the caches of the operator are from the future.
func (k *checker) suspendAll(by time.Duration) {
	if k != nil {
		k.restored.Store(time.Now().Add(by).UnixNano())
	}
}

func hasPassed(until *atomic.Int64) bool { return time.Now().UnixNano() >= until.Load() }

// awaitsRepetition reports whether the operator has yet to repeat a request. The caller must hold mu.
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

// atRest calls AtRest if the cluster has been quiet. A write that begins meanwhile makes the result void. The caller must hold mu.
func (k *checker) atRest(quiet time.Duration) {
	isActive := k.checks.IsActive == nil || k.checks.IsActive()
	if k.checks.AtRest == nil || !isActive || k.awaitsRepetition() || !k.isQuiet(quiet) || !hasPassed(&k.suspended) || !hasPassed(&k.restored) {
		return
	}
	view := k.storage.at(k.cluster.store.Revision())
	err := k.checks.AtRest(view)
	if err == nil || k.isQuiet(quiet) && view.revision == k.cluster.store.Revision() {
		k.judge(view, err, fmt.Sprintf("no request wrote for %s", quiet))
	}
}

func (k *checker) isQuiet(quiet time.Duration) bool {
	return k.cluster.recorder.quietSince(time.Now().Add(-quiet))
}

// judge adds the error of a function to the violations. when says when the function was called. The caller must hold mu.
func (k *checker) judge(view *View, err error, when string) {
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
