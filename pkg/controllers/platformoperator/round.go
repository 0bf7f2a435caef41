package platformoperator

import (
	"context"
	"reflect"
	"sync"

	"github.com/openshift/platform-operators/pkg/resolve"
)

// roundDecisions has the decisions of a round, for a process that runs only one. All syncs of a round have the same input, so one call of the
// resolver decides all PlatformOperators. The zero value has no decisions.
type roundDecisions struct {
	lock sync.Mutex
	// requests and decisions are keyed by PlatformOperator. They are nil before the first call of the resolver.
	requests  map[string]resolve.Request
	decisions map[string]resolve.Decision
}

// decideRound returns the decision about this PlatformOperator. It returns false in a process that runs more than one round, if the request
// differs from that of the input, or if the context ends before all PlatformOperators are decided.
func (c *controller) decideRound(ctx context.Context, r *reconciliation, request resolve.Request) (resolve.Decision, bool) {
	if !c.isOneRound {
		return resolve.Decision{}, false
	}
	c.round.lock.Lock()
	defer c.round.lock.Unlock()
	if c.round.decisions == nil {
		requests, err := c.requests(r.cluster, "")
		if err != nil {
			return resolve.Decision{}, false
		}
		world := c.clusterState(c.catalogs.Providers)
		world.Limit.Done = ctx.Done()
		decisions := c.decisions.ResolveAll(requests, world)
		if ctx.Err() != nil {
			return resolve.Decision{}, false
		}
		c.round.requests = make(map[string]resolve.Request, len(requests))
		for _, each := range requests {
			c.round.requests[each.Operator] = each
		}
		c.round.decisions = decisions
	}
	decision, isDecided := c.round.decisions[request.Operator]
	return decision, isDecided && reflect.DeepEqual(c.round.requests[request.Operator], request)
}
