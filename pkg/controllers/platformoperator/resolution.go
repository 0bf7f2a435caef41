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
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// resolve returns the resolver's decision about this PlatformOperator, which depends on all others. It records which PlatformOperators to
// sync: those whose decision changed, and this one if the cluster's kinds or packages changed during the call. It returns an error if the
// context ends, because an incomplete decision is neither executed nor reported.
func (c *controller) resolve(ctx context.Context, r *reconciliation, request resolve.Request) (resolve.Decision, error) {
	requests, err := c.requests(r.cluster, r.operator.Name)
	if err != nil {
		return resolve.Decision{}, err
	}
	world := c.clusterState(c.recordingProviders(r))
	world.Limit.Done = ctx.Done()
	answer := c.decisions.Resolve(r.operator.Name, append(requests, request), world)
	if err := ctx.Err(); err != nil {
		return resolve.Decision{}, err
	}
	r.isResolved, r.others = true, answer.Affected
	if now := c.clusterState(nil); !slices.Equal(world.Kinds, now.Kinds) || !slices.Equal(world.ExternalPackages, now.ExternalPackages) {
		r.others = append(r.others, r.operator.Name)
	}
	return answer.Decision, nil
}

// requests returns the requests of all PlatformOperators except one. PlatformOperators that are refused, or whose spec is invalid, have
// none. An empty except means all.
func (c *controller) requests(cluster resolve.Cluster, except string) (requests []resolve.Request, err error) {
	all, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	for _, operator := range all {
		if operator.Name == except || resolve.PackageHolder(operator, all) != operator.Name {
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
		current := upgradestep.CurrentOf(operator.Status, deployment)
		if request, err := resolve.RequestFor(operator, current.UpgradesFrom(), cluster); err == nil { // its own sync reports the error
			requests = append(requests, request)
		}
	}
	return requests, nil
}

func (c *controller) clusterState(providers func(catalog.GVK) []resolve.ProviderHint) resolve.ClusterState {
	return resolve.ClusterState{Catalogs: c.catalogs.For, Unlisted: c.catalogs.Unlisted(), Kinds: c.inventory.Kinds(), ExternalPackages: c.inventory.ExternalPackages(), ProviderHints: providers, Limit: c.limit}
}

// staleDecisions returns the PlatformOperators whose decision is no longer valid, and those without a decision. If the cluster cannot be
// read, all PlatformOperators are undecided.
func (c *controller) staleDecisions() (stale, undecided []string) {
	cluster, _, err := c.readCluster()
	if err != nil {
		return nil, c.allOperators(nil)
	}
	requests, err := c.requests(cluster, "")
	if err != nil {
		return nil, c.allOperators(nil)
	}
	return c.decisions.Invalidate(requests, c.clusterState(c.catalogs.Providers))
}

// operatorsWithStaleDecision returns the names of the PlatformOperators that a change to the cluster's kinds or to other installers'
// packages may affect.
func (c *controller) operatorsWithStaleDecision(runtime.Object) []string {
	stale, undecided := c.staleDecisions()
	return append(stale, undecided...)
}

// StaleDecisionsKey is the queue key of the search for PlatformOperators whose decision is no longer valid. It cannot be the name of an
// object, because it contains a slash.
const StaleDecisionsKey = "others/"

// staleDecisionsDelay is the delay before that search, so that one search handles many changes. The search checks all PlatformOperators. If
// a hundred of them are removed, each one changes several times.
const staleDecisionsDelay = 250 * time.Millisecond

// enqueueOthers enqueues the PlatformOperators that the sync of one affects. If the sync did not reach the resolver, it enqueues the search
// for stale decisions, because decisions about the others may no longer be valid.
func enqueueOthers(syncCtx factory.SyncContext, isResolved bool, others []string) {
	if !isResolved {
		syncCtx.Queue().AddAfter(StaleDecisionsKey, staleDecisionsDelay)
	}
	for _, other := range others {
		syncCtx.Queue().Add(other)
	}
}

// enqueueStaleDecisions enqueues the PlatformOperators whose decision is no longer valid. Those without a decision are already in the
// queue.
func (c *controller) enqueueStaleDecisions(syncCtx factory.SyncContext) {
	stale, _ := c.staleDecisions()
	for _, name := range stale {
		syncCtx.Queue().Add(name)
	}
}
