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

// maxNames bounds the names in a failure.
const maxNames = 20

// Object is an object that a spec creates.
type Object struct {
	// Kind is the kind in failures.
	Kind     string
	Resource schema.GroupVersionResource
	// Namespace is empty for cluster-scoped objects.
	Namespace, Name string
	// Remains returns the names of objects that exist because of this object and must be removed with it; nil if there are none to check.
	Remains func(context.Context) ([]string, error)
}

func (o Object) String() string {
	if o.Namespace != "" {
		return fmt.Sprintf("%s \"%s/%s\"", o.Kind, o.Namespace, o.Name)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Name)
}

// Create creates an object, and removes it with its remains when the spec ends. It also removes the object after a failed creation, because
// the object may exist if the answer was lost. It does not touch an object that existed before, whatever the error of the creation is:
// admission may refuse the creation before the API server finds the existing object.
func (t *T) Create(ctx context.Context, object Object, create func(context.Context) error) {
	const there = "%s is there already: an earlier run left it behind, or another one is under way; when there is none, remove it and run this again"
	_, err := t.Dynamic.Resource(object.Resource).Namespace(object.Namespace).Get(ctx, object.Name, metav1.GetOptions{})
	if err == nil {
		t.Fatalf(there, object)
	}
	t.Expect(apierrors.IsNotFound(err)).To(gomega.BeTrue(), "looking whether %s is there already: %v", object, err)
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

// Remove deletes an object, and waits until it and its remains are gone.
func (t *T) Remove(ctx context.Context, object Object) {
	t.Retry(ctx, func(ctx context.Context) error { return t.removeOnce(ctx, object) })
}

// removeOnce deletes an object unless that has happened, and returns an error while it or its remains exist.
func (t *T) removeOnce(ctx context.Context, object Object) error {
	objects := t.Dynamic.Resource(object.Resource).Namespace(object.Namespace)
	live, err := objects.Get(ctx, object.Name, metav1.GetOptions{})
	if err == nil && live.GetDeletionTimestamp() == nil {
		if err = objects.Delete(ctx, object.Name, metav1.DeleteOptions{}); err == nil {
			live, err = objects.Get(ctx, object.Name, metav1.GetOptions{}) // most are gone at once
		}
	}
	switch {
	case apierrors.IsNotFound(err):
		return object.checkRemains(ctx)
	case err != nil:
		return fmt.Errorf("%s may be left behind: removing it: %w", object, err)
	}
	return fmt.Errorf("%s is left behind: it was deleted, and waits for its finalizers %q", object, live.GetFinalizers())
}

func (o Object) checkRemains(ctx context.Context) error {
	if o.Remains == nil {
		return nil
	}
	names, err := o.Remains(ctx)
	if err != nil {
		return fmt.Errorf("%s is gone, and may have left something behind: looking for it: %w", o, err)
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if len(names) > maxNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxNames)
		names = names[:maxNames]
	}
	return fmt.Errorf("%s is gone, and has left behind %s%s", o, strings.Join(names, ", "), more)
}

// Retry calls a function until it returns no error: for the timeout in a spec, and for the cleanup limit in a cleanup. The last error is
// the failure.
func (t *T) Retry(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		// That the time is up in the middle of a request says less than what was said before.
		if err := do(ctx); err == nil || last == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%v (waited for up to %s: %v)", last, t.timeout, err)
	}
}
