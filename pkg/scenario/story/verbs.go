package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// maxWait is the maximum duration of a "wait" step.
const maxWait = 31 * 24 * time.Hour

// Verb is a function that runs a step. It need not wait until the cluster has settled, because the Runner waits.
type Verb func(ctx context.Context, r *Runner, step Step) error

// Verbs returns a new map of this package's verbs, keyed by name. The caller may add its own verbs to the map.
func Verbs() map[string]Verb {
	return map[string]Verb{
		"create":  create,
		"apply":   apply,
		"patch":   patch,
		"delete":  remove,
		"wait":    wait,
		"fail":    fail,
		"cut":     cut,
		"compact": compact,
		"pods":    pods,
	}
}

func names(verbs map[string]Verb) string {
	return strings.Join(slices.Sorted(maps.Keys(verbs)), ", ")
}

// create creates an object, and then sets its status if the arguments have one.
func create(ctx context.Context, r *Runner, step Step) error {
	object := &unstructured.Unstructured{}
	if err := step.Arguments.Into(&object.Object); err != nil {
		return err
	}
	client, err := r.client(step.As)
	if err != nil {
		return err
	}
	resource, err := client.resourceOf(object)
	if err != nil {
		return err
	}
	created, err := resource.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	if err != nil || object.Object["status"] == nil {
		return err
	}
	created.Object["status"] = object.Object["status"]
	_, err = resource.UpdateStatus(ctx, created, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict})
	return err
}

// patch sends the arguments, except "object", as a JSON merge patch. It patches "status" through the status subresource. It returns an
// error if the arguments contain both "status" and other fields.
func patch(ctx context.Context, r *Runner, step Step) error {
	var arguments map[string]any
	if err := step.Arguments.Into(&arguments); err != nil {
		return err
	}
	name, _ := arguments["object"].(string)
	delete(arguments, "object")
	resource, key, err := r.object(step.As, name)
	if err != nil {
		return err
	}
	var subresources []string
	if _, found := arguments["status"]; found {
		if len(arguments) > 1 {
			return errors.New("a patch of the status cannot patch other fields; make it two steps")
		}
		subresources = []string{"status"}
	}
	content, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, key.Name, types.MergePatchType, content, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}, subresources...)
	return explainNotFound(name, err)
}

// remove deletes an object.
//
// It also ends the repetitions of the user's "apply" steps for the object.
func remove(ctx context.Context, r *Runner, step Step) error {
	var name string
	if err := step.Arguments.Into(&name); err != nil {
		return err
	}
	resource, key, err := r.object(step.As, name)
	if err != nil {
		return err
	}
	err = resource.Delete(ctx, key.Name, metav1.DeleteOptions{})
	if err == nil {
		kind, _, _ := strings.Cut(name, "/")
		r.endApplications(step.As, schema.ParseGroupKind(kind), key.Namespace, key.Name)
	}
	return explainNotFound(name, err)
}

// wait lets virtual time pass for the duration in the arguments, and repeats "apply" steps that are due. It returns an error if the
// duration is not positive or exceeds maxWait.
func wait(ctx context.Context, r *Runner, step Step) error {
	var text string
	if err := step.Arguments.Into(&text); err != nil {
		return err
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if duration <= 0 || duration > maxWait {
		return fmt.Errorf("the duration is %s; write a duration longer than 0 and at most %s", duration, maxWait)
	}
	return r.sleep(ctx, duration)
}

// compact removes the history of all objects and breaks all watches, so that clients must list again.
func compact(_ context.Context, r *Runner, step Step) error {
	if err := step.Arguments.Into(&struct{}{}); err != nil {
		return err
	}
	if err := r.Cluster.Compact(); err != nil {
		return err
	}
	r.Cluster.CutWatches(nil)
	return nil
}

// pods sets the behavior of Pods for each namespace in the arguments, and discards the behavior that earlier steps set. Runner.Pods decides
// the behavior of Pods in other namespaces.
func pods(_ context.Context, r *Runner, step Step) error {
	var arguments map[string]struct {
		After    metav1.Duration `json:"after,omitempty"`
		Waiting  string          `json:"waiting,omitempty"`
		Message  string          `json:"message,omitempty"`
		NotReady bool            `json:"notReady,omitempty"`
	}
	if err := step.Arguments.Into(&arguments); err != nil {
		return err
	}
	return r.Cluster.SetPodBehavior(func(pod *corev1.Pod) workloads.Behavior {
		behavior, found := arguments[pod.Namespace]
		if !found && r.Pods != nil {
			return r.Pods(pod)
		}
		if !found {
			return workloads.Ready()
		}
		return workloads.Behavior{After: behavior.After.Duration, Waiting: behavior.Waiting, Message: behavior.Message, NotReady: behavior.NotReady}
	})
}
