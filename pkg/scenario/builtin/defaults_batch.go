package builtin

import (
	"maps"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

func defaultJob(o *batchv1.Job) {
	if o.Spec.Completions == nil && o.Spec.Parallelism == nil {
		setPointer(&o.Spec.Completions, 1)
	}
	setPointer(&o.Spec.Parallelism, 1)
	setPointer(&o.Spec.BackoffLimit, 6)
	setPointer(&o.Spec.CompletionMode, batchv1.NonIndexedCompletion)
	setPointer(&o.Spec.Suspend, false)
	setPointer(&o.Spec.ManualSelector, false)
	replacement := batchv1.TerminatingOrFailed
	if o.Spec.PodFailurePolicy != nil {
		replacement = batchv1.Failed
	}
	setPointer(&o.Spec.PodReplacementPolicy, replacement)
	defaultPod(&o.Spec.Template.Spec)
}

// selectJobPods adds unique labels to the Pod template and the selector of a new Job, unless manualSelector is true. It does not change
// labels that are already set.
func selectJobPods(object runtime.Object) {
	job := object.(*batchv1.Job)
	if ptr.Deref(job.Spec.ManualSelector, false) {
		return
	}
	labels := map[string]string{
		legacyJobName: job.Name, batchv1.JobNameLabel: job.Name,
		legacyControllerUID: string(job.UID), batchv1.ControllerUidLabel: string(job.UID),
	}
	maps.Copy(labels, job.Spec.Template.Labels)
	job.Spec.Template.Labels = labels
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	selected := map[string]string{batchv1.ControllerUidLabel: string(job.UID)}
	maps.Copy(selected, job.Spec.Selector.MatchLabels)
	job.Spec.Selector.MatchLabels = selected
}

// Labels that Kubernetes 1.27 replaced and still sets.
const (
	legacyJobName       = "job-name"
	legacyControllerUID = "controller-uid"
)

func defaultCronJob(o *batchv1.CronJob) {
	set(&o.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
	setPointer(&o.Spec.Suspend, false)
	setPointer(&o.Spec.SuccessfulJobsHistoryLimit, 3)
	setPointer(&o.Spec.FailedJobsHistoryLimit, 1)
	defaultPod(&o.Spec.JobTemplate.Spec.Template.Spec)
}

// defaultUtilization is the target CPU utilization of an autoscaler without metrics, in percent of the requested CPU.
const defaultUtilization = 80

func defaultAutoscaler(o *autoscalingv2.HorizontalPodAutoscaler) {
	setPointer(&o.Spec.MinReplicas, 1)
	if len(o.Spec.Metrics) > 0 {
		return
	}
	utilization := int32(defaultUtilization)
	o.Spec.Metrics = []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &utilization},
	}}}
}
