package scenario

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Request is a request to the cluster's API server that has been answered.
type Request struct {
	// Time is when it was sent.
	Time time.Time
	// User is who sent it.
	User string
	// Verb is Kubernetes' verb, such as "create" or "patch"; for a path that is no resource it is the method of HTTP in lower case.
	Verb string
	// Resource and Subresource are what was asked for; both are empty for a path that is no resource.
	Resource    schema.GroupResource
	Subresource string
	// Namespace and Name are those in the path. The name of an object that is created is in the request's body, and not here.
	Namespace, Name string
	// Path is the path of the URL.
	Path string
	// Code is the status of HTTP; 0 if there was no answer.
	Code int
}

// String gives a request as one line: who, what, and the status.
func (r Request) String() string {
	return fmt.Sprintf("%s: %s %s: %d", r.User, r.Verb, r.Path, r.Code)
}

// IsWrite reports whether the request may have changed an object. Reviews of rights change none.
func (r Request) IsWrite() bool {
	if r.Resource.Group == "authorization.k8s.io" || r.Resource.Group == "authentication.k8s.io" {
		return false
	}
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, r.Verb)
}

// recorder keeps the requests that were answered, but for watches, and knows how many are not.
type recorder struct {
	mu       sync.Mutex
	requests []Request
	pending  int
	// lastWrite is when something was last written, leases of leader election aside, which are renewed for ever.
	lastWrite time.Time
}

func newRecorder() *recorder { return &recorder{lastWrite: time.Now()} }

// Requests returns the requests of clients that were answered so far, in the order of their answers, without watches.
func (c *Cluster) Requests() []Request {
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	return slices.Clone(c.recorder.requests)
}

// recordingTransport records the requests of one user.
type recordingTransport struct {
	recorder *recorder
	user     string
	next     http.RoundTripper
}

// paths tells what a path asks for.
var paths = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// RoundTrip is http.RoundTripper's.
func (t recordingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	info, err := paths.NewRequestInfo(r)
	if err != nil || info.Verb == "watch" {
		return t.next.RoundTrip(r)
	}
	recorded := Request{
		Time: time.Now(), User: t.user, Verb: info.Verb, Path: info.Path,
		Resource: schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}, Subresource: info.Subresource,
		Namespace: info.Namespace, Name: info.Name,
	}
	t.recorder.begin()
	response, err := t.next.RoundTrip(r)
	if err == nil {
		recorded.Code = response.StatusCode
	}
	t.recorder.end(recorded)
	return response, err
}

func (r *recorder) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending++
}

func (r *recorder) end(answered Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending--
	r.requests = append(r.requests, answered)
	if answered.IsWrite() && answered.Resource != leases {
		r.lastWrite = time.Now()
	}
}

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
