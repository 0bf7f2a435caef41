// Package discovery builds the discovery documents of an API server from the kinds that it serves: aggregated discovery, and the documents
// of groups and versions for clients without it.
package discovery

import (
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

const (
	// host is the server's name. No client resolves it.
	host           = "kubernetes.default.svc:443"
	aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	status         = "status"
)

// Core returns the document at /api and its content type, for a request with the given header Accept.
func Core(set *kinds.Set, accept string) (document any, contentType string) {
	if acceptsAggregated(accept) {
		return aggregated(set, true), aggregatedType
	}
	return metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: set.Versions(""),
		ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: host}},
	}, runtime.ContentTypeJSON
}

// Groups returns the document at /apis and its content type, for a request with the given header Accept.
func Groups(set *kinds.Set, accept string) (document any, contentType string) {
	if acceptsAggregated(accept) {
		return aggregated(set, false), aggregatedType
	}
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, name := range set.Groups() {
		if group, found := Group(set, name); found && name != "" {
			group.TypeMeta = metav1.TypeMeta{}
			list.Groups = append(list.Groups, group)
		}
	}
	return list, runtime.ContentTypeJSON
}

func acceptsAggregated(accept string) bool {
	accept = strings.ReplaceAll(accept, " ", "")
	return strings.Contains(accept, "as=APIGroupDiscoveryList") && strings.Contains(accept, "v=v2;")
}

// Group returns the document of an API group. found is false if the group is not served.
func Group(set *kinds.Set, name string) (group metav1.APIGroup, found bool) {
	group = metav1.APIGroup{TypeMeta: metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}, Name: name}
	for _, version := range set.Versions(name) {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + version, Version: version})
	}
	if len(group.Versions) == 0 {
		return group, false
	}
	group.PreferredVersion = group.Versions[0]
	return group, true
}

// Version returns the resources of a version of a group. found is false if the version is not served.
func Version(set *kinds.Set, version schema.GroupVersion) (list metav1.APIResourceList, found bool) {
	resources := set.InVersion(version)
	list = metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version.String()}
	for _, one := range resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: one.Resource, SingularName: one.Singular, Namespaced: one.Is(kinds.Namespaced), Kind: one.Kind, Verbs: verbs(one),
			ShortNames: one.ShortNames, Categories: one.Categories,
		})
		if one.Is(kinds.HasStatus) {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: one.Resource + "/" + status, Namespaced: one.Is(kinds.Namespaced), Kind: one.Kind, Verbs: subresourceVerbs,
			})
		}
	}
	return list, len(resources) > 0
}

var subresourceVerbs = []string{"get", "patch", "update"}

func verbs(r *kinds.Resource) []string {
	switch {
	case r.Is(kinds.IsReview):
		return []string{"create"}
	case r.Group == "" && r.Resource == "namespaces": // no deletecollection
		return []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	}
	if r.Custom { // in the order of k8s.io/apiextensions-apiserver
		return []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	}
	return []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}

func aggregated(set *kinds.Set, core bool) apidiscoveryv2.APIGroupDiscoveryList {
	list := apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: apidiscoveryv2.SchemeGroupVersion.String()},
	}
	for _, name := range set.Groups() {
		if core != (name == "") {
			continue
		}
		group := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, version := range set.Versions(name) {
			group.Versions = append(group.Versions, aggregatedVersion(set, schema.GroupVersion{Group: name, Version: version}))
		}
		list.Items = append(list.Items, group)
	}
	return list
}

func aggregatedVersion(set *kinds.Set, version schema.GroupVersion) apidiscoveryv2.APIVersionDiscovery {
	result := apidiscoveryv2.APIVersionDiscovery{Version: version.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
	for _, one := range set.InVersion(version) {
		kind := metav1.GroupVersionKind(one.GroupVersionKind())
		described := apidiscoveryv2.APIResourceDiscovery{
			Resource: one.Resource, ResponseKind: &kind, Scope: apidiscoveryv2.ScopeCluster, SingularResource: one.Singular,
			Verbs: verbs(one), ShortNames: one.ShortNames, Categories: one.Categories,
		}
		if one.Is(kinds.Namespaced) {
			described.Scope = apidiscoveryv2.ScopeNamespace
		}
		if one.Is(kinds.HasStatus) {
			described.Subresources = []apidiscoveryv2.APISubresourceDiscovery{
				{Subresource: status, ResponseKind: &kind, Verbs: subresourceVerbs},
			}
		}
		result.Resources = append(result.Resources, described)
	}
	return result
}
