package story

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// minApplyInterval is the minimum of "every" in an "apply" step. It limits the number of requests during the longest "wait".
const minApplyInterval = 10 * time.Second

// application holds the arguments of verb "apply", and the state of the step's repetition.
type application struct {
	Object map[string]any `json:"object"`
	// FieldManager is the field manager; the default is "gitops".
	FieldManager string `json:"fieldManager,omitempty"`
	// Every is the interval of repetitions during "wait"; nil applies the object once.
	Every *metav1.Duration `json:"every,omitempty"`

	step Step
	// due is the time of the next repetition.
	due time.Time
}

// apply applies an object by server-side apply, and takes over fields from other field managers. With "every", "wait" steps repeat the
// apply, as a GitOps tool does, until the same user applies the object again or deletes it.
func apply(ctx context.Context, r *Runner, step Step) error {
	applied := &application{step: step, FieldManager: "gitops"}
	if err := step.Arguments.Into(applied); err != nil {
		return err
	}
	if applied.Object == nil {
		return errors.New("object is missing; write the object to apply")
	}
	if applied.Every != nil && applied.Every.Duration < minApplyInterval {
		return fmt.Errorf("every is %s; the minimum is %s", applied.Every.Duration, minApplyInterval)
	}
	object := applied.object()
	r.endApplications(step.As, object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName())
	if applied.Every != nil {
		applied.due = time.Now().Add(applied.Every.Duration)
		r.applications = append(r.applications, applied)
	}
	return applied.send(ctx, r)
}

func (a *application) object() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: a.Object}
}

func (a *application) send(ctx context.Context, r *Runner) error {
	client, err := r.client(a.step.As)
	if err != nil {
		return err
	}
	object := a.object()
	resource, err := client.resourceOf(object)
	if err != nil {
		return err
	}
	_, err = resource.Apply(ctx, object.GetName(), object.DeepCopy(), metav1.ApplyOptions{FieldManager: a.FieldManager, Force: true})
	return err
}

// repeat applies the object again. Like the step, it may be refused. A step that must be refused may later be accepted, because the
// cluster has changed.
func (a *application) repeat(ctx context.Context, r *Runner) error {
	err := a.send(ctx, r)
	if err == nil || a.step.Refused.permits(err) {
		return nil
	}
	return fmt.Errorf("repeating the apply of %s: %w", a.step.Position, err)
}

// endApplications ends the repetitions of a user's "apply" steps for an object. An empty group stands for all groups.
func (r *Runner) endApplications(user string, kind schema.GroupKind, namespace, name string) {
	r.applications = slices.DeleteFunc(r.applications, func(a *application) bool {
		object := a.object()
		of := object.GroupVersionKind().GroupKind()
		return a.step.As == user && of.Kind == kind.Kind && (kind.Group == "" || kind.Group == of.Group) &&
			object.GetNamespace() == namespace && object.GetName() == name
	})
}

// sleep lets virtual time pass, and repeats "apply" steps when they are due.
func (r *Runner) sleep(ctx context.Context, duration time.Duration) error {
	end := time.Now().Add(duration)
	for {
		var next *application
		for _, each := range r.applications {
			if !each.due.After(end) && (next == nil || each.due.Before(next.due)) {
				next = each
			}
		}
		if next == nil {
			time.Sleep(time.Until(end))
			return nil
		}
		time.Sleep(time.Until(next.due)) // at once if it was due in an earlier step
		if err := next.repeat(ctx, r); err != nil {
			return err
		}
		next.due = time.Now().Add(next.Every.Duration)
	}
}
