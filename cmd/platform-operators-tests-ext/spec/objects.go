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

// named is how many names a failure has at most.
const named = 20

// Object is an object that a specification makes.
type Object struct {
	// Kind is what a failure calls it.
	Kind     string
	Resource schema.GroupVersionResource
	// Namespace is empty for what is in none.
	Namespace, Name string
	// Leaves, if it is set, names what has come because of the object, and has to go with it; nothing when all of it is gone.
	Leaves func(context.Context) ([]string, error)
}

func (o Object) String() string {
	if o.Namespace != "" {
		return fmt.Sprintf("%s \"%s/%s\"", o.Kind, o.Namespace, o.Name)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Name)
}

// Create has an object created, and removed when the specification has ended, with what it leaves. It is removed also when its
// creation failed, because what is there after a lost answer nobody knows; one that was there before is left alone, whatever its
// creation is answered with: admission may refuse it before anybody sees that it is there.
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

// Remove deletes an object, and waits until it and what it leaves are gone.
func (t *T) Remove(ctx context.Context, object Object) {
	t.Persist(ctx, func(ctx context.Context) error { return t.takeDown(ctx, object) })
}

// takeDown deletes an object if nobody has, and says why it is not gone yet.
func (t *T) takeDown(ctx context.Context, object Object) error {
	objects := t.Dynamic.Resource(object.Resource).Namespace(object.Namespace)
	live, err := objects.Get(ctx, object.Name, metav1.GetOptions{})
	if err == nil && live.GetDeletionTimestamp() == nil {
		if err = objects.Delete(ctx, object.Name, metav1.DeleteOptions{}); err == nil {
			live, err = objects.Get(ctx, object.Name, metav1.GetOptions{}) // most are gone at once
		}
	}
	switch {
	case apierrors.IsNotFound(err):
		return object.leaves(ctx)
	case err != nil:
		return fmt.Errorf("%s may be left behind: removing it: %w", object, err)
	}
	return fmt.Errorf("%s is left behind: it was deleted, and waits for its finalizers %q", object, live.GetFinalizers())
}

func (o Object) leaves(ctx context.Context) error {
	if o.Leaves == nil {
		return nil
	}
	names, err := o.Leaves(ctx)
	if err != nil {
		return fmt.Errorf("%s is gone, and may have left something behind: looking for it: %w", o, err)
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if len(names) > named {
		more = fmt.Sprintf(" and %d more", len(names)-named)
		names = names[:named]
	}
	return fmt.Errorf("%s is gone, and has left behind %s%s", o, strings.Join(names, ", "), more)
}

// Persist does something again and again until there is no error: in a run as long as its patience lasts, and in a clean-up as
// long as that may take. The last error is the failure.
func (t *T) Persist(ctx context.Context, do func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, often, true, func(ctx context.Context) (bool, error) {
		// That the time is up in the middle of a request says less than what was said before.
		if err := do(ctx); err == nil || last == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%v (waited for up to %s: %v)", last, t.patience, err)
	}
}
