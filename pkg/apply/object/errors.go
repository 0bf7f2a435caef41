package object

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Refusal is an error that a retry does not resolve: for example, an object has another owner, or the API server does not accept it. It
// names the object and the remedy. Every other error of the engine is transient.
type Refusal struct {
	// Object is the object that is refused.
	Object Key
	// Err is the reason.
	Err error
	// Remedy is the instruction that resolves the error, such as "grant …".
	Remedy string
}

// Error names the object, why it is refused, and the remedy.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %s; %s", r.Object, Bounded(r.Err.Error()), r.Remedy)
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// IsRefusal reports whether an error is or wraps a Refusal.
func IsRefusal(err error) bool {
	var refusal *Refusal
	return errors.As(err, &refusal)
}

// maxText is the maximum length of an API server's message, in bytes, when a message of the manager quotes it. The API server's message may
// contain a whole object.
const maxText = 600

// Bounded returns a text as one line, shortened to maxText.
func Bounded(text string) string { return truncate.OneLine(text, maxText) }

// WaitError is the error for an object that must wait for a known event. It is not a failure.
type WaitError struct {
	// Reason is the event that must happen before the object can be written.
	Reason string
	// After is the time until the next attempt; zero means the usual interval.
	After time.Duration
	// Cause is the API server's error; nil if there is none.
	Cause error
	// Unread is true if the object's kind cannot be listed or watched, or is not listed in time, so that the state of the object is not known.
	Unread bool
}

// Error returns the reason.
func (w *WaitError) Error() string { return w.Reason }

// Unwrap returns the cause, or nil.
func (w *WaitError) Unwrap() error { return w.Cause }

// WaitFor returns a WaitError with the usual interval. The arguments are those of fmt.Sprintf.
func WaitFor(format string, args ...any) error {
	return &WaitError{Reason: fmt.Sprintf(format, args...)}
}

// IsWait reports whether an error is or wraps a WaitError.
func IsWait(err error) bool {
	var wait *WaitError
	return errors.As(err, &wait)
}

// WriteError converts the API server's error for a write to a Refusal, a WaitError, or a transient error. action is the verb in the text of
// a transient error. For a nil error it returns nil.
func WriteError(action string, key Key, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return WaitFor("%s waits for namespace %q, which is being deleted", key, key.Namespace)
	case apierrors.IsNotFound(err) && isNamespaceMissing(key, err):
		return &WaitError{Cause: err, After: namespaceTime, Reason: fmt.Sprintf("%s waits for namespace %q, which does not exist: create it (\"kubectl create namespace %s\"), or correct spec.config if it names the namespace",
			key, key.Namespace, key.Namespace)}
	case apierrors.IsNotFound(err):
		return &WaitError{Reason: fmt.Sprintf("%s waits for what it is created in: %s", key, Bounded(err.Error())), Cause: err}
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err):
		return &Refusal{Object: key, Err: err, Remedy: "correct the bundle, or spec.config where this comes from there, or delete the object that is in its way"}
	case apierrors.IsForbidden(err):
		return &Refusal{Object: key, Err: err, Remedy: "grant the manager what is missing, by a ClusterRole with the label " + corev1alpha2.LabelAggregateToBundles + "=true, or lift the policy that forbids it"}
	case apierrors.IsMethodNotSupported(err):
		return &Refusal{Object: key, Err: err, Remedy: "this kind cannot be applied"}
	}
	return fmt.Errorf("%s %s: %w", action, key, err)
}

// ForUser returns an error about requests of a user whom the manager impersonates. Its remedy for a forbidden request names the user. If user is
// empty, the manager itself sent the requests, and ForUser returns the error unchanged.
func ForUser(err error, user string) error {
	var refusal *Refusal
	if user == "" || !errors.As(err, &refusal) || !apierrors.IsForbidden(refusal.Err) {
		return err
	}
	return &Refusal{Object: refusal.Object, Err: refusal.Err, Remedy: "grant " + user + " what is missing, or lift the policy that forbids it"}
}

// isNamespaceMissing reports whether an error means that the namespace of an object does not exist.
func isNamespaceMissing(key Key, err error) bool {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || key.Namespace == "" {
		return false
	}
	details := answer.Status().Details
	return details != nil && details.Kind == "namespaces" && details.Name == key.Namespace
}

// namespaceTime is the time until the next attempt to create an object whose namespace does not exist. The attempt is repeated because no
// watch reports a new namespace, and a user has to act.
const namespaceTime = 15 * time.Second

// Foremost returns the most important of several errors: a Refusal before a transient error before a WaitError. Among errors of equal rank,
// it returns the one whose text sorts first, so that the message stays the same while nothing changes. It ignores nil errors, and returns
// nil if there is no other.
func Foremost(errs []error) error {
	var best error
	for _, err := range errs {
		if err == nil {
			continue
		}
		if best == nil || rank(err) < rank(best) || rank(err) == rank(best) && err.Error() < best.Error() {
			best = err
		}
	}
	return best
}

func rank(err error) int {
	switch {
	case IsRefusal(err):
		return 0
	case IsWait(err):
		return 2
	}
	return 1
}
