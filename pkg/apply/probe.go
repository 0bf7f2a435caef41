package apply

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/health"
)

// Look tells how the objects of a set that was applied before are, whatever they were declared to be meanwhile. It writes nothing,
// and does not look for drift.
func (e *Engine) Look(ctx context.Context, set *Set) Report {
	run := &run{Engine: e, set: set, memory: e.memoryOf(set.owner.Name)}
	report := Report{Total: set.Len(), Complete: true}
	for _, each := range set.phases {
		places := run.places(ctx, each)
		outcomes := make([]outcome, len(each.items))
		for i, entry := range each.items {
			outcomes[i] = outcome{item: entry}
			if at := places[entry.kind]; at.err != nil {
				outcomes[i].err = of(entry.key, at.err)
			} else {
				outcomes[i].live, _ = at.cache.get(entry.key)
			}
			if entry.given && outcomes[i].live == nil {
				outcomes[i].live = &seen{} // a namespace that is not ours is not among what is watched
			}
			outcomes[i].problem = run.problemOf(ctx, &outcomes[i])
		}
		report.add(run.memory, outcomes)
		report.Phases++
	}
	return report
}

// problemOf says in one line why an object is not ready; empty when it is.
func (r *run) problemOf(ctx context.Context, each *outcome) string {
	if missing := each.missing(); missing != "" || each.item.given || each.postponed {
		return missing
	}
	if result := each.live.probe; !result.Ready {
		return bounded(result.Message)
	}
	for _, called := range each.live.services {
		if missing := r.serviceProblem(ctx, called); missing != "" {
			each.again = serviceTime // nothing is watched that would tell
			return bounded(fmt.Sprintf("%s: %s", each.item.key, missing))
		}
	}
	return ""
}

// serviceTime is how long it stands that a Service of somebody else's exists, or does not.
const serviceTime = 30 * time.Second

type serviceState struct {
	problem string
	at      time.Time
}

// serviceProblem says what is wrong with a Service that is called; empty when nothing is. One of the same set is judged
// with the set. One of others is not watched, and is asked for now and then, while there is reason to look at all.
func (r *run) serviceProblem(ctx context.Context, called health.Service) string {
	key := Key{GroupKind: schema.GroupKind{Kind: "Service"}, Namespace: called.Namespace, Name: called.Name}
	if r.set.Has(key) {
		return ""
	}
	if last, ok := r.memory.serviceState(key); ok && r.clock.Since(last.at) < serviceTime {
		return last.problem
	}
	state := serviceState{at: r.clock.Now()}
	_, err := r.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "services"}).Namespace(called.Namespace).Get(ctx, called.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		state.problem = fmt.Sprintf("calls %s, which does not exist", key)
	case err != nil:
		state.problem = fmt.Sprintf("reading %s, which it calls: %v", key, err)
	}
	r.memory.setServiceState(key, state)
	return state.problem
}

func (m *memory) serviceState(key Key) (serviceState, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, ok := m.services[key]
	return state, ok
}

func (m *memory) setServiceState(key Key, state serviceState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.services[key] = state
}
