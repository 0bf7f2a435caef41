package joint

import "github.com/openshift/platform-operators/pkg/resolve"

// ResolveAll returns the decisions of a new Cache.
func ResolveAll(requests []resolve.Request, state resolve.ClusterState) map[string]resolve.Decision {
	return new(Cache).ResolveAll(requests, state)
}
