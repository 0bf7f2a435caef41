package builtin

import (
	"context"
	"reflect"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// strategy implements the registry strategies of all kinds. It applies the rules of a kind, and accesses fields of the Go types by
// reflection.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind Kind
}

// statusStrategy is the strategy of subresource "status". An update changes only the status and the metadata.
type statusStrategy struct{ strategy }

var (
	_ rest.RESTCreateStrategy         = strategy{}
	_ rest.RESTUpdateStrategy         = strategy{}
	_ rest.RESTGracefulDeleteStrategy = gracefulStrategy{}
	_ rest.ResetFieldsStrategy        = strategy{}
)

// NamespaceScoped implements rest.RESTCreateStrategy.
func (s strategy) NamespaceScoped() bool { return s.kind.Namespaced }

// PrepareForCreate implements rest.RESTCreateStrategy.
func (s strategy) PrepareForCreate(_ context.Context, object runtime.Object) {
	if s.kind.rules.hasStatus {
		fieldOf(object, "Status").SetZero()
	}
	if s.kind.rules.hasGeneration {
		metadata(object).Generation = 1
	}
	if s.kind.rules.prepareCreate != nil {
		s.kind.rules.prepareCreate(object)
	}
}

// PrepareForUpdate implements rest.RESTUpdateStrategy. The caller must have set the generation of object to that of old.
func (s strategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	if s.kind.rules.hasStatus {
		fieldOf(object, "Status").Set(fieldOf(old, "Status"))
	}
	if s.kind.rules.prepareUpdate != nil {
		s.kind.rules.prepareUpdate(object, old)
	}
	if s.kind.rules.hasGeneration && s.changesGeneration(object, old) {
		metadata(object).Generation++
	}
}

func (s strategy) changesGeneration(object, old runtime.Object) bool {
	names := s.kind.rules.generationFields
	if names == nil {
		names = []string{"Spec"}
	}
	for _, name := range names {
		if !apiequality.Semantic.DeepEqual(fieldOf(object, name).Interface(), fieldOf(old, name).Interface()) {
			return true
		}
	}
	return false
}

// WarningsOnCreate implements rest.RESTCreateStrategy.
func (s strategy) WarningsOnCreate(_ context.Context, object runtime.Object) []string {
	if s.kind.rules.warnings == nil {
		return nil
	}
	return s.kind.rules.warnings(object)
}

// WarningsOnUpdate implements rest.RESTUpdateStrategy.
func (s strategy) WarningsOnUpdate(ctx context.Context, object, _ runtime.Object) []string {
	return s.WarningsOnCreate(ctx, object)
}

// Canonicalize implements rest.RESTCreateStrategy.
func (s strategy) Canonicalize(object runtime.Object) {
	if s.kind.rules.canonicalize != nil {
		s.kind.rules.canonicalize(object)
	}
}

// AllowCreateOnUpdate implements rest.RESTUpdateStrategy.
func (s strategy) AllowCreateOnUpdate() bool { return s.kind.rules.allowsCreateOnUpdate }

// AllowUnconditionalUpdate implements rest.RESTUpdateStrategy.
func (s strategy) AllowUnconditionalUpdate() bool { return !s.kind.rules.requiresResourceVersion }

// GetResetFields implements rest.ResetFieldsStrategy.
func (s strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	if !s.kind.rules.hasStatus {
		return nil
	}
	return s.reset("status")
}

func (s strategy) reset(path string) map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(s.kind.GroupVersion.String()): fieldpath.NewSet(fieldpath.MakePathOrDie(path)),
	}
}

// PrepareForUpdate implements rest.RESTUpdateStrategy.
func (s statusStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	status := reflect.ValueOf(fieldOf(object, "Status").Interface()) // a copy, because the object is overwritten next
	meta := metadata(object).DeepCopy()
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(old.DeepCopyObject()).Elem())
	fieldOf(object, "Status").Set(status)
	fieldOf(object, "ObjectMeta").Set(reflect.ValueOf(*meta))
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (s statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return s.reset("spec")
}

// gracefulStrategy is the strategy of kinds with a grace period.
type gracefulStrategy struct{ strategy }

// CheckGracefulDelete implements rest.RESTGracefulDeleteStrategy.
func (s gracefulStrategy) CheckGracefulDelete(_ context.Context, object runtime.Object, options *metav1.DeleteOptions) bool {
	period := s.kind.rules.gracePeriod(object, options.GracePeriodSeconds)
	options.GracePeriodSeconds = &period
	return true
}

// fieldOf returns a top-level field of a typed object. The caller may set its value.
func fieldOf(object runtime.Object, name string) reflect.Value {
	return reflect.ValueOf(object).Elem().FieldByName(name)
}

func metadata(object runtime.Object) *metav1.ObjectMeta {
	return fieldOf(object, "ObjectMeta").Addr().Interface().(*metav1.ObjectMeta)
}
