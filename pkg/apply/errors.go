package apply

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// Refusal is an error that trying again will not cure by itself: an object is somebody else's, or the API server does not
// take it. It names the object and what to do. Every other error of this package is a fault of the moment.
type Refusal struct {
	// Object that is refused.
	Object Key
	// Err is why.
	Err error
	// Remedy is what to do about it.
	Remedy string
}

// Error names the object, why it is refused, and the remedy.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %s; %s", r.Object, bounded(r.Err.Error()), r.Remedy)
}

// Unwrap gives the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// maxText bounds what is passed on of an API server's message: it may repeat a whole object.
const maxText = 600

func bounded(text string) string { return truncate.OneLine(text, maxText) }

// waitingError is no fault: something has to happen first, and it is known what.
type waitingError struct {
	reason string
	// after is when it is worth looking again; zero is the usual time.
	after time.Duration
	// cause is what the API server said, where it was that.
	cause error
}

func (w *waitingError) Error() string { return w.reason }

func (w *waitingError) Unwrap() error { return w.cause }

func waitFor(format string, args ...any) error {
	return &waitingError{reason: fmt.Sprintf(format, args...)}
}

// writeError sorts what the API server says to a write.
func writeError(action string, key Key, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return waitFor("%s waits for namespace %q, which is being deleted", key, key.Namespace)
	case apierrors.IsNotFound(err):
		return &waitingError{reason: fmt.Sprintf("%s waits for what it is created in: %s", key, bounded(err.Error())), cause: err}
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err):
		return &Refusal{Object: key, Err: err, Remedy: "correct the bundle, or spec.config where this comes from there, or delete the object that is in its way"}
	case apierrors.IsForbidden(err):
		return &Refusal{Object: key, Err: err, Remedy: "grant the manager what is missing, by a ClusterRole with the label " + corev1alpha2.LabelAggregateToBundles + "=true, or lift the policy that forbids it"}
	case apierrors.IsMethodNotSupported(err):
		return &Refusal{Object: key, Err: err, Remedy: "this kind cannot be applied"}
	}
	return fmt.Errorf("%s %s: %w", action, key, err)
}

// foremost picks what to tell of several errors: a refusal before a fault of the moment before a wait; the first by text
// among equals, so that the message stays while nothing changes.
func foremost(errs []error) error {
	var best error
	rank := func(err error) int {
		var refusal *Refusal
		var waiting *waitingError
		switch {
		case errors.As(err, &refusal):
			return 0
		case errors.As(err, &waiting):
			return 2
		}
		return 1
	}
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
