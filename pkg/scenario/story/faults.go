package story

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// selector selects the requests that match all fields that are set.
type selector struct {
	User string `json:"user,omitempty"`
	Verb string `json:"verb,omitempty"`
	// Resource is a resource such as "deployments.apps", which includes its subresources, or a subresource such as
	// "deployments.apps/status".
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Writes selects only writes.
	Writes bool `json:"writes,omitempty"`
}

func (s selector) matches(request scenario.Request) bool {
	return (s.User == "" || s.User == request.User) && (s.Verb == "" || s.Verb == request.Verb) &&
		(s.Resource == "" || s.matchesResource(request)) &&
		(s.Namespace == "" || s.Namespace == request.Namespace) && (s.Name == "" || s.Name == request.Name) &&
		(!s.Writes || request.IsWrite())
}

func (s selector) matchesResource(request scenario.Request) bool {
	resource, subresource, hasSubresource := strings.Cut(s.Resource, "/")
	return schema.ParseGroupResource(resource) == request.Resource && (!hasSubresource || subresource == request.Subresource)
}

// requestVerbs are the possible values of scenario.Request.Verb.
var requestVerbs = []string{"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection", "post", "put", "head", "options"}

func (s selector) validate() error {
	if s.Verb != "" && !slices.Contains(requestVerbs, s.Verb) {
		return fmt.Errorf("no request has verb %q; write one of %s", s.Verb, strings.Join(requestVerbs, ", "))
	}
	return nil
}

// selectorHint is the end of the error message for a selector that matches nothing.
const selectorHint = "check user, verb, resource (such as deployments.apps, or deployments.apps/status), namespace and name"

// fault is the argument of verb "fail": the requests that the fault applies to, and its effect.
type fault struct {
	selector
	// Nth and Times have the same meaning as in scenario.Fault. Times -1 means scenario.Always.
	Nth   int `json:"nth,omitempty"`
	Times int `json:"times,omitempty"`

	// Exactly one of these fields and Kill must be set, except that LoseDone and Kill may be combined.
	Code     int              `json:"code,omitempty"`
	Delay    *metav1.Duration `json:"delay,omitempty"`
	Lose     bool             `json:"lose,omitempty"`
	LoseDone bool             `json:"loseResponse,omitempty"`
	// Kill is the name of the process to kill: before the request is sent, or with LoseDone after the response has arrived.
	Kill string `json:"kill,omitempty"`
}

// matches reports whether the fault may apply to a request. LoseDone excludes watches, because their responses do not end.
func (f fault) matches(request scenario.Request) bool {
	return f.selector.matches(request) && (request.Verb != "watch" || !f.LoseDone)
}

func (f fault) validate() error {
	if err := f.selector.validate(); err != nil {
		return err
	}
	switch {
	case f.Nth < 0:
		return fmt.Errorf("nth is %d; requests are counted from 1", f.Nth)
	case f.Times < scenario.Always:
		return fmt.Errorf("times is %d; write a number of requests, or -1 for all", f.Times)
	case f.Code != 0 && (f.Code < http.StatusBadRequest || f.Code > 599):
		return fmt.Errorf("code is %d; write a status from 400 to 599", f.Code)
	case f.Delay != nil && f.Delay.Duration <= 0:
		return fmt.Errorf("delay is %s; it must be longer than 0", f.Delay.Duration)
	case f.Verb == "watch" && f.LoseDone:
		return errors.New("a watch has no response that could be lost; cut it")
	}
	return nil
}

func (f fault) effect(r *Runner) (scenario.Effect, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	var kill func()
	if f.Kill != "" {
		process, found := r.Processes[f.Kill]
		if !found {
			return nil, fmt.Errorf("process %q does not run", f.Kill)
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
	return nil, errors.New("set exactly one of code, delay, lose, loseResponse and kill; only loseResponse and kill may be combined")
}

// fail injects a fault.
func fail(_ context.Context, r *Runner, step Step) error {
	var f fault
	if err := step.Arguments.Into(&f); err != nil {
		return err
	}
	effect, err := f.effect(r)
	if err != nil {
		return err
	}
	injection := r.Cluster.Inject(scenario.Fault{Match: f.matches, Nth: f.Nth, Times: f.Times, Effect: effect})
	r.injected = append(r.injected, injected{step.Position, injection})
	return nil
}

// injected is a fault that a step injected, and the position of the step.
type injected struct {
	position  Position
	injection *scenario.Injection
}

// RemoveFaults removes the faults that steps have injected. Run does not report removed faults that applied to no request.
func (r *Runner) RemoveFaults() {
	for _, each := range r.injected {
		each.injection.Remove()
	}
	r.removed = append(r.removed, r.injected...)
	r.injected = nil
}

// CountFaults returns how many faults the steps have injected, and how many of these applied to a request. It includes removed faults.
func (r *Runner) CountFaults() (injected, applied int) {
	for _, each := range slices.Concat(r.removed, r.injected) {
		injected++
		if len(each.injection.Applied()) > 0 {
			applied++
		}
	}
	return injected, applied
}

// unused returns an error for the first fault that applied to no request, because then the story does not test what it claims to test.
func (r *Runner) unused() error {
	for _, each := range r.injected {
		if len(each.injection.Applied()) == 0 {
			if matched := each.injection.Matched(); matched > 0 {
				return fmt.Errorf("%s: fail: the fault applied to no request, because only %d matched; lower nth, or let more requests match", each.position, matched)
			}
			return fmt.Errorf("%s: fail: the fault applied to no request; %s", each.position, selectorHint)
		}
	}
	return nil
}

// cut breaks the connections of the open watches that match the selector. It returns an error if none matches.
func cut(_ context.Context, r *Runner, step Step) error {
	var selected selector
	if err := step.Arguments.Into(&selected); err != nil {
		return err
	}
	if err := selected.validate(); err != nil {
		return err
	}
	if r.Cluster.CutWatches(selected.matches) == 0 {
		return errors.New("no open watch matches; " + selectorHint)
	}
	return nil
}

// reasonOf returns the reason in an API server's Status with this HTTP status code.
func reasonOf(code int) metav1.StatusReason {
	return apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", 0, true).ErrStatus.Reason
}
