package builtin

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// podsOf returns the name of a workload's kind, the selector of its Pods and their template. For other kinds it returns zero values.
func podsOf(object runtime.Object) (kind string, selector *metav1.LabelSelector, template corev1.PodTemplateSpec) {
	switch object := object.(type) {
	case *appsv1.Deployment:
		return "Deployment", object.Spec.Selector, object.Spec.Template
	case *appsv1.ReplicaSet:
		return "ReplicaSet", object.Spec.Selector, object.Spec.Template
	case *appsv1.StatefulSet:
		return "StatefulSet", object.Spec.Selector, object.Spec.Template
	case *appsv1.DaemonSet:
		return "DaemonSet", object.Spec.Selector, object.Spec.Template
	}
	return "", nil, corev1.PodTemplateSpec{}
}

// validateWorkload checks that the selector of a workload matches its Pod template, and that the template has containers.
func validateWorkload(object runtime.Object) field.ErrorList {
	kind, selector, template := podsOf(object)
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if selector == nil {
		errs = append(errs, field.Required(spec.Child("selector"), ""))
	} else if len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		errs = append(errs, field.Invalid(spec.Child("selector"), selector, "empty selector is invalid for "+strings.ToLower(kind)))
	}
	if matches, err := metav1.LabelSelectorAsSelector(selector); err != nil {
		errs = append(errs, field.Invalid(spec.Child("selector"), selector, "invalid label selector"))
	} else if !matches.Empty() && !matches.Matches(labels.Set(template.Labels)) {
		errs = append(errs, field.Invalid(spec.Child("template", "metadata", "labels"), template.Labels, "`selector` does not match template `labels`"))
	}
	if len(template.Spec.Containers) == 0 {
		errs = append(errs, field.Required(spec.Child("template", "spec", "containers"), ""))
	}
	return errs
}

// validateReplicas does the checks of validateWorkload, and checks the number of replicas.
func validateReplicas(object runtime.Object) field.ErrorList {
	replicas := fieldOf(object, "Spec").FieldByName("Replicas").Interface().(*int32)
	return append(validation.ValidateNonnegativeField(int64(ptr.Deref(replicas, 0)), field.NewPath("spec", "replicas")), validateWorkload(object)...)
}

// validateJob checks that a Job's Pods have containers, and that restartPolicy is Never or OnFailure.
func validateJob(object runtime.Object) field.ErrorList {
	pods := object.(*batchv1.Job).Spec.Template.Spec
	path := field.NewPath("spec", "template", "spec")
	var errs field.ErrorList
	if len(pods.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	if pods.RestartPolicy != corev1.RestartPolicyNever && pods.RestartPolicy != corev1.RestartPolicyOnFailure {
		errs = append(errs, field.Required(path.Child("restartPolicy"), `valid values: "OnFailure", "Never"`))
	}
	return errs
}

// validateJobUpdate refuses changes to completions, selector, Pod template and completionMode. For an indexed Job, completions may change
// if parallelism has the same value. validateJobTemplateUpdate describes the exceptions for the Pod template.
func validateJobUpdate(object, old runtime.Object) field.ErrorList {
	changed, was := object.(*batchv1.Job).Spec.DeepCopy(), old.(*batchv1.Job).Spec
	spec := field.NewPath("spec")
	var errs field.ErrorList
	switch {
	case ptr.Deref(changed.CompletionMode, "") != batchv1.IndexedCompletion:
		errs = validation.ValidateImmutableField(changed.Completions, was.Completions, spec.Child("completions"))
	case !ptr.Equal(changed.Completions, was.Completions) && !ptr.Equal(changed.Completions, changed.Parallelism):
		errs = field.ErrorList{field.Invalid(spec.Child("completions"), changed.Completions, "can only be modified in tandem with spec.parallelism")}
	}
	errs = append(errs, validation.ValidateImmutableField(changed.Selector, was.Selector, spec.Child("selector"))...)
	errs = append(errs, validateJobTemplateUpdate(changed, &was, spec.Child("template"))...)
	return append(errs, validation.ValidateImmutableField(changed.CompletionMode, was.CompletionMode, spec.Child("completionMode"))...)
}

// validateJobTemplateUpdate refuses changes to the Pod template. If the Job was suspended before the update, its template's metadata,
// scheduling constraints and resources may change.
func validateJobTemplateUpdate(changed, was *batchv1.JobSpec, template *field.Path) field.ErrorList {
	if !ptr.Deref(was.Suspend, false) {
		return validation.ValidateImmutableField(changed.Template, was.Template, template)
	}
	pods, before := changed.Template.Spec.DeepCopy(), was.Template.Spec
	before.Affinity, pods.Affinity = podAffinity(before.Affinity), podAffinity(pods.Affinity)
	pods.NodeSelector, pods.Tolerations, pods.SchedulingGates = before.NodeSelector, before.Tolerations, before.SchedulingGates
	for i := range min(len(pods.Containers), len(before.Containers)) {
		pods.Containers[i].Resources = before.Containers[i].Resources
	}
	for i := range min(len(pods.InitContainers), len(before.InitContainers)) {
		pods.InitContainers[i].Resources = before.InitContainers[i].Resources
	}
	return validation.ValidateImmutableField(*pods, before, template.Child("spec"))
}

// podAffinity returns a copy of an affinity without the node affinity, or nil if the copy is empty.
func podAffinity(affinity *corev1.Affinity) *corev1.Affinity {
	if affinity == nil || affinity.PodAffinity == nil && affinity.PodAntiAffinity == nil {
		return nil
	}
	return &corev1.Affinity{PodAffinity: affinity.PodAffinity, PodAntiAffinity: affinity.PodAntiAffinity}
}

// validateWorkloadUpdate refuses changes to a workload's selector.
func validateWorkloadUpdate(object, old runtime.Object) field.ErrorList {
	_, selector, _ := podsOf(object)
	_, oldSelector, _ := podsOf(old)
	return validation.ValidateImmutableField(selector, oldSelector, field.NewPath("spec", "selector"))
}

// validateStatefulSetUpdate refuses changes to the immutable fields in a StatefulSet's spec.
func validateStatefulSetUpdate(object, old runtime.Object) field.ErrorList {
	changed, was := object.(*appsv1.StatefulSet).Spec.DeepCopy(), old.(*appsv1.StatefulSet).Spec
	changed.Replicas, changed.Ordinals, changed.Template, changed.UpdateStrategy = was.Replicas, was.Ordinals, was.Template, was.UpdateStrategy
	changed.RevisionHistoryLimit, changed.PersistentVolumeClaimRetentionPolicy = was.RevisionHistoryLimit, was.PersistentVolumeClaimRetentionPolicy
	changed.MinReadySeconds = was.MinReadySeconds
	if apiequality.Semantic.DeepEqual(*changed, was) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"), "updates to statefulset spec for fields other than 'replicas', 'ordinals', "+
		"'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden")}
}
