package manifestserver

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// Server is an http.RoundTripper that answers API requests from memory. Its methods are safe for concurrent use. It starts no goroutines.
type Server struct {
	options Options
	version *version.Version
	kinds   *kinds.Set
	unknown []error

	mu         sync.Mutex
	sync       Sync
	store      store
	recorded   *recorded
	identities *identities
}

var _ http.RoundTripper = &Server{}

var errIgnored = errors.New("the server in memory does not have this kind of Kubernetes; the object is ignored")

var errNotServed = errors.New("the kind is not served in this version; add its CustomResourceDefinition to the input, or remove the object")

// New returns a server. If objects of the input cannot be served, the error wraps an InputError for each of them.
func New(options Options) (*Server, error) {
	if err := options.validate(); err != nil {
		return nil, fmt.Errorf("building a server from manifests: %w", err)
	}
	parsed, err := version.ParseSemantic(options.KubernetesVersion)
	if err != nil {
		return nil, fmt.Errorf("building a server from manifests: Options.KubernetesVersion is not a version; set it to one such as v1.36.3: %w", err)
	}
	s := &Server{options: options, version: parsed, recorded: newRecorded(), identities: newIdentities(options.Seed)}
	if s.kinds, err = options.Cache.kindsOf(options); err != nil {
		return nil, fmt.Errorf("building a server from manifests: %w", err)
	}
	if err := s.addInferred(); err != nil {
		return nil, fmt.Errorf("building a server from manifests: %w", err)
	}
	if err := s.load(); err != nil {
		return nil, fmt.Errorf("reading the input: %w", err)
	}
	s.options.Objects, s.options.Definitions, s.options.Inferred, s.options.Cache = nil, nil, nil, nil // the caller may free them
	return s, nil
}

// addInferred adds the kinds of Options.Inferred that the server does not serve yet.
func (s *Server) addInferred() error {
	s.options.Objects, s.options.MetadataOnly = slices.Clone(s.options.Objects), slices.Clone(s.options.MetadataOnly)
	for _, definition := range s.options.Inferred {
		isAdded, err := s.kinds.AddMissing(definition)
		if err != nil {
			return err
		}
		if !isAdded {
			continue
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		object.SetName(definition.Name)
		if object.Object["spec"], err = runtime.DefaultUnstructuredConverter.ToUnstructured(&definition.Spec); err != nil {
			return err
		}
		s.options.Objects = append(s.options.Objects, object)
		s.options.MetadataOnly = append(s.options.MetadataOnly, Scope{GroupResource: definitions, Name: definition.Name})
	}
	return nil
}

// load normalizes the objects of the input and stores them.
func (s *Server) load() error {
	loaded := map[schema.GroupResource][]*inputObject{}
	var errs []error
	for _, object := range s.options.Objects {
		select {
		case <-s.options.Done:
			return errEnded
		default:
		}
		r := s.kinds.OfKind(object.GroupVersionKind())
		if r == nil || r.Is(kinds.IsReview) {
			if fault := &(InputError{object, errNotServed}); s.isUnknownBuiltIn(object.GroupVersionKind()) {
				fault.Err = errIgnored
				s.unknown = append(s.unknown, fault)
			} else {
				errs = append(errs, fault)
			}
			continue
		}
		one, err := s.loadObject(r, object)
		if err != nil {
			errs = append(errs, &InputError{object, err})
			continue
		}
		if s.options.Release {
			release(object)
		}
		loaded[r.GroupResource()] = append(loaded[r.GroupResource()], one)
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := s.store.load(loaded); err != nil {
		return err
	}
	known := map[*unstructured.Unstructured]*entry{}
	for _, objects := range loaded {
		for _, one := range objects {
			if one.isReusable {
				known[one.source] = one.stored
			}
		}
	}
	s.options.Cache.set(known)
	s.identities.begin()
	return nil
}

var errEnded = errors.New("the context has ended")

// isUnknownBuiltIn reports whether a kind belongs to an API group of Kubernetes of which the server has other kinds, and this one in no version.
// No controller reads such a kind.
func (s *Server) isUnknownBuiltIn(kind schema.GroupVersionKind) bool {
	versions := s.kinds.Versions(kind.Group)
	for _, version := range versions {
		for _, each := range s.kinds.InVersion(schema.GroupVersion{Group: kind.Group, Version: version}) {
			if each.Custom || each.GroupVersionKind().Kind == kind.Kind {
				return false
			}
		}
	}
	return len(versions) > 0
}

// release reduces an object to its kind and name.
func release(object *unstructured.Unstructured) {
	reduced := &unstructured.Unstructured{}
	reduced.SetGroupVersionKind(object.GroupVersionKind())
	reduced.SetNamespace(object.GetNamespace())
	reduced.SetName(object.GetName())
	*object = *reduced
}

// loadObject returns an object of the input as the server stores it.
func (s *Server) loadObject(r *kinds.Resource, object *unstructured.Unstructured) (*inputObject, error) {
	if stored := s.options.Cache.get(object); stored != nil {
		return &inputObject{source: object, key: stored.objectKey, version: stored.version, stored: stored, isReusable: true}, nil
	}
	before := len(s.unknown)
	normal, err := s.normalizeInput(r, object)
	if err != nil {
		return nil, err
	}
	created := object.GetCreationTimestamp()
	loaded := &inputObject{
		source: object, normal: normal, key: objectKey{normal.GetNamespace(), normal.GetName()}, version: normal.GetResourceVersion(),
		isReusable: len(s.unknown) == before && object.GetUID() != "" && object.GetResourceVersion() != "" && !created.IsZero(),
	}
	if loaded.version != "" { // the encoded object needs a quarter of the memory
		loaded.normal = nil
		loaded.stored, err = newEntry(normal)
	}
	return loaded, err
}

func (s *Server) normalizeInput(r *kinds.Resource, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if object.GetName() == "" {
		return nil, errors.New("metadata.name is empty; add the object's name")
	}
	if r.Is(kinds.Namespaced) != (object.GetNamespace() != "") {
		return nil, fmt.Errorf("metadata.namespace is %q, and the kind is namespaced: %t; correct the namespace",
			object.GetNamespace(), r.Is(kinds.Namespaced))
	}
	normal, unknown, err := r.Normalize(object.DeepCopy())
	if err != nil {
		return nil, fmt.Errorf("the object does not match the schema; correct it: %w", err)
	}
	for _, field := range unknown {
		s.unknown = append(s.unknown, &InputError{object, fmt.Errorf("%s; correct its name or remove it", field)})
	}
	for _, invalid := range r.Validate(normal, nil) {
		s.unknown = append(s.unknown, &InputError{object, invalid})
	}
	if normal.GetUID() == "" {
		normal.SetUID(s.identities.uid(r.GroupKind(), normal.GetNamespace(), normal.GetName()))
		s.identities.created(r.GroupKind(), normal, "")
	}
	if created := normal.GetCreationTimestamp(); created.IsZero() {
		normal.SetCreationTimestamp(s.now())
	}
	if r.Is(kinds.HasGeneration) && normal.GetGeneration() == 0 {
		normal.SetGeneration(1)
	}
	return normal, nil
}

// InputErrors returns an InputError for each field of the input that is not in its schema, and for each value that its schema forbids.
// The server prunes such fields and keeps such values.
func (s *Server) InputErrors() []error { return s.unknown }

// Mutations returns the accepted writes in the order of the requests.
func (s *Server) Mutations() ([]Mutation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	result := make([]Mutation, 0, len(s.recorded.mutations))
	for _, one := range s.recorded.mutations {
		if one.result != nil {
			object, err := one.result.object()
			if err != nil {
				return nil, fmt.Errorf("decoding %s %s: %w", one.Resource.Resource, objectName(one.Namespace, one.Name), err)
			}
			one.Object = object
		}
		result = append(result, one.Mutation)
	}
	return result, nil
}

// Objects returns all objects after the writes of the current sync, sorted by resource, namespace and name. An object has the API version of its
// last write.
func (s *Server) Objects() ([]*unstructured.Unstructured, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var result []*unstructured.Unstructured
	for _, resource := range s.store.resources() {
		for _, one := range s.store.list(resource, metav1.NamespaceAll) {
			object, err := one.object()
			if err != nil {
				return nil, fmt.Errorf("decoding %s %s: %w", resource, objectName(one.namespace, one.name), err)
			}
			result = append(result, object)
		}
	}
	return result, nil
}

// Reads returns the reads that the server has received, without duplicates and sorted.
func (s *Server) Reads() []Read {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sortedReads(s.recorded.reads)
}

// NotCollected returns the requests of each sync that need what Options.NotCollected lists, without duplicates and sorted. The writes of such a
// sync may be wrong for the cluster.
func (s *Server) NotCollected() map[Sync][]Read {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[Sync][]Read{}
	for sync, reads := range s.recorded.notCollected {
		all[sync] = sortedReads(reads)
	}
	return all
}

// Unanswered returns the requests for paths and methods that the server does not serve, without duplicates and sorted. A controller that
// depends on one of them cannot run on this server.
func (s *Server) Unanswered() []Unanswered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sortedUnanswered(s.recorded.unanswered)
}

// AccessReviews returns how many access reviews the server granted.
func (s *Server) AccessReviews() AccessReviews {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.recorded.reviews
}

// Resource returns the resource of a kind, and whether the server serves it.
func (s *Server) Resource(kind schema.GroupVersionKind) (schema.GroupVersionResource, bool) {
	r := s.kinds.OfKind(kind)
	if r == nil {
		return schema.GroupVersionResource{}, false
	}
	return r.GroupVersionResource, true
}

// HasMadeUp reports whether the server has generated a uid. It returns false for the uids of the input.
func (s *Server) HasMadeUp(uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identities.generated[uid]
}

// InputResourceVersion returns the largest resourceVersion of the input. The server has generated all larger ones, and no cluster has them.
func (s *Server) InputResourceVersion() uint64 { return s.store.inputVersion }

func (s *Server) now() metav1.Time {
	return metav1.NewTime(s.options.Clock.Now()).Rfc3339Copy()
}

// RoundTrip implements http.RoundTripper.
func (s *Server) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		defer request.Body.Close()
		var err error
		if body, err = io.ReadAll(io.LimitReader(request.Body, maxRequestBody+1)); err != nil {
			return nil, err
		}
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	if len(body) > maxRequestBody {
		return respond(request, errorAnswer(errBodyTooLarge)), nil
	}
	c := newCall(request, s.kinds.ParameterCodec(), body)
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.answer(c)
	if answer.code == http.StatusMethodNotAllowed || answer.notServed {
		s.recorded.unanswered[Unanswered{request.Method, request.URL.Path, answer.code}] = struct{}{}
	}
	return respond(request, answer), nil
}

// answer dispatches a call.
func (s *Server) answer(c *call) *answer {
	if len(c.segments) == 1 && c.segments[0] == "version" {
		return s.versionAnswer()
	}
	if answer := s.discoveryAnswer(c); answer != nil {
		s.noteDiscovery()
		return answer
	}
	if !c.parse(s.kinds) {
		s.noteNotServed(c)
		return s.notServed(c)
	}
	if err := s.decodeBody(c); err != nil {
		return errorAnswer(err)
	}
	answer, err := s.handle(c)
	if err != nil {
		return errorAnswer(err)
	}
	answer.warnings = append(answer.warnings, c.warnings...)
	if c.wantsPartial() {
		return partialAnswer(answer)
	}
	return answer
}

// notServed returns the answer to a path that is not served. For a missing resource of a built-in group, it is a Status that names no
// object.
func (s *Server) notServed(c *call) *answer {
	version, _ := c.version()
	for _, one := range s.kinds.InVersion(version) {
		if !one.Custom {
			missing := errorAnswer(apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false))
			missing.notServed = true
			return missing
		}
	}
	return notServedAnswer()
}

func (s *Server) handle(c *call) (*answer, error) {
	if c.resource.Is(kinds.IsReview) {
		return s.review(c)
	}
	if err := s.checkCollected(c); err != nil {
		return nil, err
	}
	if c.name == "" {
		if c.method != http.MethodGet && c.namespace == "" && c.resource.Is(kinds.Namespaced) {
			return nil, c.methodNotAllowed()
		}
		switch c.method {
		case http.MethodGet:
			return s.readCollection(c)
		case http.MethodPost:
			return s.create(c)
		case http.MethodDelete:
			return s.deleteCollection(c)
		}
		if c.resource.Custom && (c.method == http.MethodPut || c.method == http.MethodPatch) {
			return nil, apierrors.NewBadRequest("name must be provided")
		}
		return nil, c.methodNotAllowed()
	}
	switch {
	case c.method == http.MethodGet:
		return s.get(c)
	case c.method == http.MethodPut:
		return s.update(c)
	case c.method == http.MethodPatch:
		return s.patch(c)
	case c.method == http.MethodDelete && c.subresource == "":
		return s.delete(c)
	}
	return nil, c.methodNotAllowed()
}
