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

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

// maxWait bounds a step that waits.
const maxWait = 31 * 24 * time.Hour

// Verb carries out a step.
type Verb func(ctx context.Context, r *Runner, step Step) error

// Verbs returns the verbs that every story has. The caller may add to the map.
func Verbs() map[string]Verb {
	return map[string]Verb{
		"create":  create,
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

// create creates an object, with its status if it has one.
func create(ctx context.Context, r *Runner, step Step) error {
	object := &unstructured.Unstructured{}
	if err := step.Arguments.Into(&object.Object); err != nil {
		return err
	}
	client, err := r.client(step.As)
	if err != nil {
		return err
	}
	resource, err := client.resource(object.GroupVersionKind().GroupKind(), object.GetNamespace())
	if err != nil {
		return err
	}
	created, err := resource.Create(ctx, object, metav1.CreateOptions{})
	if err != nil || object.Object["status"] == nil {
		return err
	}
	created.Object["status"] = object.Object["status"]
	_, err = resource.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	return err
}

// patch changes an object by a JSON merge patch, with all fields beside object; with "status" through that subresource.
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
	_, err = resource.Patch(ctx, key.Name, types.MergePatchType, content, metav1.PatchOptions{}, subresources...)
	return err
}

// remove deletes an object.
func remove(ctx context.Context, r *Runner, step Step) error {
	var name string
	if err := step.Arguments.Into(&name); err != nil {
		return err
	}
	resource, key, err := r.object(step.As, name)
	if err != nil {
		return err
	}
	return resource.Delete(ctx, key.Name, metav1.DeleteOptions{})
}

// wait lets time pass.
func wait(_ context.Context, _ *Runner, step Step) error {
	var text string
	if err := step.Arguments.Into(&text); err != nil {
		return err
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if duration <= 0 || duration > maxWait {
		return fmt.Errorf("%s is not between 0 and %s", duration, maxWait)
	}
	time.Sleep(duration)
	return nil
}

// fault is a fault as a story writes it. It applies to requests that have all the given properties.
type fault struct {
	User      string `json:"user,omitempty"`
	Verb      string `json:"verb,omitempty"`
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Writes is whether it applies to writes only.
	Writes bool `json:"writes,omitempty"`
	// Nth is the first matching request that it applies to, and Times to how many; -1 is all.
	Nth   int `json:"nth,omitempty"`
	Times int `json:"times,omitempty"`

	// Exactly one of these says what becomes of the requests.
	Code     int              `json:"code,omitempty"`
	Delay    *metav1.Duration `json:"delay,omitempty"`
	Lose     bool             `json:"lose,omitempty"`
	LoseDone bool             `json:"loseResponse,omitempty"`
	// Kill is the process that is killed: before the request is sent, or with loseResponse after it was carried out.
	Kill string `json:"kill,omitempty"`
}

func (f fault) matches(request scenario.Request) bool {
	return (f.User == "" || f.User == request.User) && (f.Verb == "" || f.Verb == request.Verb) &&
		(f.Resource == "" || schema.ParseGroupResource(f.Resource) == request.Resource) &&
		(f.Namespace == "" || f.Namespace == request.Namespace) && (f.Name == "" || f.Name == request.Name) &&
		(!f.Writes || request.IsWrite())
}

func (f fault) effect(r *Runner) (scenario.Effect, error) {
	var kill func()
	if f.Kill != "" {
		process, found := r.Processes[f.Kill]
		if !found {
			return nil, fmt.Errorf("no process %q runs", f.Kill)
		}
		kill = process.Kill
	}
	switch {
	case f.Code != 0 && f.Delay == nil && !f.Lose && !f.LoseDone && kill == nil:
		return scenario.Refuse(f.Code, reasonOf(f.Code), 0), nil
	case f.Delay != nil && f.Code == 0 && !f.Lose && !f.LoseDone && kill == nil:
		return scenario.Delay(f.Delay.Duration), nil
	case f.LoseDone && f.Code == 0 && f.Delay == nil && !f.Lose:
		return scenario.LoseResponse(kill), nil
	case (f.Lose || kill != nil) && f.Code == 0 && f.Delay == nil && !f.LoseDone:
		return scenario.LoseRequest(kill), nil
	}
	return nil, errors.New("exactly one of code, delay, lose, loseResponse and kill says what becomes of the requests; kill may stand beside loseResponse")
}

// fail puts a fault in place, until the story ends or it has applied as often as it says.
func fail(_ context.Context, r *Runner, step Step) error {
	var f fault
	if err := step.Arguments.Into(&f); err != nil {
		return err
	}
	effect, err := f.effect(r)
	if err != nil {
		return err
	}
	r.Cluster.Inject(scenario.Fault{Match: f.matches, Nth: f.Nth, Times: f.Times, Effect: effect})
	return nil
}

// cut ends the watches that match.
func cut(_ context.Context, r *Runner, step Step) error {
	var f fault
	if err := step.Arguments.Into(&f); err != nil {
		return err
	}
	if r.Cluster.CutWatches(f.matches) == 0 {
		return errors.New("no watch matches")
	}
	return nil
}

// compact drops the history of all objects, and ends all watches: those that begin again have to list.
func compact(_ context.Context, r *Runner, _ Step) error {
	if err := r.Cluster.Compact(); err != nil {
		return err
	}
	r.Cluster.CutWatches(nil)
	return nil
}

// pods changes what becomes of the Pods of namespaces; those of others are as Runner.Pods says.
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

// reasonOf returns the reason that an API server gives with a status code.
func reasonOf(code int) metav1.StatusReason {
	switch code {
	case 403:
		return metav1.StatusReasonForbidden
	case 404:
		return metav1.StatusReasonNotFound
	case 409:
		return metav1.StatusReasonConflict
	case 410:
		return metav1.StatusReasonExpired
	case 422:
		return metav1.StatusReasonInvalid
	case 429:
		return metav1.StatusReasonTooManyRequests
	case 500:
		return metav1.StatusReasonInternalError
	case 503:
		return metav1.StatusReasonServiceUnavailable
	case 504:
		return metav1.StatusReasonTimeout
	}
	return metav1.StatusReasonUnknown
}
