package apiserver

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// typeConverter is the managedfields.TypeConverter for built-in kinds. For Scale, whose schema client-go lacks, it deduces the schema
// from the object. That is exact, because a Scale has no lists.
type typeConverter struct {
	managedfields.TypeConverter
	deduced managedfields.TypeConverter
}

// ObjectToTyped implements managedfields.TypeConverter.
func (c typeConverter) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind := object.GetObjectKind().GroupVersionKind().GroupKind()
	if kind == autoscalingv1.SchemeGroupVersion.WithKind("Scale").GroupKind() {
		return c.deduced.ObjectToTyped(object, options...)
	}
	return c.TypeConverter.ObjectToTyped(object, options...)
}
