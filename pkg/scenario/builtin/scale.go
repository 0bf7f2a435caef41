package builtin

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// scaleREST is the subresource "scale" of a workload kind.
type scaleREST struct {
	store *genericregistry.Store
	kind  Kind
}

var (
	_ rest.Patcher                  = scaleREST{}
	_ rest.GroupVersionKindProvider = scaleREST{}
)

// GroupVersionKind implements rest.GroupVersionKindProvider.
func (scaleREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
}

// New implements rest.Storage.
func (scaleREST) New() runtime.Object { return &autoscalingv1.Scale{} }

// Destroy implements rest.Storage. It does nothing; the server destroys the registry itself.
func (scaleREST) Destroy() {}

// Get implements rest.Getter.
func (r scaleREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	object, err := r.store.Get(ctx, name, options)
	if err != nil {
		return nil, err
	}
	return scaleOf(object)
}

// Update implements rest.Updater. It never creates an object.
//
//nolint:revive // rest.Updater has that many arguments
func (r scaleREST) Update(ctx context.Context, name string, scale rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc,
	validate rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	validateScales := func(ctx context.Context, object, old runtime.Object) error {
		scale, err := scaleOf(object)
		if err != nil {
			return err
		}
		oldScale, err := scaleOf(old)
		if err != nil {
			return err
		}
		return validate(ctx, scale, oldScale)
	}
	object, _, err := r.store.Update(ctx, name, scaled{scale, r.kind, name}, rest.ValidateAllObjectFunc, validateScales, false, options)
	if err != nil {
		return nil, false, err
	}
	updated, err := scaleOf(object)
	return updated, false, err
}

// ConvertToTable implements rest.TableConvertor.
func (r scaleREST) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}

// replicasOf returns a pointer to the spec.replicas field of a workload, and the value of status.replicas. For other kinds it returns a
// pointer to nil, and 0.
func replicasOf(object runtime.Object) (spec **int32, status int32) {
	switch object := object.(type) {
	case *appsv1.Deployment:
		return &object.Spec.Replicas, object.Status.Replicas
	case *appsv1.ReplicaSet:
		return &object.Spec.Replicas, object.Status.Replicas
	case *appsv1.StatefulSet:
		return &object.Spec.Replicas, object.Status.Replicas
	}
	return new(*int32), 0
}

func scaleOf(object runtime.Object) (*autoscalingv1.Scale, error) {
	_, selector, _ := podsOf(object)
	pods, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	meta := metadata(object)
	replicas, found := replicasOf(object)
	scale := &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: meta.Name, Namespace: meta.Namespace, UID: meta.UID, ResourceVersion: meta.ResourceVersion, CreationTimestamp: meta.CreationTimestamp,
		},
		Status: autoscalingv1.ScaleStatus{Replicas: found, Selector: pods.String()},
	}
	if *replicas != nil {
		scale.Spec.Replicas = **replicas
	}
	return scale, nil
}

// scaled is the rest.UpdatedObjectInfo for a workload whose Scale is being updated. It contains the rest.UpdatedObjectInfo of the Scale.
type scaled struct {
	rest.UpdatedObjectInfo
	kind Kind
	name string
}

// UpdatedObject implements rest.UpdatedObjectInfo.
func (s scaled) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	object := old.DeepCopyObject()
	meta := metadata(object)
	resource := s.kind.WithResource(s.kind.Resource + "/scale").GroupResource()
	if meta.ResourceVersion == "" {
		return nil, apierrors.NewNotFound(resource, s.name)
	}
	fields := managedfields.NewScaleHandler(meta.ManagedFields, s.kind.GroupVersion,
		managedfields.ResourcePathMappings{s.kind.GroupVersion.String(): fieldpath.MakePathOrDie("spec", "replicas")})
	oldScale, err := scaleOf(object)
	if err != nil {
		return nil, err
	}
	if oldScale.ManagedFields, err = fields.ToSubresource(); err != nil {
		return nil, err
	}
	updated, err := s.UpdatedObjectInfo.UpdatedObject(ctx, oldScale)
	if err != nil {
		return nil, err
	}
	scale, isScale := updated.(*autoscalingv1.Scale)
	if !isScale {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("expected input object type to be Scale, but %T", updated))
	}
	if errs := validateScale(scale); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: autoscalingv1.GroupName, Kind: "Scale"}, meta.Name, errs)
	}
	if scale.UID != "" && scale.UID != meta.UID {
		return nil, apierrors.NewConflict(resource, meta.Name,
			errors.New("Precondition failed: UID in precondition: "+string(scale.UID)+", UID in object meta: "+string(meta.UID)))
	}
	replicas, _ := replicasOf(object)
	*replicas, meta.ResourceVersion = &scale.Spec.Replicas, scale.ResourceVersion
	meta.ManagedFields, err = fields.ToParent(scale.ManagedFields)
	return object, err
}

func validateScale(scale *autoscalingv1.Scale) field.ErrorList {
	errs := validation.ValidateObjectMeta(&scale.ObjectMeta, true, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
	return append(errs, validation.ValidateNonnegativeField(int64(scale.Spec.Replicas), field.NewPath("spec", "replicas"))...)
}
