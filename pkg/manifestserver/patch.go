package manifestserver

import (
	"errors"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// customPatchTypes are the types of patches that are accepted for all kinds.
const customPatchTypes = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"

// patch answers a PATCH.
func (s *Server) patch(c *call) (*answer, error) {
	w, options, err := newPatch(c)
	if err != nil {
		return nil, err
	}
	live := s.lookup(c)
	if live == nil && (w.patchType != types.ApplyPatchType || c.subresource != "") {
		return nil, c.notFound()
	}
	if live == nil {
		empty, err := c.resource.Empty()
		if err != nil {
			return nil, err
		}
		object, err := s.applied(w, empty, options)
		if err != nil {
			return nil, err
		}
		if uid := object.GetUID(); uid != "" {
			return nil, apierrors.NewConflict(c.resource.GroupResource(), c.name,
				fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
		}
		return s.createObject(w, object)
	}
	old, err := s.decode(live, c.resource)
	if err != nil {
		return nil, err
	}
	var object *unstructured.Unstructured
	if w.patchType == types.ApplyPatchType {
		object, err = s.applied(w, old.DeepCopy(), options)
	} else if object, err = w.patched(old); err == nil {
		object, err = s.track(w, old, object)
	}
	if err != nil {
		return nil, err
	}
	return s.replace(w, live, old, object)
}

func newPatch(c *call) (*write, *metav1.PatchOptions, error) {
	options := &metav1.PatchOptions{}
	if err := c.decodeOptions(options); err != nil {
		return nil, nil, err
	}
	w := &write{
		call: c, action: ActionPatch, patchType: types.PatchType(c.mediaType), options: options,
		fieldManager: c.fieldManager(options.FieldManager), fieldValidation: options.FieldValidation, dryRun: len(options.DryRun) > 0,
	}
	switch w.patchType {
	case types.ApplyPatchType:
		w.action = ActionApply
	case types.JSONPatchType, types.MergePatchType:
	case types.StrategicMergePatchType:
		if c.resource.Custom {
			return nil, nil, c.unsupportedMediaType(customPatchTypes)
		}
	default:
		return nil, nil, c.unsupportedMediaType(customPatchTypes + ", application/strategic-merge-patch+json")
	}
	if c.subresource == statusResource {
		w.action += "Status"
	}
	return w, options, invalidOptions("PatchOptions", metavalidation.ValidatePatchOptions(options, w.patchType))
}

// applied returns live with the request's configuration applied.
func (s *Server) applied(w *write, live *unstructured.Unstructured, options *metav1.PatchOptions) (*unstructured.Unstructured, error) {
	configuration, err := decodeObject(w.body)
	if err != nil { // most clients send JSON
		var raw []byte
		if raw, err = yaml.YAMLToJSON(w.body); err == nil {
			configuration, err = decodeObject(raw)
		}
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	merged, err := s.apply(w, live, configuration, options.Force != nil && *options.Force)
	if err != nil {
		return nil, err
	}
	if merged, err = w.checkUnknown(w.resource.NormalizeApplied(merged)); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return merged, nil
}

// patched returns an object with the request's patch applied.
func (w *write) patched(old *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	raw, err := json.Marshal(old.Object)
	if err != nil {
		return nil, err
	}
	switch w.patchType {
	case types.JSONPatchType:
		raw, err = jsonPatched(raw, w.body)
	case types.MergePatchType:
		if err = json.Unmarshal(w.body, &map[string]any{}); err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		if raw, err = jsonpatch.MergePatch(raw, w.body); err != nil {
			err = apierrors.NewBadRequest(err.Error())
		}
	default:
		raw, err = w.strategicallyPatched(old)
	}
	if err != nil {
		return nil, err
	}
	object, err := decodeObject(raw)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if err := w.checkKind(object, raw); err != nil {
		return nil, err
	}
	normal, err := w.checkUnknown(w.resource.Normalize(object))
	if err != nil {
		return nil, invalidPatch(raw, err)
	}
	return normal, nil
}

// checkKind checks that a patch has not changed the kind or the version of an object. raw is the patched object.
func (w *write) checkKind(object *unstructured.Unstructured, raw []byte) error {
	if object.GroupVersionKind() == w.resource.GroupVersionKind() {
		return nil
	}
	if !w.resource.Custom {
		return invalidPatch(raw, fmt.Errorf("the patch changes apiVersion or kind to %s; keep %s",
			object.GroupVersionKind(), w.resource.GroupVersionKind()))
	}
	var errs field.ErrorList
	if have, want := object.GetKind(), w.resource.Kind; have != want {
		errs = append(errs, field.Invalid(field.NewPath("kind"), have, "must be "+want))
	}
	if have, want := object.GetAPIVersion(), w.resource.GroupVersion().String(); have != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), have, "must be "+want))
	}
	return apierrors.NewInvalid(object.GroupVersionKind().GroupKind(), w.name, errs)
}

func invalidPatch(patched []byte, cause error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), string(patched), cause.Error()),
	})
}

func jsonPatched(raw, body []byte) ([]byte, error) {
	patch, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	patched, err := patch.Apply(raw)
	if err != nil {
		return nil, unprocessable(err)
	}
	return patched, nil
}

func (w *write) strategicallyPatched(old *unstructured.Unstructured) ([]byte, error) {
	patch := map[string]any{}
	if err := json.Unmarshal(w.body, &patch); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	goType, err := w.resource.PatchType()
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(old.DeepCopy().Object, patch, goType)
	switch {
	case errors.Is(err, mergepatch.ErrBadJSONDoc), errors.Is(err, mergepatch.ErrBadPatchFormatForPrimitiveList),
		errors.Is(err, mergepatch.ErrBadPatchFormatForRetainKeys), errors.Is(err, mergepatch.ErrBadPatchFormatForSetElementOrderList),
		errors.Is(err, mergepatch.ErrUnsupportedStrategicMergePatchFormat):
		return nil, apierrors.NewBadRequest(err.Error())
	case errors.Is(err, mergepatch.ErrNoListOfLists), errors.Is(err, mergepatch.ErrBadPatchFormatForPrimitiveList):
		return nil, unprocessable(err)
	case err != nil:
		return nil, err
	}
	return json.Marshal(merged)
}

func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}
