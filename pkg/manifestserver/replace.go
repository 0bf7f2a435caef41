package manifestserver

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

const modifiedMessage = "the object has been modified; please apply your changes to the latest version and try again"

// replace replaces an object, in the order of kube-apiserver: preconditions, preparation, validation, storage. live is the stored object,
// and old is its decoded form in the version of the request.
func (s *Server) replace(w *write, live *entry, old, object *unstructured.Unstructured) (*answer, error) {
	if err := w.checkIdentity(object); err != nil {
		return nil, err
	}
	if err := w.checkPreconditions(old, object); err != nil {
		return nil, err
	}
	if err := w.prepareUpdate(old, object); err != nil {
		return nil, err
	}
	errs := validateMeta(w.resource, object)
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(object, old, field.NewPath("metadata"))...)
	if errs = append(errs, w.resource.Validate(object, old)...); len(errs) > 0 {
		return nil, apierrors.NewInvalid(w.resource.GroupKind(), object.GetName(), errs)
	}
	if s.endsDeletion(w.resource, object) {
		s.commitRemoval(w, live)
		return jsonAnswer(http.StatusOK, object.Object), nil
	}
	unchanged, err := s.isUnchanged(w.resource, live, old, object)
	if err != nil {
		return nil, err
	}
	if unchanged {
		if !w.dryRun {
			s.record(w, live.objectKey, live, true)
		}
		raw, err := s.convert(live, w.resource)
		return rawAnswer(http.StatusOK, raw), err
	}
	return s.commit(w, object, http.StatusOK)
}

// checkPreconditions compares the uid and the resourceVersion in a request with those of the stored object.
func (w *write) checkPreconditions(old, object *unstructured.Unstructured) error {
	resource := w.resource.GroupResource()
	if uid := object.GetUID(); w.patchType == "" && uid != "" && uid != old.GetUID() {
		return apierrors.NewConflict(resource, w.name,
			//nolint:staticcheck // kube-apiserver's wording
			fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", uid, old.GetUID()))
	}
	version := object.GetResourceVersion()
	if version == "" || version == "0" {
		if w.resource.Is(kinds.RequiresVersion) {
			kind := w.resource.GroupKind()
			kind.Kind = w.resource.Resource // as kube-apiserver does
			return apierrors.NewInvalid(kind, w.name, field.ErrorList{
				field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"),
			})
		}
		version = old.GetResourceVersion()
		object.SetResourceVersion(version)
	}
	if version != old.GetResourceVersion() {
		return apierrors.NewConflict(resource, w.name, errors.New(modifiedMessage))
	}
	return nil
}

// prepareUpdate restores the fields that a client cannot change, and increases the generation.
func (w *write) prepareUpdate(old, object *unstructured.Unstructured) error {
	if w.subresource == statusResource {
		keepAllButStatus(w.resource, old, object)
	} else if w.resource.Is(kinds.HasStatus) {
		setField(object, statusResource, old.Object[statusResource])
	}
	if isNamespaces(w.resource) {
		labelNamespace(object)
		if finalizers, found, _ := unstructured.NestedFieldCopy(old.Object, "spec", "finalizers"); found {
			if err := unstructured.SetNestedField(object.Object, finalizers, "spec", "finalizers"); err != nil {
				return err
			}
		}
	}
	if w.subresource == "" {
		if err := setStoredVersions(w.resource, object); err != nil {
			return err
		}
	}
	if object.GetUID() == "" {
		object.SetUID(old.GetUID())
	}
	object.SetCreationTimestamp(old.GetCreationTimestamp())
	object.SetSelfLink("")
	if old.GetDeletionTimestamp() != nil { // otherwise the validation refuses to add one
		object.SetDeletionTimestamp(old.GetDeletionTimestamp())
	}
	if object.GetDeletionGracePeriodSeconds() == nil {
		object.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	}
	setGeneration(object, old.GetGeneration())
	if w.resource.Is(kinds.HasGeneration) && w.changesGeneration(old, object) {
		setGeneration(object, old.GetGeneration()+1)
	}
	return nil
}

func setGeneration(object *unstructured.Unstructured, generation int64) {
	if generation == 0 {
		unstructured.RemoveNestedField(object.Object, "metadata", "generation")
		return
	}
	object.SetGeneration(generation)
}

// keepAllButStatus makes an object that was written to subresource "status" equal to the old object except for the status. In built-in
// kinds, such a write also changes the metadata.
func keepAllButStatus(r *kinds.Resource, old, object *unstructured.Unstructured) {
	status, managedFields, meta := object.Object[statusResource], object.GetManagedFields(), object.Object["metadata"]
	object.Object = old.DeepCopy().Object
	setField(object, statusResource, status)
	if !r.Custom {
		object.Object["metadata"] = meta
	}
	object.SetManagedFields(managedFields)
}

func (w *write) changesGeneration(old, object *unstructured.Unstructured) bool {
	if w.resource.Is(kinds.CountsAnnotations) && !equality.Semantic.DeepEqual(old.GetAnnotations(), object.GetAnnotations()) {
		return true
	}
	counted := func(object *unstructured.Unstructured) map[string]any {
		content := map[string]any{}
		for name, value := range object.Object {
			if name != "metadata" && (name != statusResource || !w.resource.Is(kinds.HasStatus)) {
				content[name] = value
			}
		}
		return content
	}
	return !equality.Semantic.DeepEqual(counted(old), counted(object))
}

// isUnchanged reports whether an object differs from the stored one in nothing but the times of managedFields.
func (s *Server) isUnchanged(r *kinds.Resource, live *entry, old, object *unstructured.Unstructured) (bool, error) {
	before, after := old.GetManagedFields(), object.GetManagedFields()
	if len(before) != len(after) {
		return false, nil
	}
	for i := range before {
		a, b := before[i], after[i]
		a.Time, b.Time = nil, nil
		if !reflect.DeepEqual(a, b) {
			return false, nil
		}
	}
	object.SetManagedFields(before)
	defer object.SetManagedFields(after)
	compared, err := newEntry(object)
	if err != nil {
		return false, err
	}
	raw, err := s.convert(live, r)
	return bytes.Equal(compared.raw, raw), err
}

// endsDeletion reports whether an update leaves an object that is being deleted without finalizers.
func (s *Server) endsDeletion(r *kinds.Resource, object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() == nil || len(object.GetFinalizers()) > 0 {
		return false
	}
	if period := object.GetDeletionGracePeriodSeconds(); period != nil && *period != 0 {
		return false
	}
	return !isNamespaces(r) || !s.namespaceRemains(object)
}
