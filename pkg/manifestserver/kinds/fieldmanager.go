package kinds

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// status is the name of the subresource and of the field that it writes.
const status = "status"

// FieldManager returns the field manager of a resource or of its subresource. The first write builds it.
func (r *Resource) FieldManager(subresource string) (*managedfields.FieldManager, error) {
	if known := r.managers[subresource]; known != nil {
		return known, nil
	}
	converter, err := r.schema.converter()
	if err != nil {
		return nil, err
	}
	build := managedfields.NewDefaultFieldManager
	if r.Custom {
		build = managedfields.NewDefaultCRDFieldManager
	}
	objects := unstructuredObjects{r}
	reset := fieldpath.NewExcludeFilterSetMap(r.resetFields(subresource))
	manager, err := build(converter, objects, objects, objects, r.GroupVersionKind(), r.GroupVersion(), subresource, reset)
	if err != nil {
		return nil, fmt.Errorf("building the field manager of %s: %w", r.GroupVersionKind(), err)
	}
	r.managers[subresource] = manager
	return manager, nil
}

// resetFields returns the fields that a write to a resource or to its subresource does not change, and therefore does not own.
func (r *Resource) resetFields(subresource string) map[fieldpath.APIVersion]*fieldpath.Set {
	set := fieldpath.NewSet()
	switch {
	case subresource == "" && r.Is(HasStatus):
		set.Insert(fieldpath.MakePathOrDie(status))
	case subresource == status:
		set.Insert(fieldpath.MakePathOrDie("spec"))
		if r.Custom {
			set.Insert(fieldpath.MakePathOrDie("metadata"))
		}
	}
	return map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(r.GroupVersion().String()): set}
}

// unstructuredObjects creates, converts and defaults the objects of a resource for its field manager.
type unstructuredObjects struct{ resource *Resource }

var (
	_ runtime.ObjectConvertor = unstructuredObjects{}
	_ runtime.ObjectDefaulter = unstructuredObjects{}
	_ runtime.ObjectCreater   = unstructuredObjects{}
)

// New implements runtime.ObjectCreater.
func (o unstructuredObjects) New(schema.GroupVersionKind) (runtime.Object, error) {
	return o.resource.Empty()
}

// Default implements runtime.ObjectDefaulter for custom kinds. NormalizeApplied sets those of other kinds.
func (o unstructuredObjects) Default(in runtime.Object) {
	schemaOf, isCustom := o.resource.schema.(*customSchema)
	if object, isUnstructured := in.(*unstructured.Unstructured); isCustom && isUnstructured {
		setDefaults(object.Object, schemaOf.structural)
	}
}

// Convert implements runtime.ObjectConvertor.
func (unstructuredObjects) Convert(in, _, _ any) error {
	return fmt.Errorf("converting %T: not supported", in)
}

// ConvertFieldLabel implements runtime.ObjectConvertor.
func (unstructuredObjects) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// ConvertToVersion implements runtime.ObjectConvertor. It changes only the apiVersion.
func (o unstructuredObjects) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	object, isUnstructured := in.(*unstructured.Unstructured)
	if !isUnstructured {
		return nil, fmt.Errorf("converting %T: not supported", in)
	}
	have := object.GroupVersionKind()
	want, supported := target.KindForGroupVersionKinds([]schema.GroupVersionKind{have})
	if !supported {
		version, isVersion := target.(schema.GroupVersion)
		if !isVersion {
			return nil, fmt.Errorf("converting %s to %v: not supported", have, target)
		}
		want = version.WithKind(have.Kind)
	}
	if want == have {
		return object, nil
	}
	converted := &unstructured.Unstructured{Object: maps.Clone(object.Object)}
	converted.SetGroupVersionKind(want)
	return converted, nil
}
