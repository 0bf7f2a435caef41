package spec

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

// maxNames is the maximum number of object names in a failure message.
const maxNames = 20

// Object identifies an object that a spec creates.
type Object struct {
	// Kind is the kind of the object. It is used only in failure messages.
	Kind     string
	Resource schema.GroupVersionResource
	// Namespace is empty for cluster-scoped objects.
	Namespace, Name string
	// Remains returns the names of the existing objects that must be deleted together with this object. It is nil if there are no such
	// objects.
	Remains func(context.Context) ([]string, error)
}

func (o Object) String() string {
	if o.Namespace != "" {
		return fmt.Sprintf("%s \"%s/%s\"", o.Kind, o.Namespace, o.Name)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Name)
}

// Create creates an object by calling create, and registers a cleanup that removes the object. The cleanup removes the object even if the
// creation failed, because the object may exist if only the response was lost. If the object already exists, Create fails the spec and
// never removes the object. It reads the object first, because admission may refuse the creation before the API server finds the existing
// object.
func (t *T) Create(ctx context.Context, object Object, create func(context.Context) error) {
	const there = "%s already exists: it remains from an earlier run, or another run is in progress; if no other run is in progress, delete it and run the spec again"
	_, err := t.Dynamic.Resource(object.Resource).Namespace(object.Namespace).Get(ctx, object.Name, metav1.GetOptions{})
	if err == nil {
		t.Fatalf(there, object)
	}
	t.Expect(apierrors.IsNotFound(err)).To(gomega.BeTrue(), "checking whether %s exists: %v", object, err)
	ours := true
	t.Cleanup(func(ctx context.Context) {
		if ours {
			t.Remove(ctx, object)
		}
	})
	err = create(ctx)
	if apierrors.IsAlreadyExists(err) {
		ours = false
		t.Fatalf(there, object)
	}
	t.Expect(err).To(gomega.Succeed(), "creating %s", object)
}

// Remove deletes an object, and waits until the object and its remains no longer exist. It fails the spec if they still exist after the
// timeout.
func (t *T) Remove(ctx context.Context, object Object) {
	t.Retry(ctx, func(ctx context.Context) error { return t.removeOnce(ctx, object) })
}

// removeOnce deletes an object unless it is already being deleted. It returns an error if the object or its remains still exist.
func (t *T) removeOnce(ctx context.Context, object Object) error {
	objects := t.Dynamic.Resource(object.Resource).Namespace(object.Namespace)
	live, err := objects.Get(ctx, object.Name, metav1.GetOptions{})
	if err == nil && live.GetDeletionTimestamp() == nil {
		if err = objects.Delete(ctx, object.Name, metav1.DeleteOptions{}); err == nil {
			live, err = objects.Get(ctx, object.Name, metav1.GetOptions{}) // the API server removes most objects immediately
		}
	}
	switch {
	case apierrors.IsNotFound(err):
		return object.checkRemains(ctx)
	case err != nil:
		return fmt.Errorf("%s may still exist: deleting it: %w", object, err)
	}
	return fmt.Errorf("%s still exists: it was deleted, and waits for its finalizers %q", object, live.GetFinalizers())
}

func (o Object) checkRemains(ctx context.Context) error {
	if o.Remains == nil {
		return nil
	}
	names, err := o.Remains(ctx)
	if err != nil {
		return fmt.Errorf("%s is deleted, but other objects may remain: listing them: %w", o, err)
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if len(names) > maxNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxNames)
		names = names[:maxNames]
	}
	return fmt.Errorf("%s is deleted, but other objects remain: %s%s", o, strings.Join(names, ", "), more)
}

// Retry calls a function until it returns nil. After the timeout, it fails the spec with the last error. The timeout is Limits.Timeout, or
// Limits.Cleanup in a cleanup.
func (t *T) Retry(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		// Keep the previous error if the timeout ended this call, because the previous error is more specific.
		if err := do(ctx); err == nil || last == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%v (waited for up to %s: %v)", last, t.timeout, err)
	}
}
