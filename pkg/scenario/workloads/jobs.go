package workloads

import (
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// syncJob creates Pods until enough of them have succeeded, and updates the Job's status. It deletes the unfinished Pods of a suspended
// Job. Pods in this cluster never fail, so Jobs never fail.
func (r *Runner) syncJob(ctx context.Context, k key) error {
	job, err := r.jobs.Jobs(k.namespace).Get(k.name)
	if err != nil || job.DeletionTimestamp != nil || hasJobCondition(job, batchv1.JobComplete) {
		return err
	}
	set := podSet{Object: job, kind: batchv1.SchemeGroupVersion.WithKind("Job"), template: job.Spec.Template}
	pods, names, err := r.podsOf(set)
	if err != nil {
		return err
	}
	updated := job.DeepCopy()
	status := &updated.Status
	status.Active, status.Ready, status.Succeeded = 0, ptr.To[int32](0), 0
	for _, pod := range pods {
		switch {
		case pod.Status.Phase == corev1.PodSucceeded:
			status.Succeeded++
		case ptr.Deref(job.Spec.Suspend, false):
			if err := r.controller.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("deleting Pod %q: %w", pod.Name, err)
			}
		default:
			status.Active++
			if isReady(pod) {
				*status.Ready++
			}
		}
	}
	if missing := wantedPods(job, status.Succeeded) - status.Active; missing > 0 && !ptr.Deref(job.Spec.Suspend, false) {
		if err := r.startPods(ctx, set, names, int(missing)); err != nil {
			return err
		}
		status.Active += missing
	}
	setJobConditions(job, status)
	if apiequality.Semantic.DeepEqual(job.Status, *status) {
		return nil
	}
	_, err = r.controller.BatchV1().Jobs(k.namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// wantedPods returns the number of Pods of a Job that must run when the given number of Pods has succeeded. The result is negative if more
// Pods than necessary have succeeded.
func wantedPods(job *batchv1.Job, succeeded int32) int32 {
	wanted := ptr.Deref(job.Spec.Parallelism, 1)
	switch {
	case job.Spec.Completions != nil:
		return min(wanted, *job.Spec.Completions-succeeded)
	case succeeded > 0:
		return 0 // a work queue Job starts no new Pods after one has succeeded
	}
	return wanted
}

// setJobConditions sets the conditions, the start time and the completion time in a Job's status, from its spec and its succeeded and
// active Pods.
func setJobConditions(job *batchv1.Job, status *batchv1.JobStatus) {
	if ptr.Deref(job.Spec.Suspend, false) {
		status.StartTime = nil
		setJobCondition(status, batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended")
		return
	}
	if hasJobCondition(job, batchv1.JobSuspended) {
		setJobCondition(status, batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed")
	}
	if status.StartTime == nil {
		status.StartTime = ptr.To(metav1.Now())
	}
	isComplete := status.Succeeded > 0 && status.Active == 0
	if job.Spec.Completions != nil {
		isComplete = status.Succeeded >= *job.Spec.Completions
	}
	if !isComplete {
		return
	}
	status.CompletionTime = ptr.To(metav1.Now())
	for _, condition := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		setJobCondition(status, condition, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
	}
}

func hasJobCondition(job *batchv1.Job, conditionType batchv1.JobConditionType) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(condition batchv1.JobCondition) bool {
		return condition.Type == conditionType && condition.Status == corev1.ConditionTrue
	})
}

func setJobCondition(status *batchv1.JobStatus, conditionType batchv1.JobConditionType, value corev1.ConditionStatus, reason, message string) {
	now := metav1.Now()
	condition := batchv1.JobCondition{Type: conditionType, Status: value, Reason: reason, Message: message, LastProbeTime: now, LastTransitionTime: now}
	i := slices.IndexFunc(status.Conditions, func(old batchv1.JobCondition) bool { return old.Type == conditionType })
	switch {
	case i < 0:
		status.Conditions = append(status.Conditions, condition)
	case status.Conditions[i].Status != value:
		status.Conditions[i] = condition
	}
}
