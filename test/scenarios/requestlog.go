package scenarios

import (
	"fmt"
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

// allRequests collects the requests that all stories in this process have sent to API servers.
var allRequests requestLog

// requestLog collects the requests of stories. add may be called concurrently; the other methods may not.
type requestLog struct {
	lock sync.Mutex
	// examples has a request of each type.
	examples map[parity.RequestType]scenario.Request
	// manager holds the managers' requests that an API server authorized or denied.
	manager []rbac.ObservedRequest
	// impersonated holds the users that managers impersonated, once for each request.
	impersonated []string
}

// add adds the requests that the cluster's API server received, except for those of clusterUsers. It adds requests of managers to the trace
// only if isTraced is true.
func (r *requestLog) add(cluster *scenario.Cluster, isTraced bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.examples == nil {
		r.examples = map[parity.RequestType]scenario.Request{}
	}
	for _, request := range slices.Concat(cluster.Requests(), cluster.Watches()) {
		if slices.Contains(clusterUsers(), request.User) {
			continue
		}
		for _, each := range parity.RequestTypesOf(request) {
			r.examples[each] = request
		}
		if isTraced && request.User == managerUser && request.Impersonated != "" {
			r.impersonated = append(r.impersonated, request.Impersonated)
			continue
		}
		if isTraced && request.User == managerUser && request.Reason != "" { // otherwise it was lost, or a fault kept it from the API server
			r.manager = append(r.manager, observed(request))
		}
	}
}

// clusterUsers returns the users of the cluster's own controllers and of its node. Their requests are not collected, because they differ
// from those of Kubernetes' controllers.
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

// lacking returns the types of collected requests that the table does not cover, sorted, each with an example.
func (r *requestLog) lacking(table parity.RequestTypes) []string {
	var lacking []string
	for each, example := range r.examples {
		if !table.Cover(each) {
			lacking = append(lacking, fmt.Sprintf("%s (%s)", each, example))
		}
	}
	slices.Sort(lacking)
	return lacking
}

// trace returns the requests of managers as a trace, which test/rbac compares with the shipped roles.
func (r *requestLog) trace(shipped rbac.ShippedRoles) rbac.Trace {
	trace := rbac.Trace{}
	for _, each := range r.manager {
		trace.Add(each, shipped)
	}
	for _, each := range r.impersonated {
		trace.AddImpersonation(each, shipped)
	}
	return trace
}
