package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/health"
)

const (
	// parallel is how many objects of one phase are worked on at once. The client's own rate limit is what protects the
	// API server; this only hides the time that an answer takes.
	parallel = 8
	// maxListed bounds lists of names in reports.
	maxListed = 10
	// waitTime is when something that is waited for is looked at again where no watch tells.
	waitTime = 2 * time.Second
)

// Config is what an Engine is built from; every field is required.
type Config struct {
	Dynamic   dynamic.Interface
	Discovery discovery.CachedDiscoveryInterface
	Clock     clock.PassiveClock
	// Changed is called with the owner of an object that was changed or deleted, by whomever. It must not block.
	Changed func(owner string)
}

// Engine applies sets of objects and watches them. It is safe for concurrent use, one call an owner at a time.
type Engine struct {
	client  dynamic.Interface
	kinds   *kinds
	watches *watches

	mu     sync.Mutex
	owners map[string]*memory
}

// memory is what the engine remembers of one owner. Nothing depends on it: what is lost with a restart is found out again
// without a write.
type memory struct {
	mu sync.Mutex
	// clean is the state in which an object was last seen to be as declared.
	clean map[Key]cleanState
	// given are namespaces that were there before.
	given map[string]bool
	// gone are objects that a removal has seen disappear.
	gone map[Key]bool
}

// New builds an Engine. Its watches end with the context.
func New(ctx context.Context, config Config) (*Engine, error) {
	if config.Dynamic == nil || config.Discovery == nil || config.Clock == nil || config.Changed == nil {
		return nil, errors.New("building the apply engine: a field of its Config is not set")
	}
	return &Engine{
		client:  config.Dynamic,
		kinds:   newKinds(config.Discovery, config.Clock),
		watches: newWatches(ctx, config.Dynamic, config.Clock, config.Changed),
		owners:  map[string]*memory{},
	}, nil
}

// Options say how a set is applied.
type Options struct {
	// Gated lets a phase begin only when what it depends upon in the phases before is ready. A revision that was complete
	// once is kept without: a Deployment that fails today is no reason to leave the rest unrepaired.
	Gated bool
	// Trusted says that this set, and nothing after it, was applied completely before. It lets a restart tell drift from
	// what the API server makes of an object, without asking.
	Trusted bool
	// ReadOnly only looks: nothing is written.
	ReadOnly bool
	// Adoption is which objects that exist already may be taken over; empty means SamePackage.
	Adoption corev1alpha2.Adoption
	// Drift is what becomes of changes by others; empty fields mean Enforce and Report.
	Drift corev1alpha2.Drift
}

// Report is what became of a set.
type Report struct {
	// Total and Ready count the bundle's objects, and those of them that are as declared and pass their probe.
	Total, Ready int
	// Unready names the first objects that are not, and why, in the order of the phases.
	Unready []string
	// Complete says that every object of every phase is as declared.
	Complete bool
	// Phases is how many phases were worked on.
	Phases int
	// Waiting says what the next phase waits for; empty when nothing is.
	Waiting string
	// Created and Updated name what was written, at most 10 each; Writes counts all of it.
	Created, Updated []string
	Writes           int
	// Drift is what others changed, and what was done about it, at most 20; Drifted says that something declared is not as
	// it was declared and is left so.
	Drift   []corev1alpha2.DriftRecord
	Drifted bool
	// Warnings are what the API server warned of in this call's writes, each once, at most 20.
	Warnings []string
	// RetryAfter asks for another look after this time, because no watch may tell.
	RetryAfter time.Duration
}

// Apply makes a set's objects as they were declared, as far as its phases allow, and looks at their health. Calling it
// again goes on where it stopped; while nothing has changed it sends nothing. A *Refusal among the errors names an object
// that somebody has to see to; the report is good in any case.
func (e *Engine) Apply(ctx context.Context, set *Set, options Options) (Report, error) {
	memory := e.memoryOf(set.owner.Name)
	report := Report{Total: set.Len(), Complete: true}
	var failed error
	for _, each := range set.phases {
		outcomes, err := e.phase(ctx, set.owner, memory, each, options)
		report.add(outcomes)
		report.Phases++
		if err == nil {
			err = foremost(errorsOf(outcomes))
		}
		var waiting *waitingError
		switch {
		case errors.As(err, &waiting):
			report.wait(waiting.reason)
		case err != nil:
			report.Complete = false
			failed = foremost([]error{failed, err})
		}
		if !options.Gated {
			continue // what one phase lacks is no reason to leave the others unrepaired
		}
		if err != nil {
			break
		}
		if gate := gateOf(outcomes); gate != "" && report.Phases < len(set.phases) {
			report.wait(gate)
			break
		}
	}
	return report, failed
}

// KeepWatches stops watching kinds that none of the sets has.
func (e *Engine) KeepWatches(owner Owner, sets ...*Set) {
	wanted := map[schema.GroupVersionResource]bool{}
	for _, set := range sets {
		for _, each := range set.phases {
			for _, entry := range each.items {
				if mapping, err := e.kinds.mapper.RESTMapping(entry.key.GroupKind, entry.kind.Version); err == nil {
					wanted[mapping.Resource] = true
				}
			}
		}
	}
	e.watches.keep(owner.Name, wanted)
}

// Release forgets an owner that is gone.
func (e *Engine) Release(owner string) {
	e.watches.keep(owner, nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.owners, owner)
}

func (e *Engine) memoryOf(owner string) *memory {
	e.mu.Lock()
	defer e.mu.Unlock()
	found := e.owners[owner]
	if found == nil {
		found = &memory{clean: map[Key]cleanState{}, given: map[string]bool{}, gone: map[Key]bool{}}
		e.owners[owner] = found
	}
	return found
}

// phase works on the objects of one phase, some at a time. The error is of what they have in common, such as a kind that
// is not served; the outcomes hold their own.
func (e *Engine) phase(ctx context.Context, owner Owner, memory *memory, phase phase, options Options) ([]outcome, error) {
	places := map[schema.GroupVersionKind]place{}
	outcomes := make([]outcome, len(phase.items))
	for i, entry := range phase.items {
		if _, ok := places[entry.kind]; !ok {
			places[entry.kind] = e.placeOf(ctx, owner, entry.kind)
		}
		outcomes[i] = outcome{item: entry}
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, entry := range phase.items {
		at := places[entry.kind]
		if at.err != nil {
			outcomes[i].err = at.err
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			worker := worker{Engine: e, owner: owner, memory: memory, place: at, options: options}
			outcomes[i] = worker.bring(ctx, entry)
		})
	}
	group.Wait()
	return outcomes, ctx.Err()
}

// place is where objects of one kind are read and written.
type place struct {
	resource   schema.GroupVersionResource
	namespaced bool
	cache      *watched
	err        error
}

func (e *Engine) placeOf(ctx context.Context, owner Owner, kind schema.GroupVersionKind) place {
	mapping, err := e.kinds.mapping(kind)
	if err != nil {
		return place{err: err}
	}
	found, err := e.watches.of(ctx, owner.Name, mapping.Resource)
	if err != nil {
		return place{err: err}
	}
	return place{resource: mapping.Resource, namespaced: mapping.Scope.Name() == "namespace", cache: found}
}

// outcome is what became of one object.
type outcome struct {
	item    *item
	live    *unstructured.Unstructured
	created bool
	updated bool
	err     error
}

func errorsOf(outcomes []outcome) []error {
	var errs []error
	for _, each := range outcomes {
		errs = append(errs, each.err)
	}
	return errs
}

// problem says in one line why an object is not ready; empty when it is.
func (o outcome) problem() string {
	if o.err != nil {
		var waiting *waitingError
		var refusal *Refusal
		if errors.As(o.err, &waiting) || errors.As(o.err, &refusal) {
			return bounded(o.err.Error())
		}
		return fmt.Sprintf("%s: %s", o.item.key, bounded(o.err.Error()))
	}
	if o.live == nil {
		return fmt.Sprintf("%s: is not there", o.item.key)
	}
	if o.item.given {
		return ""
	}
	if result := health.Probe(o.live); !result.Ready {
		return bounded(result.Message)
	}
	return ""
}

func (r *Report) add(outcomes []outcome) {
	for _, each := range outcomes {
		problem := each.problem()
		if problem == "" && !each.item.own {
			r.Ready++
		}
		if problem != "" && len(r.Unready) < maxListed {
			r.Unready = append(r.Unready, problem)
		}
		if each.err != nil || each.live == nil {
			r.Complete = false
		}
		if each.created {
			r.Created = listed(r.Created, each.item.key)
			r.Writes++
		}
		if each.updated {
			r.Updated = listed(r.Updated, each.item.key)
			r.Writes++
		}
	}
}

func listed(names []string, key Key) []string {
	if len(names) < maxListed {
		names = append(names, key.String())
	}
	return names
}

func (r *Report) wait(reason string) {
	r.Complete = false
	r.RetryAfter = waitTime
	if r.Waiting == "" {
		r.Waiting = reason
	}
}

// gates are the kinds whose readiness later phases depend upon. A PersistentVolumeClaim is none, because it may be bound
// only when a Pod of a later phase uses it, and a Service is none, because its load balancer may take for ever.
var gates = []schema.GroupKind{
	{Kind: "Namespace"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "Job"},
}

// gateOf names the first object of a phase that the next one has to wait for.
func gateOf(outcomes []outcome) string {
	for _, each := range outcomes {
		if !slices.Contains(gates, each.item.key.GroupKind) {
			continue
		}
		if problem := each.problem(); problem != "" {
			return problem
		}
	}
	return ""
}
