package apiserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	discoveryendpoint "k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/client-go/discovery"
)

// aggregatedDiscovery is the media type of aggregated discovery: all groups and their resources in one response.
const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// withGroups answers GET /apis with the groups of both servers, as kube-aggregator does. Without it, a client that does not accept
// aggregated discovery gets the groups of one server only.
func withGroups(handler http.Handler, manager discoveryendpoint.ResourceManager) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/apis" || strings.Contains(r.Header.Get("Accept"), "g=apidiscovery.k8s.io") {
			handler.ServeHTTP(w, r)
			return
		}
		aggregatedRequest := r.Clone(r.Context())
		aggregatedRequest.Header.Set("Accept", aggregatedDiscovery)
		recorder := httptest.NewRecorder()
		manager.ServeHTTP(recorder, aggregatedRequest)
		var list apidiscoveryv2.APIGroupDiscoveryList
		if err := json.Unmarshal(recorder.Body.Bytes(), &list); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		groups, _, _ := discovery.SplitGroupsAndResources(list)
		groups.Kind, groups.APIVersion = "APIGroupList", "v1"
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(groups) // fails only if the client has disconnected
	})
}
