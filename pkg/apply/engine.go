package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/pkg/plan"
)

const (
	// parallel is how many objects of one phase are worked on at once. It hides the time that an answer takes; what protects
	// the API server is its own priority and fairness, which answers "too many requests" to whom it has to.
	parallel = 8
	// passTime is how long one call writes before it returns to have told how far it is.
	passTime = 2 * time.Second
	// maxListed bounds lists of names in reports.
	maxListed = 10
	// waitTime is when something that is waited for is looked at again where no watch tells.
	waitTime = 2 * time.Second
	// atOnce asks for the next call without delay.
	atOnce = time.Millisecond
)

// Config is what an Engine is built from; every field is required.
type Config struct {
	// Dynamic is the client for everything that is applied. It should have no rate limit of its own, and WarningHandler.
	Dynamic dynamic.Interface
	// Metadata lists the objects of a namespace before it is deleted. pager.Bounded has to wrap the transport of both clients.
	Metadata  metadata.Interface
	Discovery discovery.CachedDiscoveryInterface
	Clock     clock.PassiveClock
	// Changed is called with the owner of an object that was changed or deleted, by whomever. It must not block.
	Changed func(owner string)
	// Deployed tells when a BundleDeployment was created, from a cache; false when there is none of that name.
	Deployed func(name string) (created time.Time, exists bool)
}

// Engine applies sets of objects and watches them. It is safe for concurrent use, one call an owner at a time.
type Engine struct {
	client      dynamic.Interface
	clock       clock.PassiveClock
	kinds       *kinds
	watches     *watches
	permissions *permissions
	namespaces  namespaceChecker
	changed     func(owner string)
	deployments deployments

	mu     sync.Mutex
	owners map[string]*memory
	// heard are the caches of CustomResourceDefinitions whose events are listened to.
	heard map[*watched]bool
}

// namespaceChecker checks whether a namespace holds objects of other owners; Check returns false until it has an answer.
type namespaceChecker interface {
	Check(question namespaceuse.Question) (namespaceuse.Answer, bool)
	Forget(owner string)
	CleanUp(ctx context.Context)
}

// memory is what the engine remembers of one owner. Nothing depends on it: what is lost with a restart is found out again
// without a write.
type memory struct {
	mu sync.Mutex
	// objects are what is known of each object.
	objects map[Key]objectState
	// given are namespaces that were there before.
	given map[string]bool
	// preexisting are those of them that the manager did not create for another BundleDeployment either.
	preexisting map[string]bool
	// unusable is the install namespace while nothing may be created in it; otherwise empty.
	unusable string
	// gone are objects that a removal is through with, and why those stay that it kept.
	gone map[Key]string
	// deleted are the UIDs of objects that a removal deleted.
	deleted map[types.UID]bool
	// warned is which object a warning was first heard of.
	warned map[string]Key
	// services are those of others that webhooks call.
	services map[Key]serviceState
}

// New builds an Engine. Its watches end with the context.
func New(ctx context.Context, config Config) (*Engine, error) {
	if config.Dynamic == nil || config.Metadata == nil || config.Discovery == nil || config.Clock == nil || config.Changed == nil || config.Deployed == nil {
		return nil, errors.New("building the apply engine: a field of its Config is not set")
	}
	return &Engine{
		client:      config.Dynamic,
		clock:       config.Clock,
		kinds:       newKinds(config.Discovery.RESTClient(), config.Clock),
		watches:     newWatches(ctx, config.Dynamic, config.Clock, config.Changed),
		permissions: newPermissions(config.Dynamic, config.Clock),
		namespaces: namespaceuse.New(ctx, namespaceuse.Config{
			Metadata: config.Metadata, Dynamic: config.Dynamic, Discovery: discovery.NewDiscoveryClient(config.Discovery.RESTClient()),
			RoleLabel: corev1alpha2.LabelAggregateToBundles, Clock: config.Clock, Answered: config.Changed,
		}),
		changed:     config.Changed,
		deployments: config.Deployed,
		owners:      map[string]*memory{},
		heard:       map[*watched]bool{},
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
	// Applied are sets of the owner's revisions that were applied completely: an object that one of them lists and that has the
	// owner labels is the owner's, even if a backup brought it back without the record of field managers.
	Applied []*Set
	// Namespace is what is known of the install namespace without reading it. Its Decide says whether one that is not the owner's may
	// be used.
	Namespace plan.InstallNamespace
	// Drift is what becomes of changes by others; empty fields mean Enforce and Report, and Ignore for additions where the policy is Ignore.
	Drift corev1alpha2.Drift
}

// Apply makes a set's objects as they were declared, as far as its phases allow, and looks at their health. Calling it
// again goes on where it stopped; while nothing has changed it sends nothing. A call that has much to write returns after
// some seconds, and asks to be called again at once, so that progress can be told and others have their turn. A *Refusal
// among the errors names an object that somebody has to see to; the report is good in any case.
func (e *Engine) Apply(ctx context.Context, set *Set, options Options) (Report, error) {
	run := &run{Engine: e, set: set, memory: e.memoryOf(set.owner.Name), options: options, rules: rulesOf(options), pass: &pass{clock: e.clock, start: e.clock.Now()}}
	report := Report{Total: set.Len(), Complete: true}
	var failed error
	for _, each := range set.phases {
		outcomes, err := run.phase(ctx, each)
		report.add(run.memory, outcomes)
		report.Phases++
		if err == nil {
			err = foremost(errorsOf(outcomes))
		}
		var waiting *waitingError
		switch {
		case errors.As(err, &waiting):
			report.wait(waiting.reason, waiting.after)
		case err != nil:
			report.Complete = false
			failed = foremost([]error{failed, err})
		}
		if !options.Gated {
			continue // what one phase lacks is no reason to leave the others unrepaired
		}
		if err != nil || report.postponed > 0 {
			break
		}
		if gate := gateOf(outcomes); gate != "" && report.Phases < len(set.phases) {
			report.wait(gate, waitTime)
			break
		}
	}
	if report.postponed > 0 {
		report.wait(fmt.Sprintf("applied %d of %d objects", report.applied, report.Total), atOnce)
	}
	report.Drift = newest(report.Drift)
	return report, failed
}

// pass bounds the time that one call writes. The bound holds only once something was written, so that every call gets on.
type pass struct {
	clock  clock.PassiveClock
	start  time.Time
	writes atomic.Int64
}

func (p *pass) over() bool { return p.writes.Load() > 0 && p.clock.Since(p.start) > passTime }

// KeepWatches stops watching kinds that none of the sets has.
func (e *Engine) KeepWatches(owner Owner, sets ...*Set) {
	wanted := map[schema.GroupVersionResource]bool{}
	for _, set := range sets {
		for _, each := range set.phases {
			for _, entry := range each.items {
				if found, ok := e.kinds.known(entry.kind); ok {
					wanted[found.GroupVersionResource] = true
				}
			}
		}
	}
	e.watches.keep(owner.Name, wanted)
	e.memoryOf(owner.Name).keep(sets)
}

// CleanUp revokes the rights that a check of namespaces left in an earlier process. It returns when that is done or the context ends.
func (e *Engine) CleanUp(ctx context.Context) { e.namespaces.CleanUp(ctx) }

// Release forgets an owner that is gone.
func (e *Engine) Release(owner string) {
	e.watches.keep(owner, nil)
	e.kinds.forget(owner)
	e.namespaces.Forget(owner)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.owners, owner)
}

func (e *Engine) memoryOf(owner string) *memory {
	e.mu.Lock()
	defer e.mu.Unlock()
	found := e.owners[owner]
	if found == nil {
		found = &memory{
			objects: map[Key]objectState{}, given: map[string]bool{}, preexisting: map[string]bool{}, gone: map[Key]string{}, deleted: map[types.UID]bool{},
			warned: map[string]Key{}, services: map[Key]serviceState{},
		}
		e.owners[owner] = found
	}
	return found
}

// run is one call of Apply.
type run struct {
	*Engine
	set     *Set
	memory  *memory
	options Options
	rules   *rules
	pass    *pass
}

// phase works on the objects of one phase, some at a time. The outcomes hold the errors of their objects, also those that
// they have in common, such as a kind that is not served.
func (r *run) phase(ctx context.Context, phase phase) ([]outcome, error) {
	places := r.places(ctx, phase)
	outcomes := make([]outcome, len(phase.items))
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, entry := range phase.items {
		at := places[entry.kind]
		if at.err != nil {
			outcomes[i] = outcome{item: entry, err: of(entry.key, at.err)}
			outcomes[i].problem = outcomes[i].missing()
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			ctx, heard := listening(ctx)
			worker := worker{Engine: r.Engine, owner: r.set.owner, memory: r.memory, place: *at, options: r.options, rules: r.rules, pass: r.pass}
			outcomes[i] = worker.bring(ctx, entry)
			outcomes[i].warnings = heard.list()
			if outcomes[i].created || outcomes[i].updated {
				r.pass.writes.Add(1)
			}
			outcomes[i].problem = r.problemOf(ctx, &outcomes[i])
		})
	}
	group.Wait()
	for _, each := range outcomes {
		if notServed(each.err) {
			r.kinds.outdated(each.item.kind.GroupVersion())
		}
	}
	return outcomes, ctx.Err()
}

// of says which object waits for what its kind waits for.
func of(key Key, err error) error {
	var waiting *waitingError
	if !errors.As(err, &waiting) {
		return err
	}
	return &waitingError{reason: key.String() + " " + waiting.reason, after: waiting.after, cause: waiting.cause}
}

// place is where objects of one kind are read and written.
type place struct {
	apiResource
	cache *watched
	err   error
}

// places finds the place of each kind of a phase, and has all caches filled at the same time.
func (r *run) places(ctx context.Context, phase phase) map[schema.GroupVersionKind]*place {
	places := map[schema.GroupVersionKind]*place{}
	var group sync.WaitGroup
	for _, entry := range phase.items {
		if places[entry.kind] != nil {
			continue
		}
		at, kind := &place{}, entry.kind
		places[kind] = at
		group.Go(func() { *at = r.placeOf(ctx, r.set.owner, kind) })
	}
	group.Wait()
	return places
}

func (e *Engine) placeOf(ctx context.Context, owner Owner, kind schema.GroupVersionKind) place {
	found, err := e.kinds.find(ctx, owner.Name, kind)
	if err != nil {
		return place{err: err}
	}
	filled, err := e.watches.of(ctx, owner.Name, found.GroupVersionResource)
	if err == nil && isCRD(kind.GroupKind()) {
		err = e.hear(filled)
	}
	return place{apiResource: found, cache: filled, err: err}
}

// hear listens to a cache of CustomResourceDefinitions: one that appears, or is established, may be what somebody waits for.
func (e *Engine) hear(definitions *watched) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.heard[definitions] {
		return nil
	}
	tell := func(object any) {
		live, ok := object.(*seen)
		if !ok {
			return
		}
		if _, group, named := strings.Cut(live.Name, "."); named {
			for _, owner := range e.kinds.stir(group) {
				e.changed(owner)
			}
		}
	}
	_, err := definitions.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: tell, UpdateFunc: func(_, after any) { tell(after) },
	})
	if err != nil {
		return fmt.Errorf("listening to CustomResourceDefinitions: %w", err)
	}
	clear(e.heard) // one that was stopped is heard of no more
	e.heard[definitions] = true
	return nil
}
