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

// Refusal is an error that a retry will not cure by itself: an object has another owner, or the API server does not accept it. It
// names the object and what to do. Every other error of the engine is transient.
type Refusal struct {
	// Object that is refused.
	Object Key
	// Err is why.
	Err error
	// Remedy is how to resolve it.
	Remedy string
}

// Error names the object, why it is refused, and the remedy.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %s; %s", r.Object, Bounded(r.Err.Error()), r.Remedy)
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// IsRefusal reports whether an error is a Refusal.
func IsRefusal(err error) bool {
	var refusal *Refusal
	return errors.As(err, &refusal)
}

// maxText bounds what is shown of an API server's message: it may repeat a whole object.
const maxText = 600

// Bounded shortens a text for a message to one line.
func Bounded(text string) string { return truncate.OneLine(text, maxText) }

// WaitError is no fault: something known has to happen first.
type WaitError struct {
	// Reason is what must happen before the object can be written.
	Reason string
	// After is when to retry; zero is the usual interval.
	After time.Duration
	// Cause is the API server's error, if it answered with one.
	Cause error
}

// Error returns the reason.
func (w *WaitError) Error() string { return w.Reason }

// Unwrap returns the cause.
func (w *WaitError) Unwrap() error { return w.Cause }

// WaitFor returns a WaitError for the usual interval.
func WaitFor(format string, args ...any) error {
	return &WaitError{Reason: fmt.Sprintf(format, args...)}
}

// IsWait reports whether an error is a WaitError.
func IsWait(err error) bool {
	var wait *WaitError
	return errors.As(err, &wait)
}

// WriteError classifies the API server's answer to a write: as a Refusal, a WaitError, or a transient fault.
func WriteError(action string, key Key, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return WaitFor("%s waits for namespace %q, which is being deleted", key, key.Namespace)
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

// Foremost picks which of several errors to report: a Refusal before a transient fault before a WaitError. Among equals it is the first
// by text, so that the message stays the same while nothing changes.
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
