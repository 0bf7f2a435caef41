package manifestserver

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// write is a call that creates, updates or deletes an object.
type write struct {
	*call
	action          Action
	patchType       types.PatchType
	options         runtime.Object
	fieldManager    string
	fieldValidation string
	dryRun          bool
	// generateName is set when the server generates a name.
	generateName string
}

func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// create answers a POST.
func (s *Server) create(c *call) (*answer, error) {
	options := &metav1.CreateOptions{}
	if err := c.decodeOptions(options); err != nil {
		return nil, err
	}
	if err := invalidOptions("CreateOptions", metavalidation.ValidateCreateOptions(options)); err != nil {
		return nil, err
	}
	w := &write{
		call: c, action: ActionCreate, options: options, fieldManager: c.fieldManager(options.FieldManager),
		fieldValidation: options.FieldValidation, dryRun: len(options.DryRun) > 0,
	}
	object, err := w.decode(c.body)
	if err != nil {
		return nil, err
	}
	return s.createTracked(w, object)
}

// update answers a PUT.
func (s *Server) update(c *call) (*answer, error) {
	options := &metav1.UpdateOptions{}
	if err := c.decodeOptions(options); err != nil {
		return nil, err
	}
	if err := invalidOptions("UpdateOptions", metavalidation.ValidateUpdateOptions(options)); err != nil {
		return nil, err
	}
	w := &write{
		call: c, action: ActionUpdate, options: options, fieldManager: c.fieldManager(options.FieldManager),
		fieldValidation: options.FieldValidation, dryRun: len(options.DryRun) > 0,
	}
	if c.subresource == statusResource {
		w.action = ActionUpdateStatus
	}
	object, err := w.decode(c.body)
	if err != nil {
		return nil, err
	}
	if err := w.checkIdentity(object); err != nil {
		return nil, err
	}
	live := s.lookup(c)
	if live == nil {
		if c.subresource == "" && c.resource.Is(kinds.CreatesOnUpdate) {
			return s.createTracked(w, object)
		}
		return nil, c.notFound()
	}
	old, err := s.decode(live, c.resource)
	if err != nil {
		return nil, err
	}
	if object, err = s.track(w, old, object); err != nil {
		return nil, err
	}
	return s.replace(w, live, old, object)
}

// decode decodes and normalizes an object in a request.
func (w *write) decode(body []byte) (*unstructured.Unstructured, error) {
	object, err := decodeObject(body)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized: %v", err))
	}
	if object.GetAPIVersion() == "" && object.GetKind() == "" {
		object.SetGroupVersionKind(w.resource.GroupVersionKind()) // client-go's typed clients send neither
	}
	if have, want := object.GetAPIVersion(), w.resource.GroupVersion().String(); have != want {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)",
			have, want))
	}
	if object.GetKind() != w.resource.Kind {
		return nil, w.cannotHandle(object, fmt.Errorf("the kind does not match the resource; send a %s", w.resource.Kind))
	}
	normal, err := w.checkUnknown(w.resource.Normalize(object))
	if err != nil {
		return nil, w.cannotHandle(object, err)
	}
	return normal, nil
}

func (w *write) cannotHandle(object *unstructured.Unstructured, cause error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v",
		object.GetKind(), w.resource.Version, w.resource.Kind, cause))
}

// checkUnknown takes the results of Resource.Normalize. It returns an error with the unknown fields, or adds warnings, according to the
// request's fieldValidation.
func (w *write) checkUnknown(object *unstructured.Unstructured, unknown []string, err error) (*unstructured.Unstructured, error) {
	if err != nil || len(unknown) == 0 {
		return object, err
	}
	switch w.fieldValidation {
	case metav1.FieldValidationStrict:
		return nil, errors.New("strict decoding error: " + strings.Join(unknown, ", "))
	case metav1.FieldValidationIgnore:
	default:
		w.warnings = append(w.warnings, unknown...)
	}
	return object, nil
}

// checkIdentity checks that an object has the namespace and the name of the request. It sets a missing namespace, and removes that of a
// cluster-scoped object.
func (w *write) checkIdentity(object *unstructured.Unstructured) error {
	switch have := object.GetNamespace(); {
	case have == w.namespace:
	case have == "", w.namespace == "":
		object.SetNamespace(w.namespace)
	default:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if w.name != "" && object.GetName() != w.name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)",
			object.GetName(), w.name))
	}
	return nil
}

// record records a write. result is nil if the object was removed.
func (s *Server) record(w *write, key objectKey, result *entry, unchanged bool) {
	s.recorded.mutations = append(s.recorded.mutations, mutation{result: result, Mutation: Mutation{
		Action: w.action, Resource: w.resource.GroupVersionResource, Kind: w.resource.GroupVersionKind(),
		Namespace: key.namespace, Name: key.name, GenerateName: w.generateName, FieldManager: w.fieldManager, PatchType: w.patchType,
		Options: w.options, Body: w.body, Sync: s.sync, Unchanged: unchanged,
	}})
}

// commit stores and records an object, unless the write is a dry run.
func (s *Server) commit(w *write, object *unstructured.Unstructured, code int) (*answer, error) {
	if w.dryRun {
		return jsonAnswer(code, object.Object), nil
	}
	stored, err := s.store.write(w.resource.GroupResource(), object)
	if err != nil {
		return nil, err
	}
	if code == http.StatusCreated {
		s.identities.created(w.resource.GroupKind(), object, w.generateName)
	}
	s.record(w, stored.objectKey, stored, false)
	return entryAnswer(code, stored), nil
}

// commitRemoval removes an object and records this, unless the write is a dry run.
func (s *Server) commitRemoval(w *write, live *entry) {
	if w.dryRun {
		return
	}
	s.store.remove(w.resource.GroupResource(), live.objectKey)
	s.record(w, live.objectKey, nil, false)
}
