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

// Request is what can be told of a request before it is passed on.
type Request struct {
	// Verb is Kubernetes' (get, list, watch, create, update, patch, delete, deletecollection), with apply for a server-side
	// apply; for what is no Kubernetes resource it is the HTTP method in lower case.
	Verb string
	// Group, Resource, Subresource, Namespace and Name say which object. The name of an object that is created is taken from
	// its content; it is empty where the API server generates it.
	Group, Resource, Subresource, Namespace, Name string
	// Path is the URL's, without the query.
	Path string
	// UserAgent is whom the client calls itself.
	UserAgent string
	// BodyDigest is "sha256:…" of a write's content; empty without one.
	BodyDigest string
}

// String gives "apply deployments memo/controller".
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

// Mutating says whether the request is a write. A question that is asked by POST is none.
func (r Request) Mutating() bool {
	return r.Resource != "" && slices.Contains(mutating, r.Verb) && r.Resource != "selfsubjectaccessreviews"
}

// resolver reads paths as the API server does.
var resolver = &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// describe tells what a request is about; body is its content, as far as that was read.
func describe(r *http.Request, body []byte) Request {
	described := Request{Verb: strings.ToLower(r.Method), Path: r.URL.Path, UserAgent: r.UserAgent()}
	info, err := resolver.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return described
	}
	described.Verb, described.Group, described.Resource, described.Subresource = info.Verb, info.APIGroup, info.Resource, info.Subresource
	described.Namespace, described.Name = info.Namespace, info.Name
	if described.Resource == "namespaces" {
		described.Namespace = "" // a namespace is in none
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

// nameIn reads the name of the object that is sent: as JSON, or as the protobuf that typed clients send built-in kinds in.
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

// Match picks requests.
type Match func(Request) bool

// And picks what both pick.
func (m Match) And(other Match) Match { return func(r Request) bool { return m(r) && other(r) } }

// Writes are the writes that change what the manager decides upon. Events and leases are none, and reviews store nothing.
func Writes(r Request) bool {
	return r.Mutating() && !aside(r)
}

// EngineWrites are the writes by which BundleDeployments are carried out: Writes without the reports about the manager
// itself, which come at any time.
func EngineWrites(r Request) bool {
	return Writes(r) && EngineRequests(r)
}

// To picks requests with the verb for the resource; an empty word stands for any.
func To(verb, resource string) Match {
	return func(r Request) bool {
		return (verb == "" || r.Verb == verb) && (resource == "" || r.Resource == resource)
	}
}

// Watches picks the beginnings of watches of a resource; empty is any resource.
func Watches(resource string) Match { return To("watch", resource) }

// Below picks requests whose path begins so, such as "/apis/apps/".
func Below(prefix string) Match {
	return func(r Request) bool { return strings.HasPrefix(r.Path, prefix) }
}

// EngineRequests are all requests but those about events, leases and the manager itself.
func EngineRequests(r Request) bool {
	return !aside(r) && r.Group != "operator.openshift.io" && r.Group != "config.openshift.io"
}

// aside says whether a request is about something that nothing is decided upon, or that is not stored.
func aside(r Request) bool {
	return r.Resource == "events" || r.Resource == "leases" || strings.HasSuffix(r.Resource, "reviews")
}
