package builtin

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storeerr "k8s.io/apiserver/pkg/storage/errors"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// beginNamespace sets the phase of a new Namespace to Active, and adds finalizer "kubernetes" to spec.finalizers.
func beginNamespace(object runtime.Object) {
	namespace := object.(*corev1.Namespace)
	namespace.Status.Phase = corev1.NamespaceActive
	if !slices.Contains(namespace.Spec.Finalizers, corev1.FinalizerKubernetes) {
		namespace.Spec.Finalizers = append(namespace.Spec.Finalizers, corev1.FinalizerKubernetes)
	}
}

// keepNamespaceFinalizers sets spec.finalizers to the old value, because only subresource "finalize" may change it.
func keepNamespaceFinalizers(object, old runtime.Object) {
	object.(*corev1.Namespace).Spec.Finalizers = old.(*corev1.Namespace).Spec.Finalizers
}

// labelNamespace sets the label kubernetes.io/metadata.name to the name of the Namespace.
func labelNamespace(object runtime.Object) {
	namespace := object.(*corev1.Namespace)
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name
}

func namespaceFields(object runtime.Object) map[string]string {
	namespace := object.(*corev1.Namespace)
	return map[string]string{"status.phase": string(namespace.Status.Phase), "name": namespace.Name}
}

// namespaceREST is the registry of Namespaces. A deletion marks a Namespace as Terminating. The registry removes the Namespace when
// spec.finalizers and metadata.finalizers are empty.
type namespaceREST struct {
	withoutDeleteCollection
	store resourceREST
}

// withoutDeleteCollection contains the methods of a registry except DeleteCollection, which Namespaces do not support.
//
//nolint:interfacebloat // all but one of the methods in k8s.io/apiserver's interfaces for a registry
type withoutDeleteCollection interface {
	rest.Storage
	rest.Scoper
	rest.Lister
	rest.Watcher
	rest.Creater
	rest.Patcher
	rest.ShortNamesProvider
	rest.SingularNameProvider
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
}

var _ rest.GracefulDeleter = namespaceREST{}

// Delete implements rest.GracefulDeleter.
func (r namespaceREST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	found, err := r.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, false, err
	}
	namespace := found.(*corev1.Namespace)
	if options == nil {
		options = &metav1.DeleteOptions{}
	}
	if options.Preconditions == nil {
		options.Preconditions = &metav1.Preconditions{}
	}
	if options.Preconditions.UID == nil {
		options.Preconditions.UID = &namespace.UID
	}
	if err := r.check(namespace, options.Preconditions); err != nil {
		return nil, false, err
	}
	switch {
	case namespace.DeletionTimestamp.IsZero():
		return r.terminate(ctx, name, validate, options)
	case len(namespace.Spec.Finalizers) > 0:
		return namespace, false, nil // its content is being deleted
	}
	return r.store.Delete(ctx, name, validate, options)
}

func (r namespaceREST) check(namespace *corev1.Namespace, want *metav1.Preconditions) error {
	conflict := func(field string, want, have any) error {
		return apierrors.NewConflict(r.store.DefaultQualifiedResource, namespace.Name,
			//nolint:staticcheck // kube-apiserver's wording
			fmt.Errorf("Precondition failed: %s in precondition: %v, %s in object meta: %v", field, want, field, have))
	}
	if *want.UID != namespace.UID {
		return conflict("UID", *want.UID, namespace.UID)
	}
	if want.ResourceVersion != nil && *want.ResourceVersion != namespace.ResourceVersion {
		return conflict("ResourceVersion", *want.ResourceVersion, namespace.ResourceVersion)
	}
	return nil
}

// terminate sets the deletionTimestamp of a Namespace, its phase to Terminating, and the finalizer for the propagation policy.
func (r namespaceREST) terminate(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	key, err := r.store.KeyFunc(ctx, name)
	if err != nil {
		return nil, false, err
	}
	terminating := &corev1.Namespace{}
	update := func(existing runtime.Object) (runtime.Object, error) {
		namespace := existing.(*corev1.Namespace)
		if err := validate(ctx, namespace); err != nil {
			return nil, err
		}
		if namespace.DeletionTimestamp.IsZero() {
			now := metav1.Now()
			namespace.DeletionTimestamp = &now
		}
		namespace.Status.Phase = corev1.NamespaceTerminating
		setPropagation(namespace, options.PropagationPolicy)
		return namespace, nil
	}
	preconditions := storage.Preconditions{UID: options.Preconditions.UID, ResourceVersion: options.Preconditions.ResourceVersion}
	err = r.store.Storage.GuaranteedUpdate(ctx, key, terminating, false, &preconditions, storage.SimpleUpdate(update), dryrun.IsDryRun(options.DryRun), nil)
	if err != nil {
		err = storeerr.InterpretGetError(err, r.store.DefaultQualifiedResource, name)
		return nil, false, storeerr.InterpretUpdateError(err, r.store.DefaultQualifiedResource, name)
	}
	return terminating, false, nil
}

// setPropagation replaces the finalizers from which the garbage collector learns the propagation policy. If policy is nil, it changes
// nothing.
func setPropagation(object metav1.Object, policy *metav1.DeletionPropagation) {
	if policy == nil {
		return
	}
	finalizers := slices.DeleteFunc(slices.Clone(object.GetFinalizers()), func(finalizer string) bool {
		return finalizer == metav1.FinalizerOrphanDependents || finalizer == metav1.FinalizerDeleteDependents
	})
	switch *policy {
	case metav1.DeletePropagationOrphan:
		finalizers = append(finalizers, metav1.FinalizerOrphanDependents)
	case metav1.DeletePropagationForeground:
		finalizers = append(finalizers, metav1.FinalizerDeleteDependents)
	}
	object.SetFinalizers(finalizers)
}

// namespaceEnds reports whether an update leaves a terminating Namespace without finalizers, so that the registry must remove it.
func namespaceEnds(ctx context.Context, key string, object, existing runtime.Object) bool {
	return len(object.(*corev1.Namespace).Spec.Finalizers) == 0 && genericregistry.ShouldDeleteDuringUpdate(ctx, key, object, existing)
}

// finalizeStrategy is the strategy of subresource "finalize" of Namespaces. An update does not change the status.
type finalizeStrategy struct{ strategy }

// PrepareForUpdate implements rest.RESTUpdateStrategy.
func (finalizeStrategy) PrepareForUpdate(_ context.Context, object, old runtime.Object) {
	object.(*corev1.Namespace).Status = old.(*corev1.Namespace).Status
}
