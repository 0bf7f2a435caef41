package scenarios

import (
	"net/http"
	"slices"
	"sync"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/controllers"
	"github.com/openshift/platform-operators/pkg/scenario/workloads"
	"github.com/openshift/platform-operators/test/parity"
	"github.com/openshift/platform-operators/test/rbac"
)

// allRequests has the requests that the stories of this process sent to API servers.
var allRequests requestLog

// requestLog collects the requests of stories. Only add may be called concurrently.
type requestLog struct {
	lock sync.Mutex
	// types has an example of each type.
	types map[parity.RequestType]scenario.Request
	// manager are the requests of managers, without watches.
	manager []rbac.ObservedRequest
}

// add adds the requests of a story.
func (r *requestLog) add(all []scenario.Request) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.types == nil {
		r.types = map[parity.RequestType]scenario.Request{}
	}
	for _, request := range all {
		if slices.Contains(clusterUsers(), request.User) {
			continue
		}
		r.types[parity.RequestTypeOf(request)] = request
		if request.User == managerUser && request.Reason != "" { // a fault may have kept it from the API server
			r.manager = append(r.manager, observed(request))
		}
	}
}

// clusterUsers are the cluster's own controllers and its node. What they send in memory is not what Kubernetes' controllers send.
func clusterUsers() []string { return slices.Concat(controllers.Users(), workloads.Users()) }

func observed(request scenario.Request) rbac.ObservedRequest {
	verb := request.Verb
	if verb == "apply" {
		verb = "patch"
	}
	return rbac.ObservedRequest{
		Verb: verb, Group: request.Resource.Group, Resource: request.Resource.Resource, Subresource: request.Subresource,
		Namespace: request.Namespace, Name: request.Name, Path: request.Path, Reason: request.Reason,
		Created: request.Code == http.StatusCreated, Denied: request.Reason == apiserver.ReasonForbidden,
	}
}

// trace is what the managers' rights were used for.
func (r *requestLog) trace(shipped rbac.Shipped) rbac.Trace {
	trace := rbac.Trace{}
	for _, each := range r.manager {
		trace.Add(each, shipped)
	}
	return trace
}
