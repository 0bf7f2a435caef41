package platformoperator

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// Inventory is what this controller needs to know of the cluster beside its catalogs. A seam for tests.
type Inventory interface {
	// Kinds and Foreign are as in resolve.World. They read memory only.
	Kinds() []resolve.Kind
	Foreign() []resolve.Foreign
}

// decide asks the resolver about this operator among all, and notes which others have to look again: those for whom it decided
// something else on the way, and this one where the cluster has changed meanwhile, which may have been told before anybody knew
// that it matters. It fails when the context ends meanwhile: a decision that was cut short is neither
// carried out nor reported.
func (s *state) decide(ctx context.Context, request resolve.Request) (resolve.Decision, error) {
	requests, err := s.requests(s.on, s.operator.Name)
	if err != nil {
		return resolve.Decision{}, err
	}
	world := s.world(s.askProviders)
	world.Limit.Done = ctx.Done()
	answer := s.decisions.Decide(s.operator.Name, append(requests, request), world)
	if err := ctx.Err(); err != nil {
		return resolve.Decision{}, err
	}
	s.decided, s.others = true, answer.Others
	if now := s.world(nil); !slices.Equal(world.Kinds, now.Kinds) || !slices.Equal(world.Foreign, now.Foreign) {
		s.others = append(s.others, s.operator.Name)
	}
	return answer.Decision, nil
}

// requests are what all PlatformOperators ask for but one, of which the caller knows more.
func (c *controller) requests(on resolve.Cluster, but string) (requests []resolve.Request, err error) {
	all, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	for _, operator := range all {
		if operator.Name == but || packageHolder(operator, all) != operator.Name {
			continue
		}
		deployment, err := c.deployments.Get(operator.Name)
		switch {
		case apierrors.IsNotFound(err):
			deployment = nil
		case err != nil:
			return nil, err
		case !ownership.BelongsTo(deployment, operator):
			continue
		}
		if request, err := requestFor(operator, deployment, on); err == nil { // else it says so itself, and gets nothing
			requests = append(requests, request)
		}
	}
	return requests, nil
}

func (c *controller) world(providers func(catalog.GVK) []resolve.Providers) resolve.World {
	return resolve.World{Catalogs: c.catalogs.For, Unlisted: c.catalogs.Unlisted(), Kinds: c.inventory.Kinds(), Foreign: c.inventory.Foreign(), Providers: providers, Limit: c.limit}
}

// outdated names the operators whose decision no longer holds, and those of which none is kept. All may be both where that cannot
// be told.
func (c *controller) outdated() (outdated, undecided []string) {
	on, _, err := c.cluster()
	if err != nil {
		return nil, c.everyOperator(nil)
	}
	requests, err := c.requests(on, "")
	if err != nil {
		return nil, c.everyOperator(nil)
	}
	return c.decisions.Invalidate(requests, c.world(c.catalogs.Providers))
}

// ofChangedCluster enqueues the operators to which it may matter that the cluster's kinds, or packages that others have installed,
// have changed.
func (c *controller) ofChangedCluster(runtime.Object) []string {
	outdated, undecided := c.outdated()
	return append(outdated, undecided...)
}

// othersKey is the queue key for the search for operators whose decision no longer holds. No operator has a name with a slash.
const othersKey = "others/"

// othersPause is how long that search waits, so that one search serves all operators that change meanwhile: it goes through all
// operators, and when a hundred are removed, each changes several times.
const othersPause = 250 * time.Millisecond

// enqueueOthers has operators look again to which it matters what became of this one: it was decided with them, or it no longer is.
// Of those that were never decided each comes by itself.
func (c *controller) enqueueOthers(syncCtx factory.SyncContext, decided bool, others []string) {
	if !decided {
		syncCtx.Queue().AddAfter(othersKey, othersPause)
	}
	for _, other := range others {
		syncCtx.Queue().Add(other)
	}
}

// syncOthers enqueues the operators whose decision no longer holds.
func (c *controller) syncOthers(syncCtx factory.SyncContext) {
	outdated, _ := c.outdated()
	for _, other := range outdated {
		syncCtx.Queue().Add(other)
	}
}
