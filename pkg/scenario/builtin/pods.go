package builtin

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
)

// PodSubresources returns the storage of the Pod subresources, keyed by "pods/binding" and "pods/eviction". pods is the registry of Pods
// that Kind.Storage returned.
func PodSubresources(pods rest.Storage, budgets policyclient.PodDisruptionBudgetsGetter) map[string]rest.Storage {
	store := *pods.(resourceREST).Store
	store.UpdateStrategy = wholeStrategy{store.UpdateStrategy.(strategy)}
	return map[string]rest.Storage{"pods/binding": bindingREST{&store}, "pods/eviction": evictionREST{&store, budgets}}
}

// wholeStrategy is a strategy that allows one update to change both spec and status.
type wholeStrategy struct{ strategy }

// PrepareForUpdate implements rest.RESTUpdateStrategy.
func (wholeStrategy) PrepareForUpdate(context.Context, runtime.Object, runtime.Object) {}

// bindingREST is the subresource "binding" of Pods.
type bindingREST struct{ pods *genericregistry.Store }

var (
	_ rest.NamedCreater                   = bindingREST{}
	_ rest.SubresourceObjectMetaPreserver = bindingREST{}
)

// New implements rest.Storage.
func (bindingREST) New() runtime.Object { return &corev1.Binding{} }

// Destroy implements rest.Storage.
func (bindingREST) Destroy() {}

// PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate implements rest.SubresourceObjectMetaPreserver.
func (bindingREST) PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate() bool { return true }

// Create implements rest.NamedCreater.
func (r bindingREST) Create(ctx context.Context, name string, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	binding := object.(*corev1.Binding)
	if name != binding.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Binding object")
	}
	if errs := validateBindingTarget(binding.Target); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if validate != nil {
		if err := validate(ctx, binding.DeepCopy()); err != nil {
			return nil, err
		}
	}
	bind := func(_ context.Context, object, _ runtime.Object) (runtime.Object, error) {
		pod := object.(*corev1.Pod)
		if err := bindable(pod); err != nil {
			return nil, apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, err)
		}
		pod.Spec.NodeName = binding.Target.Name
		setPodCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
		return pod, nil
	}
	if err := updatePod(ctx, r.pods, name, bind, &metav1.UpdateOptions{DryRun: options.DryRun}); err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

func validateBindingTarget(target corev1.ObjectReference) (errs field.ErrorList) {
	if target.Kind != "" && target.Kind != "Node" {
		errs = append(errs, field.NotSupported(field.NewPath("target", "kind"), target.Kind, []string{"Node", "<empty>"}))
	}
	if target.Name == "" {
		errs = append(errs, field.Required(field.NewPath("target", "name"), ""))
	}
	return errs
}

// bindable returns an error if a Pod cannot be bound to a Node.
func bindable(pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) != 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", pod.Name)
	}
	return nil
}

// evictionREST is the subresource "eviction" of Pods. It refuses to evict a running Pod that a PodDisruptionBudget selects, because no
// controller computes the allowed disruptions.
type evictionREST struct {
	pods    *genericregistry.Store
	budgets policyclient.PodDisruptionBudgetsGetter
}

var (
	_ rest.NamedCreater             = evictionREST{}
	_ rest.GroupVersionKindProvider = evictionREST{}
)

// GroupVersionKind implements rest.GroupVersionKindProvider.
func (evictionREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return policyv1.SchemeGroupVersion.WithKind("Eviction")
}

// New implements rest.Storage.
func (evictionREST) New() runtime.Object { return &policyv1.Eviction{} }

// Destroy implements rest.Storage.
func (evictionREST) Destroy() {}

// Create implements rest.NamedCreater.
func (r evictionREST) Create(ctx context.Context, name string, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	eviction := object.(*policyv1.Eviction)
	if name != eviction.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	deletion := eviction.DeleteOptions.DeepCopy()
	if deletion == nil {
		deletion = &metav1.DeleteOptions{}
	}
	if len(deletion.DryRun) == 0 {
		deletion.DryRun = options.DryRun
	}
	if validate != nil {
		if err := validate(ctx, eviction.DeepCopy()); err != nil {
			return nil, err
		}
	}
	found, err := r.pods.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if pod := found.(*corev1.Pod); pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
		if err := r.checkBudgets(ctx, pod); err != nil {
			return nil, err
		}
	}
	if len(deletion.DryRun) == 0 {
		if err := r.mark(ctx, name, deletion.Preconditions); err != nil {
			return nil, err
		}
	}
	if _, _, err := r.pods.Delete(ctx, name, rest.ValidateAllObjectFunc, deletion); err != nil {
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

// checkBudgets returns a TooManyRequests error if a PodDisruptionBudget selects the Pod.
func (r evictionREST) checkBudgets(ctx context.Context, pod *corev1.Pod) error {
	budgets, err := r.budgets.PodDisruptionBudgets(pod.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, budget := range budgets.Items {
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil || !selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		refused := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 10)
		refused.ErrStatus.Details.Causes = append(refused.ErrStatus.Details.Causes, metav1.StatusCause{
			Type: policyv1.DisruptionBudgetCause, Message: fmt.Sprintf("The disruption budget %s is still being processed by the server.", budget.Name),
		})
		return refused
	}
	return nil
}

// mark sets the condition DisruptionTarget on an evicted Pod. It returns a Conflict error if the Pod does not have the UID in
// preconditions.
func (r evictionREST) mark(ctx context.Context, name string, preconditions *metav1.Preconditions) error {
	return updatePod(ctx, r.pods, name, func(_ context.Context, object, _ runtime.Object) (runtime.Object, error) {
		pod := object.(*corev1.Pod)
		if preconditions != nil && preconditions.UID != nil && *preconditions.UID != pod.UID {
			return nil, apierrors.NewConflict(schema.GroupResource{Resource: "Pod"}, name, fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). "+
				"The object might have been deleted and then recreated", *preconditions.UID, pod.UID))
		}
		setPodCondition(pod, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting",
		})
		return pod, nil
	}, &metav1.UpdateOptions{})
}

// updatePod changes the latest version of a Pod, and retries on conflicts. It returns a NotFound error if the Pod does not exist.
func updatePod(ctx context.Context, pods *genericregistry.Store, name string, change rest.TransformFunc, options *metav1.UpdateOptions) error {
	latest := func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		if metadata(old).ResourceVersion == "" {
			return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, name)
		}
		return old.DeepCopyObject(), nil
	}
	_, _, err := pods.Update(ctx, name, rest.DefaultUpdatedObjectInfo(nil, latest, change), rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, options)
	return err
}

// setPodCondition adds or replaces a condition of a Pod. It keeps LastTransitionTime if the status is unchanged.
func setPodCondition(pod *corev1.Pod, condition corev1.PodCondition) {
	condition.LastTransitionTime = metav1.Now()
	for i, old := range pod.Status.Conditions {
		if old.Type != condition.Type {
			continue
		}
		if old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		pod.Status.Conditions[i] = condition
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, condition)
}
