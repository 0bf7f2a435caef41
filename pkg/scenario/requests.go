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
)

// Request is a request to the cluster's API server.
type Request struct {
	// Time is when it was sent.
	Time time.Time
	// User is the user that sent it, and Process the number of the process; see Process.Number.
	User    string
	Process int
	// Verb is Kubernetes' verb, such as "create" or "watch", and "apply" for a server-side apply; for a path that is no resource it is the
	// HTTP method in lower case.
	Verb string
	// Resource and Subresource are those of the path. Both are empty for a path that is no resource.
	Resource    schema.GroupResource
	Subresource string
	// Namespace and Name identify the object. Name is empty for a list, and for an object whose name the API server generates.
	Namespace, Name string
	// Path is the path of the URL.
	Path string
	// DryRun is whether it asks for a dry run.
	DryRun bool
	// Options are what it asks for besides, as sorted words between spaces, such as "labelSelector limit PartialObjectMetadata", "strategic"
	// (a patch) or "preconditions.uid propagationPolicy=Background".
	Options string
	// Code is the HTTP status of the response; 0 if there is none yet, or if it was lost.
	Code int
	// IsFaulted is whether a fault kept the request from the API server: the response, if there is one, is the fault's.
	IsFaulted bool
	// Reason is the authorizer's reason for allowing the request, as in audit logs. It is apiserver.ReasonForbidden if the authorizer did
	// not allow the request, and empty if there is no response.
	Reason string
}

// String returns one line, such as `admin: create configmaps "a/b": 201`.
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

// IsWrite reports whether the request may change an object. Dry runs and access reviews change none.
func (r Request) IsWrite() bool {
	if r.DryRun || r.Resource.Group == "authorization.k8s.io" || r.Resource.Group == "authentication.k8s.io" {
		return false
	}
	return r.Resource.Resource != "" && slices.Contains([]string{"create", "update", "patch", "apply", "delete", "deletecollection"}, r.Verb)
}

// isElection reports whether the request is about a lease of leader election.
func (r Request) isElection() bool {
	return r.Resource == schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
}

// paths parses the paths of requests.
var paths = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// ParseRequest returns the Kubernetes request that an HTTP request of a user makes.
func ParseRequest(user string, r *http.Request) Request {
	described := Request{Time: time.Now(), User: user, Verb: strings.ToLower(r.Method), Path: r.URL.Path}
	info, err := paths.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return described
	}
	asked := options(r)
	described.DryRun, described.Options = slices.Contains(asked, dryRun), strings.Join(asked, " ")
	described.Verb, described.Namespace, described.Name = info.Verb, info.Namespace, info.Name
	described.Resource, described.Subresource = schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}, info.Subresource
	if described.Resource == (schema.GroupResource{Resource: "namespaces"}) {
		described.Namespace = "" // the parser takes a Namespace's name for its namespace, too
	}
	switch {
	case described.Verb == "patch" && strings.HasPrefix(r.Header.Get("Content-Type"), string(types.ApplyPatchType)):
		described.Verb = "apply"
	case described.Verb == "create" && described.Name == "":
		described.Name = nameInBody(r)
	}
	return described
}

// dryRun is the option for a dry run.
const dryRun = "dryRun"

// nameInBody returns the name of the object in a request's body: JSON, or the protobuf in which typed clients send built-in kinds.
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
