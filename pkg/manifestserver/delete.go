package manifestserver

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/openshift/platform-operators/pkg/manifestserver/kinds"
)

// delete answers a DELETE of an object.
func (s *Server) delete(c *call) (*answer, error) {
	w, options, err := newDeletion(c)
	if err != nil {
		return nil, err
	}
	live := s.lookup(c)
	if live == nil {
		return nil, c.notFound()
	}
	return s.deleteObject(w, live, options)
}

func newDeletion(c *call) (*write, *metav1.DeleteOptions, error) {
	options := &metav1.DeleteOptions{}
	if len(c.body) > 0 {
		if err := json.Unmarshal(c.body, options); err != nil {
			return nil, nil, apierrors.NewBadRequest(err.Error())
		}
	} else if err := c.decodeOptions(options); err != nil {
		return nil, nil, err
	}
	w := &write{call: c, action: ActionDelete, options: options, fieldManager: c.fieldManager(""), dryRun: len(options.DryRun) > 0}
	return w, options, invalidOptions("DeleteOptions", metavalidation.ValidateDeleteOptions(options))
}

// deleteObject removes an object, or if it has finalizers, marks it as being deleted.
func (s *Server) deleteObject(w *write, live *entry, options *metav1.DeleteOptions) (*answer, error) {
	object, err := s.decode(live, w.resource)
	if err != nil {
		return nil, err
	}
	if err := w.checkDeletion(object, options); err != nil {
		return nil, err
	}
	finalizers := deletionFinalizers(object, options)
	if len(finalizers) == 0 && (!isNamespaces(w.resource) || !s.namespaceRemains(object)) {
		s.commitRemoval(w, live)
		return w.deletedAnswer(object)
	}
	old := object.DeepCopy()
	object.SetFinalizers(finalizers)
	if object.GetDeletionTimestamp() == nil {
		now := s.now()
		object.SetDeletionTimestamp(&now)
		if generation := object.GetGeneration(); generation > 0 && !isNamespaces(w.resource) {
			object.SetGeneration(generation + 1)
		}
	}
	if isNamespaces(w.resource) {
		if err := unstructured.SetNestedField(object.Object, string(corev1.NamespaceTerminating), "status", "phase"); err != nil {
			return nil, err
		}
	} else {
		zero := int64(0)
		object.SetDeletionGracePeriodSeconds(&zero)
	}
	code := http.StatusOK
	if deprecated := options.OrphanDependents; deprecated != nil && !*deprecated { //nolint:staticcheck // clients still send it
		code = http.StatusAccepted
	}
	unchanged, err := s.isUnchanged(w.resource, live, old, object)
	if err != nil {
		return nil, err
	}
	if unchanged {
		if !w.dryRun {
			s.record(w, live.objectKey, live, true)
		}
		return jsonAnswer(code, object.Object), nil
	}
	return s.commit(w, object, code)
}

// checkDeletion checks the preconditions of a deletion.
func (w *write) checkDeletion(object *unstructured.Unstructured, options *metav1.DeleteOptions) error {
	resource := w.resource.GroupResource()
	if isNamespaces(w.resource) && slices.Contains(permanentNamespaces, object.GetName()) {
		return apierrors.NewForbidden(resource, object.GetName(), fmt.Errorf("this namespace may not be deleted"))
	}
	conflict := func(field string, want, have any, cause string) error {
		kind := schema.GroupResource{Group: w.resource.Group, Resource: w.resource.Kind} // as kube-apiserver does
		return apierrors.NewConflict(kind, object.GetName(), fmt.Errorf(
			"the %s in the precondition (%s) does not match the %[1]s in record (%[3]s). The object might have been %s", field, want, have, cause))
	}
	if want := options.Preconditions; want != nil {
		if want.UID != nil && *want.UID != object.GetUID() {
			return conflict("UID", *want.UID, object.GetUID(), "deleted and then recreated")
		}
		if want.ResourceVersion != nil && *want.ResourceVersion != object.GetResourceVersion() {
			return conflict("ResourceVersion", *want.ResourceVersion, object.GetResourceVersion(), "modified")
		}
	}
	return nil
}

// deletionFinalizers returns the finalizers of an object, including those that tell the garbage collector the propagation policy.
func deletionFinalizers(object *unstructured.Unstructured, options *metav1.DeleteOptions) []string {
	orphan := slices.Contains(object.GetFinalizers(), metav1.FinalizerOrphanDependents)
	foreground := slices.Contains(object.GetFinalizers(), metav1.FinalizerDeleteDependents)
	switch deprecated := options.OrphanDependents; { //nolint:staticcheck // clients still send it
	case deprecated != nil:
		orphan, foreground = *deprecated, false
	case options.PropagationPolicy != nil:
		orphan = *options.PropagationPolicy == metav1.DeletePropagationOrphan
		foreground = *options.PropagationPolicy == metav1.DeletePropagationForeground
	}
	finalizers := slices.DeleteFunc(slices.Clone(object.GetFinalizers()), func(finalizer string) bool {
		return finalizer == metav1.FinalizerOrphanDependents || finalizer == metav1.FinalizerDeleteDependents
	})
	if orphan {
		finalizers = append(finalizers, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		finalizers = append(finalizers, metav1.FinalizerDeleteDependents)
	}
	return finalizers
}

// namespaceRemains reports whether a Namespace that is deleted still waits for its content or for finalizers in spec.finalizers.
func (s *Server) namespaceRemains(namespace *unstructured.Unstructured) bool {
	finalizers, _, _ := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers") // normalized
	return len(finalizers) > 0 || s.store.hasObjectsIn(namespace.GetName())
}

func (w *write) deletedAnswer(object *unstructured.Unstructured) (*answer, error) {
	if w.resource.Is(kinds.ReturnsDeleted) {
		return jsonAnswer(http.StatusOK, object.Object), nil
	}
	return jsonAnswer(http.StatusOK, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: object.GetName(), Group: w.resource.Group, Kind: w.resource.Resource, UID: object.GetUID()},
	}), nil
}

// deleteCollection answers a DELETE of a collection: it deletes each selected object.
func (s *Server) deleteCollection(c *call) (*answer, error) {
	if isNamespaces(c.resource) {
		return nil, c.methodNotAllowed()
	}
	w, options, err := newDeletion(c)
	if err != nil {
		return nil, err
	}
	var list metav1.ListOptions
	if err := c.decodeOptions(&list); err != nil {
		return nil, err
	}
	selects, err := c.selector(list)
	if err != nil {
		return nil, err
	}
	var items [][]byte
	for _, one := range s.store.list(c.resource.GroupResource(), c.namespace) {
		if selected, err := selects(one); err != nil {
			return nil, err
		} else if !selected {
			continue
		}
		raw, err := s.convert(one, c.resource)
		if err != nil {
			return nil, err
		}
		items = append(items, raw)
		if _, err := s.deleteObject(w, one, options); err != nil {
			return nil, err
		}
	}
	return rawAnswer(http.StatusOK, fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d"},"items":[%s]}`,
		c.resource.GroupVersion(), c.resource.ListKind, s.store.version, bytes.Join(items, []byte(",")))), nil
}
