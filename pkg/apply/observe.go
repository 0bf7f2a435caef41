package apply

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
	"github.com/openshift/platform-operators/pkg/health"
)

// Observe reports the state of the objects of a set that was applied before as an identity; the zero Identity means the manager. It writes
// nothing and does not detect drift.
func (e *Engine) Observe(ctx context.Context, as Identity, set *Set) Report {
	call := e.newCall(set, Options{As: as, ReadOnly: true})
	report := Report{Total: set.Len(), Complete: true}
	for _, phase := range set.Phases() {
		resources := call.find(ctx, phase)
		outcomes := make([]outcome, len(phase.Objects))
		for i, desired := range phase.Objects {
			seen := reconcile.Outcome{Desired: desired}
			if found := resources[desired.GVK]; found.err != nil {
				seen.Err = named(desired.Key, found.err)
			} else {
				seen.Live, _ = found.resource.Cache.Get(desired.Key)
			}
			if desired.IsInstallNamespace && seen.Live == nil {
				seen.Live = &livecache.Live{} // a namespace that is not the owner's is not watched
			}
			problem, command := call.problemOf(ctx, &seen)
			outcomes[i] = outcome{reconciled: seen, problem: problem, command: command}
			if seen.Err == nil {
				outcomes[i].setUnread(resources[desired.GVK].resource.Unread())
			}
		}
		report.add(set, call.state, outcomes)
		report.Phases++
	}
	return report
}

// problemOf returns the reason why an object is not ready, in one line, and the command that shows more. problem is empty if the object is
// ready. command is empty if kubectl describe of the object shows it. For a problem of a Service or a Pod, which no watch reports,
// problemOf sets RetryAfter of the outcome.
func (c *call) problemOf(ctx context.Context, each *reconcile.Outcome) (problem, command string) {
	if missing := missing(*each); missing != "" || each.Desired.IsInstallNamespace || each.Postponed {
		return missing, ""
	}
	if result := each.Live.Probe; !result.Ready && !c.mayShow(ctx, each.Desired) {
		return fmt.Sprintf("%s: %s may not read it, so its state is not shown", each.Desired.Key, c.as.Name), ""
	} else if !result.Ready {
		found := c.podProblem(ctx, each)
		if found.Text == "" {
			return object.Bounded(result.Message), ""
		}
		return object.Bounded(result.Message + "; " + found.Text), found.Command
	}
	c.state.pods.forget(each.Desired.Key)
	for _, called := range each.Live.Services {
		if problem := c.serviceProblem(ctx, called); problem != "" {
			each.RetryAfter = serviceTime // because no watch reports it
			return object.Bounded(fmt.Sprintf("%s: %s", each.Desired.Key, problem)), ""
		}
	}
	return "", ""
}

// missing returns the reason why an object does not exist as declared, in one line; empty if it does.
func missing(each reconcile.Outcome) string {
	switch {
	case object.IsWait(each.Err) || object.IsRefusal(each.Err):
		return object.Bounded(each.Err.Error())
	case each.Err != nil:
		return object.Bounded(fmt.Sprintf("%s: %s", each.Desired.Key, each.Err))
	case each.Live == nil:
		return object.Bounded(fmt.Sprintf("%s: does not exist", each.Desired.Key))
	}
	return ""
}

// serviceTime is the time for which the state of a Service that is not in the set is cached.
const serviceTime = 30 * time.Second

type serviceState struct {
	problem string
	at      time.Time
}

// serviceMemory caches the state of the Services that webhooks call and that are not in the set.
type serviceMemory struct {
	mu     sync.Mutex
	states map[Key]serviceState
}

func (m *serviceMemory) state(key Key) (serviceState, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, ok := m.states[key]
	return state, ok
}

func (m *serviceMemory) setState(key Key, state serviceState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states[key] = state
}

// serviceProblem returns the reason why a webhook cannot call a Service; empty if there is none. For a Service of the same set it returns
// an empty string, because the set's report includes that Service. Other Services are not watched, so serviceProblem reads them at most
// once every serviceTime.
func (c *call) serviceProblem(ctx context.Context, called health.Service) string {
	key := Key{GroupKind: schema.GroupKind{Kind: "Service"}, Namespace: called.Namespace, Name: called.Name}
	if c.set.Has(key) {
		return ""
	}
	if last, ok := c.state.services.state(key); ok && c.engine.clock.Since(last.at) < serviceTime {
		return last.problem
	}
	state := serviceState{at: c.engine.clock.Now()}
	services := c.as.Dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "services"})
	_, err := services.Namespace(called.Namespace).Get(ctx, called.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err) && c.as.Name != "": // nothing of it is shown
	case apierrors.IsNotFound(err):
		state.problem = fmt.Sprintf("calls %s, which does not exist", key)
	case err != nil:
		state.problem = fmt.Sprintf("reading %s, which it calls: %v", key, err)
	}
	c.state.services.setState(key, state)
	return state.problem
}
