package manifestserver

import (
	"fmt"
	"net/http"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// Scope is a set of objects: those of a resource, those in a namespace, or if both fields are set, those of a resource in a namespace. With
// Name, it is one object.
type Scope struct {
	schema.GroupResource
	// Namespace is the name of a namespace. If it is empty, the scope covers all namespaces and cluster-scoped objects.
	Namespace string
	// Name is the name of an object of the resource; empty for all objects.
	Name string
}

var definitions = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

// String implements fmt.Stringer.
func (s Scope) String() string {
	switch {
	case s.Name != "":
		return fmt.Sprintf("%s %s", s.GroupResource, objectName(s.Namespace, s.Name))
	case s.Namespace == "":
		return s.GroupResource.String()
	case s.GroupResource == schema.GroupResource{}:
		return fmt.Sprintf("the objects of namespace %q", s.Namespace)
	}
	return fmt.Sprintf("%s of namespace %q", s.GroupResource, s.Namespace)
}

// overlaps reports whether the scope may have an object that a request is about. An empty namespace in the request means all namespaces,
// and an empty name all objects.
func (s Scope) overlaps(r *kinds.Resource, namespace, name string) bool {
	if s.GroupResource == (schema.GroupResource{}) {
		return r.Is(kinds.Namespaced) && (namespace == "" || s.Namespace == namespace)
	}
	return s.GroupResource == r.GroupResource() && (s.Namespace == "" || namespace == "" || s.Namespace == namespace) &&
		(s.Name == "" || name == "" || s.Name == name)
}

// missing returns the scope that a request needs and that was not collected. A request for one object needs no scope if the input has the
// object.
func (s *Server) missing(c *call) (Scope, bool) {
	isMissing := func(scope Scope) bool { return scope.overlaps(c.resource, c.namespace, c.name) }
	if at := slices.IndexFunc(s.options.MetadataOnly, isMissing); at >= 0 && (c.method != http.MethodGet || !c.wantsPartial()) {
		return s.options.MetadataOnly[at], true
	}
	at := slices.IndexFunc(s.options.NotCollected, isMissing)
	if at < 0 || c.name != "" && s.lookup(c) != nil {
		return Scope{}, false
	}
	return s.options.NotCollected[at], true
}

// checkCollected returns an error for a request that needs what was not collected. It returns none for the first list of an informer, because
// the informer would repeat the list forever.
func (s *Server) checkCollected(c *call) error {
	if c.resource.Is(kinds.IsReview) {
		return nil
	}
	scope, isMissing := s.missing(c)
	if !isMissing {
		return nil
	}
	read := Read{Verb: VerbWrite, Resource: c.resource.GroupVersionResource, Subresource: c.subresource, Namespace: c.namespace, Name: c.name}
	isOfInformer := false
	switch {
	case c.method == http.MethodGet && c.name == "":
		read.Verb = VerbList
		if c.query.Get("watch") != "" {
			return nil // of an informer, whose list was noted; it may be sent during the sync of another controller
		}
		isOfInformer = c.query.Get("resourceVersion") == informerVersion
	case c.method == http.MethodGet:
		read.Verb = VerbGet
	}
	s.noteNotCollected(read)
	if isOfInformer {
		return nil
	}
	unknown := apierrors.NewServiceUnavailable(fmt.Sprintf("%s: not collected, so the response is unknown; add the objects to the input and run again", scope))
	unknown.ErrStatus.Details = &metav1.StatusDetails{Group: c.resource.Group, Kind: c.resource.Resource, Name: c.name}
	return unknown
}

func (s *Server) noteNotCollected(read Read) {
	if s.recorded.notCollected[s.sync] == nil {
		s.recorded.notCollected[s.sync] = map[Read]struct{}{}
	}
	s.recorded.notCollected[s.sync][read] = struct{}{}
}

// lacksDefinitions reports whether CustomResourceDefinitions were not collected.
func (s *Server) lacksDefinitions() bool {
	return slices.ContainsFunc(s.options.NotCollected, func(scope Scope) bool { return scope.GroupResource == definitions && scope.Name == "" })
}

// noteDiscovery records a read of the served kinds, which may be incomplete.
func (s *Server) noteDiscovery() {
	if s.lacksDefinitions() {
		s.noteNotCollected(Read{Verb: VerbList, Resource: definitions.WithVersion("v1")})
	}
}

// noteNotServed records a request for a kind that the cluster may serve.
func (s *Server) noteNotServed(c *call) {
	version, rest := c.version()
	if s.lacksDefinitions() && len(rest) > 0 {
		s.noteNotCollected(Read{Verb: VerbGet, Resource: version.WithResource(rest[0])})
	}
}
