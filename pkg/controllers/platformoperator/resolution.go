package platformoperator

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// resolve returns the resolver's decision about this PlatformOperator, which depends on all others. It records which PlatformOperators to
// sync: those whose decision changed, and this one if the cluster's kinds or packages changed during the call. It returns an error if the
// context ends, because an incomplete decision is neither executed nor reported.
func (c *controller) resolve(ctx context.Context, r *reconciliation, request resolve.Request) (resolve.Decision, error) {
	if decision, isDecided := c.decideRound(ctx, r, request); isDecided {
		r.isResolved = true
		return decision, nil
	}
	requests, err := c.requests(r.cluster, r.operator.Name)
	if err != nil {
		return resolve.Decision{}, err
	}
	world := c.clusterState(c.recordingProviders(r))
	world.Limit.Done = ctx.Done()
	at, _ := slices.BinarySearchFunc(requests, request, resolve.Request.Compare)
	answer := c.decisions.Resolve(r.operator.Name, slices.Insert(requests, at, request), world)
	if err := ctx.Err(); err != nil {
		return resolve.Decision{}, err
	}
	r.isResolved, r.others = true, answer.Affected
	if now := c.clusterState(nil); !slices.Equal(world.Kinds, now.Kinds) || !slices.Equal(world.ExternalPackages, now.ExternalPackages) {
		r.others = append(r.others, r.operator.Name)
	}
	return answer.Decision, nil
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

// StaleDecisionsKey is the queue key of the search for PlatformOperators whose decision is no longer valid. It cannot be the name of an
// object, because it contains a slash.
const StaleDecisionsKey = "others/"

// staleDecisionsDelay is the delay before that search, so that one search handles many changes. The search checks all PlatformOperators. If
// a hundred of them are removed, each one changes several times.
const staleDecisionsDelay = 250 * time.Millisecond

// clusterChangedKey is the queue key of the search for the PlatformOperators that a change to the cluster's kinds or to other installers'
// packages may affect: those whose decision is no longer valid, and those without one. It is a key, so that one search handles many changes.
// When the manager starts, there is one for each CustomResourceDefinition.
const clusterChangedKey = "cluster/"

func clusterChanged(runtime.Object) []string { return []string{clusterChangedKey} }

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

// enqueueStaleDecisions enqueues the PlatformOperators whose decision is no longer valid, and those without a decision if the search is that
// of clusterChangedKey. Otherwise the latter are already in the queue.
func (c *controller) enqueueStaleDecisions(syncCtx factory.SyncContext, key string) {
	stale, undecided := c.staleDecisions()
	if key == clusterChangedKey {
		stale = append(stale, undecided...)
	}
	for _, name := range stale {
		syncCtx.Queue().Add(name)
	}
}
