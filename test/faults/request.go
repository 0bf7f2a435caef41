package faults

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"
)

// Request describes a request before it is forwarded.
type Request struct {
	// Verb is the Kubernetes verb: get, list, watch, create, update, patch, delete or deletecollection, or apply for server-side apply. If
	// the path is not that of a Kubernetes resource, Verb is the HTTP method in lower case.
	Verb string
	// Group, Resource, Subresource, Namespace and Name identify the object. For a create, Name comes from the body. It is empty
	// if the API server generates the name.
	Group, Resource, Subresource, Namespace, Name string
	// Path is the URL's path, without the query.
	Path string
	// UserAgent is the User-Agent header.
	UserAgent string
	// BodyDigest is the digest of the body, as in "sha256:…". It is empty if there is no body.
	BodyDigest string
}

// String returns the verb, the resource and the object's name, as in "apply deployments memo/controller", or the verb and the path if the
// request has no resource.
func (r Request) String() string {
	if r.Resource == "" {
		return r.Verb + " " + r.Path
	}
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return r.Verb + " " + resource + " " + name
}

var mutating = []string{"create", "update", "patch", "apply", "delete", "deletecollection"}

// Mutating reports whether the request writes an object. It is false for a SelfSubjectAccessReview, which the API server does not store.
func (r Request) Mutating() bool {
	return r.Resource != "" && slices.Contains(mutating, r.Verb) && r.Resource != "selfsubjectaccessreviews"
}

// resolver parses paths as the API server does.
var resolver = &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// describe returns the description of a request with the given body.
func describe(r *http.Request, body []byte) Request {
	described := Request{Verb: strings.ToLower(r.Method), Path: r.URL.Path, UserAgent: r.UserAgent()}
	info, err := resolver.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return described
	}
	described.Verb, described.Group, described.Resource, described.Subresource = info.Verb, info.APIGroup, info.Resource, info.Subresource
	described.Namespace, described.Name = info.Namespace, info.Name
	if described.Resource == "namespaces" {
		described.Namespace = "" // Namespaces are cluster-scoped
	}
	if described.Verb == "patch" && strings.HasPrefix(r.Header.Get("Content-Type"), string(types.ApplyPatchType)) {
		described.Verb = "apply"
	}
	if len(body) > 0 {
		sum := sha256.Sum256(body)
		described.BodyDigest = "sha256:" + hex.EncodeToString(sum[:])
	}
	if described.Name == "" && described.Verb == "create" {
		described.Name = nameIn(body)
	}
	return described
}

// nameIn returns the name of the object in a request body, or "" if the body has none. The body is JSON, or protobuf if a typed client
// sends a built-in kind.
func nameIn(body []byte) string {
	var object metav1.PartialObjectMetadata
	if json.Unmarshal(body, &object) == nil {
		return object.Name
	}
	decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return ""
	}
	accessor, err := meta.Accessor(decoded)
	if err != nil {
		return ""
	}
	return accessor.GetName()
}

// Match returns true for the requests that a fault or a filter selects.
type Match func(Request) bool

// And returns a Match that selects the requests that both m and other select.
func (m Match) And(other Match) Match { return func(r Request) bool { return m(r) && other(r) } }

// Writes selects the writes that can change decisions of the manager. It does not select writes to events, leases and access reviews.
func Writes(r Request) bool {
	return r.Mutating() && !isBookkeeping(r)
}

// EngineWrites selects Writes that install, upgrade, repair or remove a BundleDeployment. It leaves out writes to the manager's own status,
// which can come at any time.
func EngineWrites(r Request) bool {
	return Writes(r) && EngineRequests(r)
}

// To returns a Match that selects requests with the verb for the resource. An empty string matches any verb or resource.
func To(verb, resource string) Match {
	return func(r Request) bool {
		return (verb == "" || r.Verb == verb) && (resource == "" || r.Resource == resource)
	}
}

// Watches returns a Match that selects requests that start a watch of the resource. An empty string matches any resource.
func Watches(resource string) Match { return To("watch", resource) }

// PathPrefix returns a Match that selects requests whose path has this prefix, such as "/apis/apps/".
func PathPrefix(prefix string) Match {
	return func(r Request) bool { return strings.HasPrefix(r.Path, prefix) }
}

// EngineRequests selects all requests except those for events, leases, access reviews and the manager's own configuration and
// status.
func EngineRequests(r Request) bool {
	return !isBookkeeping(r) && r.Group != "operator.openshift.io" && r.Group != "config.openshift.io"
}

// isBookkeeping reports whether the request is for events, leases or access reviews. No decision of the manager depends on stored objects
// of these kinds.
func isBookkeeping(r Request) bool {
	return r.Resource == "events" || r.Resource == "leases" || strings.HasSuffix(r.Resource, "reviews")
}
