package manifestserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

const namespacesResource = "namespaces"

// createTracked creates an object whose managedFields are not set yet.
func (s *Server) createTracked(w *write, object *unstructured.Unstructured) (*answer, error) {
	empty, err := w.resource.Empty()
	if err != nil {
		return nil, err
	}
	tracked, err := s.track(w, empty, object)
	if err != nil {
		return nil, err
	}
	return s.createObject(w, tracked)
}

// createObject creates an object in the order of kube-apiserver: admission, preparation, validation, storage.
func (s *Server) createObject(w *write, object *unstructured.Unstructured) (*answer, error) {
	if err := w.checkIdentity(object); err != nil {
		return nil, err
	}
	if err := s.admitNamespace(w.call, object.GetName()); err != nil {
		return nil, err
	}
	if version := object.GetResourceVersion(); version != "" && version != "0" {
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	if err := s.prepareCreate(w, object); err != nil {
		return nil, err
	}
	if errs := append(validateMeta(w.resource, object), w.resource.Validate(object, nil)...); len(errs) > 0 {
		return nil, apierrors.NewInvalid(w.resource.GroupKind(), object.GetName(), errs)
	}
	if s.store.get(w.resource.GroupResource(), objectKey{object.GetNamespace(), object.GetName()}) != nil {
		return nil, apierrors.NewAlreadyExists(w.resource.GroupResource(), object.GetName())
	}
	return s.commit(w, object, http.StatusCreated)
}

// prepareCreate sets the fields that an API server sets, and clears those that a client cannot set.
func (s *Server) prepareCreate(w *write, object *unstructured.Unstructured) error {
	object.SetResourceVersion("")
	object.SetDeletionTimestamp(nil)
	object.SetDeletionGracePeriodSeconds(nil)
	object.SetSelfLink("")
	object.SetCreationTimestamp(s.now())
	if object.GetName() == "" && object.GetGenerateName() != "" {
		w.generateName = object.GetGenerateName()
		object.SetName(s.identities.name(w.resource.GroupKind(), object, func(name string) bool {
			return s.store.get(w.resource.GroupResource(), objectKey{object.GetNamespace(), name}) == nil
		}))
	}
	object.SetUID(s.identities.uid(w.resource.GroupKind(), object.GetNamespace(), object.GetName()))
	unstructured.RemoveNestedField(object.Object, "metadata", "generation")
	if w.resource.Is(kinds.HasGeneration) {
		object.SetGeneration(1)
	}
	if w.resource.Is(kinds.HasStatus) {
		empty, err := w.resource.Empty()
		if err != nil {
			return err
		}
		setField(object, statusResource, empty.Object[statusResource])
	}
	if isNamespaces(w.resource) {
		return beginNamespace(object)
	}
	return setStoredVersions(w.resource, object)
}

// setStoredVersions adds the storage version of a CustomResourceDefinition to its status. It does nothing for other kinds.
func setStoredVersions(r *kinds.Resource, object *unstructured.Unstructured) error {
	if r.Group != apiextensionsv1.GroupName {
		return nil
	}
	versions, _, err := unstructured.NestedSlice(object.Object, "spec", "versions")
	if err != nil {
		return err
	}
	stored, _, err := unstructured.NestedStringSlice(object.Object, statusResource, "storedVersions")
	if err != nil {
		stored = nil // null in a new object
	}
	for _, version := range versions {
		version, isObject := version.(map[string]any)
		name, _ := version["name"].(string)
		if isObject && version["storage"] == true && !slices.Contains(stored, name) {
			stored = append(stored, name)
		}
	}
	return unstructured.SetNestedStringSlice(object.Object, stored, statusResource, "storedVersions")
}

// setField sets or removes a top-level field.
func setField(object *unstructured.Unstructured, name string, value any) {
	if value == nil {
		delete(object.Object, name)
		return
	}
	object.Object[name] = value
}

func isNamespaces(r *kinds.Resource) bool { return r.Group == "" && r.Resource == namespacesResource }

// beginNamespace sets what kube-apiserver sets in a new Namespace.
func beginNamespace(object *unstructured.Unstructured) error {
	finalizers, _, err := unstructured.NestedStringSlice(object.Object, "spec", "finalizers")
	if err != nil {
		return err
	}
	if !slices.Contains(finalizers, string(corev1.FinalizerKubernetes)) {
		finalizers = append(finalizers, string(corev1.FinalizerKubernetes))
	}
	if err := unstructured.SetNestedStringSlice(object.Object, finalizers, "spec", "finalizers"); err != nil {
		return err
	}
	labelNamespace(object)
	return unstructured.SetNestedField(object.Object, string(corev1.NamespaceActive), "status", "phase")
}

func labelNamespace(object *unstructured.Unstructured) {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[corev1.LabelMetadataName] = object.GetName()
	object.SetLabels(labels)
}

// admitNamespace rejects a new object in a namespace that is missing or terminating. If the input has objects in a namespace and lacks the
// Namespace itself, the namespace exists.
func (s *Server) admitNamespace(c *call, name string) error {
	if !c.resource.Is(kinds.Namespaced) {
		return nil
	}
	namespaces := schema.GroupResource{Resource: namespacesResource}
	found := s.store.get(namespaces, objectKey{name: c.namespace})
	if found == nil {
		if s.namespaceIsKnown(c.namespace) {
			return nil
		}
		return apierrors.NewNotFound(namespaces, c.namespace)
	}
	namespace, err := found.object()
	if err != nil || namespace.GetDeletionTimestamp() == nil {
		return err
	}
	refused := apierrors.NewForbidden(c.resource.GroupResource(), name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", c.namespace))
	refused.ErrStatus.Details.Causes = append(refused.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: corev1.NamespaceTerminatingCause, Field: "metadata.namespace",
		Message: fmt.Sprintf("namespace %s is being terminated", c.namespace),
	})
	return refused
}

// permanentNamespaces exist in every cluster, and cannot be deleted.
var permanentNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

func (s *Server) namespaceIsKnown(name string) bool {
	if slices.Contains(permanentNamespaces, name) {
		return true
	}
	namespaces := schema.GroupResource{Resource: namespacesResource}
	if slices.ContainsFunc(s.options.NotCollected, func(scope Scope) bool { return scope.GroupResource == namespaces && scope.Name == "" }) {
		return true
	}
	if s.store.ofInput(namespaces, objectKey{name: name}) != nil {
		return false // it was deleted in this run
	}
	return s.store.inputHasObjectsIn(name)
}

// validateMeta validates the metadata of an object.
func validateMeta(r *kinds.Resource, object *unstructured.Unstructured) field.ErrorList {
	validName := validation.NameIsDNSSubdomain
	switch {
	case r.Group == rbacv1.GroupName:
		validName = isPathSegment
	case isNamespaces(r):
		validName = validation.ValidateNamespaceName
	case r.Group == "" && r.Resource == "services":
		validName = validation.NameIsDNS1035Label
	}
	errs := validation.ValidateObjectMetaAccessor(object, r.Is(kinds.Namespaced), validName, field.NewPath("metadata"))
	// kube-apiserver reports a missing name only once; the other errors of the name would repeat it.
	if object.GetName() == "" {
		errs = slices.DeleteFunc(errs, func(err *field.Error) bool {
			return strings.HasPrefix(err.Field, "metadata.name") && err.Type != field.ErrorTypeRequired
		})
	}
	return errs
}

// isPathSegment returns why a name cannot be a segment of a URL's path.
func isPathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}
