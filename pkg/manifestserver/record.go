package manifestserver

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Action is the kind of a mutation. The values are those of library-go's manifestclient.
type Action string

// The actions.
const (
	ActionCreate       Action = "Create"
	ActionUpdate       Action = "Update"
	ActionUpdateStatus Action = "UpdateStatus"
	ActionPatch        Action = "Patch"
	ActionPatchStatus  Action = "PatchStatus"
	ActionApply        Action = "Apply"
	ActionApplyStatus  Action = "ApplyStatus"
	ActionDelete       Action = "Delete"
)

// Mutation is a write that the server accepted. The server does not record dry runs. It records a deletion of a collection as a deletion of
// each object.
type Mutation struct {
	Action   Action
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind
	// Namespace is empty for a cluster-scoped object. Name is the object's name; GenerateName is set if the server generated it.
	Namespace, Name, GenerateName string
	// FieldManager is the field manager that managedFields name: that of the request, or the one from its User-Agent.
	FieldManager string
	// PatchType is set for the patch and apply actions.
	PatchType types.PatchType
	// Options are the options of the request: CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of metav1.
	Options runtime.Object
	// Body is the body of the request. Protobuf is converted to JSON.
	Body []byte
	// Sync is the sync that sent the request.
	Sync Sync
	// Unchanged is true if the object was already as requested, so that its resourceVersion did not change.
	Unchanged bool
	// Object is the object after the mutation. It is nil if the object was removed.
	Object *unstructured.Unstructured
}

// Verb is the kind of a read, as in RBAC rules.
type Verb string

// The verbs.
const (
	VerbGet   Verb = "get"
	VerbList  Verb = "list"
	VerbWatch Verb = "watch"
	// VerbWrite stands for all writes.
	VerbWrite Verb = "write"
)

// Read is a read of an object or a list.
type Read struct {
	Verb     Verb
	Resource schema.GroupVersionResource
	// Subresource is empty or "status".
	Subresource string
	// Namespace is empty for cluster-scoped resources and for all namespaces. Name is empty for lists and watches.
	Namespace, Name string
	// LabelSelector and FieldSelector are the selectors of a list or watch.
	LabelSelector, FieldSelector string
}

// Unanswered is a request for a path or a method that the server does not serve.
type Unanswered struct {
	Method, Path string
	// Code is the HTTP status of the response.
	Code int
}

// AccessReviews counts the access reviews that the server answered: all were granted.
type AccessReviews struct {
	SelfSubjectAccessReviews, SubjectAccessReviews, SelfSubjectRulesReviews int
}

// recorded is what a server has recorded.
type recorded struct {
	mutations    []mutation
	reads        map[Read]struct{}
	notCollected map[Sync]map[Read]struct{}
	unanswered   map[Unanswered]struct{}
	reviews      AccessReviews
}

// mutation is a Mutation whose object is not decoded.
type mutation struct {
	Mutation
	result *entry
}

func newRecorded() *recorded {
	return &recorded{reads: map[Read]struct{}{}, notCollected: map[Sync]map[Read]struct{}{}, unanswered: map[Unanswered]struct{}{}}
}

func sortedReads(reads map[Read]struct{}) []Read {
	return slices.SortedFunc(maps.Keys(reads), func(a, b Read) int {
		return cmp.Or(cmp.Compare(a.Resource.Group, b.Resource.Group), cmp.Compare(a.Resource.Resource, b.Resource.Resource),
			cmp.Compare(a.Resource.Version, b.Resource.Version), cmp.Compare(a.Subresource, b.Subresource), cmp.Compare(a.Verb, b.Verb),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.LabelSelector, b.LabelSelector), cmp.Compare(a.FieldSelector, b.FieldSelector))
	})
}

func sortedUnanswered(requests map[Unanswered]struct{}) []Unanswered {
	return slices.SortedFunc(maps.Keys(requests), func(a, b Unanswered) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Code, b.Code))
	})
}

// Sync identifies a sync of a controller by the name of the controller and the key of its queue.
type Sync struct{ Controller, Key string }

// Begin starts a sync. The server records the following requests as those of the sync, and they see only the input and the writes of this sync.
// The writes of earlier syncs stay in Mutations, but no longer have an effect. So a sync depends only on the input, and not on the order of the
// syncs. Without a call of Begin, all requests belong to one sync.
func (s *Server) Begin(sync Sync) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sync = sync
	s.store.begin()
	s.identities.begin()
}
