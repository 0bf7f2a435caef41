package deniedwrites

import (
	"cmp"
	"net/http"
	"slices"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/transport"
)

// maxWrites is the maximum number of denied writes that are recorded. The manager's roles have about as many rules for writes.
const maxWrites = 32

// Writes holds the writes that the API server answered with 403 Forbidden. Its methods may be called concurrently.
type Writes struct {
	mu      sync.Mutex
	changed func()
	// names holds the name of the object in the last denied request, keyed by permission. The name is needed because a rule in a role may
	// apply only to named objects.
	names map[permission]string
	// grants is the result of Grants.
	grants int
}

// permission is a permission that a rule in a role grants. namespace is empty for requests outside of namespaces.
type permission struct{ verb, group, resource, subresource, namespace string }

// NewWrites returns Writes without a denied write.
func NewWrites() *Writes {
	return &Writes{changed: func() {}, names: map[permission]string{}}
}

// Wrap returns a transport that sends requests through next and records denied writes. It ignores writes with impersonation, which use the
// permissions of another user.
func (w *Writes) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper{next, w}
}

type roundTripper struct {
	http.RoundTripper
	writes *Writes
}

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusForbidden && r.Header.Get(transport.ImpersonateUserHeader) == "" {
		t.writes.record(r)
	}
	return response, err
}

// WrappedRoundTripper returns the transport that sends the requests. client-go uses it to close idle connections.
func (t roundTripper) WrappedRoundTripper() http.RoundTripper { return t.RoundTripper }

var (
	pathsOfAPIs = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	writeVerbs  = []string{"create", "update", "patch", "delete", "deletecollection"}
)

// record records a denied request if it is a write of a resource. It ignores access reviews.
func (w *Writes) record(r *http.Request) {
	info, err := pathsOfAPIs.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest || !slices.Contains(writeVerbs, info.Verb) || info.APIGroup == authorizationv1.GroupName {
		return
	}
	denied := permission{info.Verb, info.APIGroup, info.Resource, info.Subresource, info.Namespace}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, isKnown := w.names[denied]
	if !isKnown && len(w.names) >= maxWrites {
		return
	}
	w.names[denied] = info.Name
	if !isKnown {
		w.changed()
	}
}

// notify sets the function that is called for each newly denied write. The function must not block.
func (w *Writes) notify(changed func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = changed
}

// list returns the permissions of the denied writes, sorted, and for each permission the name of the object in its last request.
func (w *Writes) list() (permissions []permission, names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for each := range w.names {
		permissions = append(permissions, each)
	}
	slices.SortFunc(permissions, permission.compare)
	for _, each := range permissions {
		names = append(names, w.names[each])
	}
	return permissions, names
}

// forget removes a write that is now permitted. isBack is true if an access review had confirmed that the permission was missing.
func (w *Writes) forget(permitted permission, isBack bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.names, permitted)
	if isBack {
		w.grants++
	}
}

// Grants returns how often a missing permission has been granted. When this number changes, pauses after failed writes end.
func (w *Writes) Grants() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.grants
}

func (p permission) compare(other permission) int {
	return cmp.Or(cmp.Compare(p.group, other.group), cmp.Compare(p.resource, other.resource), cmp.Compare(p.subresource, other.subresource),
		cmp.Compare(p.verb, other.verb), cmp.Compare(p.namespace, other.namespace))
}

// String returns the permission as a phrase, such as `update "platformoperators/status" in API group "platform.openshift.io"`.
func (p permission) String() string {
	resource := p.resource
	if p.subresource != "" {
		resource += "/" + p.subresource
	}
	text := p.verb + " " + quote(resource) + " in API group " + quote(p.group)
	if p.namespace != "" {
		text += " in namespace " + quote(p.namespace)
	}
	return text
}

func quote(text string) string { return `"` + text + `"` }

// attributes returns the attributes of a review that asks whether the permission is granted for an object.
func (p permission) attributes(name string) *authorizationv1.ResourceAttributes {
	return &authorizationv1.ResourceAttributes{
		Verb: p.verb, Group: p.group, Version: "*", Resource: p.resource, Subresource: p.subresource, Namespace: p.namespace, Name: name,
	}
}
