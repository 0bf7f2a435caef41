package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/transport"
)

// Request describes a request to the cluster's API server and its response.
type Request struct {
	// Time is the time at which the client sent the request.
	Time time.Time
	// User is the user who sent the request. Process is the number of the user's process; see Process.Number.
	User    string
	Process int
	// Impersonated is the user that the request impersonates; empty if it impersonates none.
	Impersonated string
	// Verb is the Kubernetes verb, such as "create" or "watch", or "apply" for a server-side apply. For a non-resource URL it is the HTTP
	// method in lower case.
	Verb string
	// Resource and Subresource are the requested resource and subresource. Both are empty for a non-resource URL.
	Resource    schema.GroupResource
	Subresource string
	// Namespace and Name identify the object. Namespace is empty for a cluster-scoped resource, and for a request for all namespaces. Name is
	// empty for a request for many objects, and if the API server generates the name.
	Namespace, Name string
	// Path is the path of the request's URL.
	Path string
	// DryRun is true for a dry run.
	DryRun bool
	// Options are the request's other parameters, as sorted words separated by spaces: the type of a patch, query parameters, DeleteOptions.
	// Examples are "PartialObjectMetadata labelSelector limit", "strategic" and "preconditions.uid propagationPolicy=Background".
	Options string
	// Code is the HTTP status code of the response, or 0 if the client got none.
	Code int
	// IsFaulted is true if a fault prevented the request from reaching the API server, or if ServeStaleLists changed the response. Code is then
	// the code that the client got, or 0.
	IsFaulted bool
	// Reason is the authorizer's reason for allowing the request, as in audit logs. It is apiserver.ReasonForbidden for a forbidden
	// request. It is empty if the API server sent no response.
	Reason string
}

// String returns the request in one line, such as `admin: create configmaps "a/b": 201`.
func (r Request) String() string {
	code := ""
	if r.Code != 0 {
		code = fmt.Sprintf(": %d", r.Code)
	}
	if r.Resource.Resource == "" {
		return fmt.Sprintf("%s: %s %s%s", r.User, r.Verb, r.Path, code)
	}
	resource, name := r.Resource.String(), r.Name
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return fmt.Sprintf("%s: %s %s %q%s", r.User, r.Verb, resource, name, code)
}

// IsWrite reports whether the request may change an object. It returns false for dry runs, and for reviews such as SubjectAccessReviews.
func (r Request) IsWrite() bool {
	if r.DryRun || r.Resource.Group == "authorization.k8s.io" || r.Resource.Group == "authentication.k8s.io" {
		return false
	}
	return r.Resource.Resource != "" && slices.Contains([]string{"create", "update", "patch", "apply", "delete", "deletecollection"}, r.Verb)
}

// isElection reports whether the request is for Leases, which leader election uses.
func (r Request) isElection() bool {
	return r.Resource == schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
}

// paths parses the URLs of requests as an API server does.
var paths = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// ParseRequest parses a user's HTTP request to an API server. It sets Time to the current time. It sets neither Process nor the fields of
// the response. It reads the body with r.GetBody, and does not consume r.Body.
func ParseRequest(user string, r *http.Request) Request {
	described := Request{Time: time.Now(), User: user, Verb: strings.ToLower(r.Method), Path: r.URL.Path, Impersonated: r.Header.Get(transport.ImpersonateUserHeader)}
	info, err := paths.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return described
	}
	asked := options(r)
	described.DryRun, described.Options = slices.Contains(asked, dryRun), strings.Join(asked, " ")
	described.Verb, described.Namespace, described.Name = info.Verb, info.Namespace, info.Name
	described.Resource, described.Subresource = schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}, info.Subresource
	if described.Resource == (schema.GroupResource{Resource: "namespaces"}) {
		described.Namespace = "" // for a request for a Namespace, the parser sets this to the name of the Namespace
	}
	switch {
	case described.Verb == "patch" && strings.HasPrefix(r.Header.Get("Content-Type"), string(types.ApplyPatchType)):
		described.Verb = "apply"
	case described.Verb == "create" && described.Name == "":
		described.Name = nameInBody(r)
	}
	return described
}

// dryRun is the name of the dryRun parameter, and its word in Request.Options.
const dryRun = "dryRun"

// nameInBody returns the name of the object in a request's body, or "" if the body has none or cannot be decoded. The body is JSON, or
// protobuf from a typed client.
func nameInBody(r *http.Request) string {
	content := content(r)
	var object metav1.PartialObjectMetadata
	if json.Unmarshal(content, &object) == nil {
		return object.Name
	}
	decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(content, nil, nil)
	if err != nil {
		return ""
	}
	accessor, err := meta.Accessor(decoded)
	if err != nil {
		return ""
	}
	return accessor.GetName()
}
