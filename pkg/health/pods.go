package health

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// PodProblem is the reason why a Pod does not start.
type PodProblem struct {
	// Text is a clause that names the Pod, the container and the reason, and in some cases the remedy. It is empty if no reason is known.
	Text string
	// Command is the kubectl command that shows details of the problem.
	Command string
}

// Causes of problems, the most certain first. If there are several problems, the one with the most certain cause is reported.
const (
	causeImage = iota
	causeCreation
	causeCrash
	causeScheduling
	causeNone
)

// maxPodReason is the maximum size of a reason that another component wrote, in bytes.
const maxPodReason = 200

// ProblemOfPods returns the problem of one of the Pods of a workload; zero if no Pod has a known problem. Only Pods that have the same
// template as the newest Pod count: during a rollout, the others are about to be deleted. The result does not depend on the order of the
// Pods. It contains no times or numbers of attempts, so it stays the same while the kubelet repeats an attempt.
func ProblemOfPods(pods []corev1.Pod) PodProblem {
	pods = slices.DeleteFunc(slices.Clone(pods), func(pod corev1.Pod) bool { return hasEnded(&pod) })
	slices.SortFunc(pods, func(a, b corev1.Pod) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	first, problem := causeNone, PodProblem{}
	for i := range pods {
		if templateOf(&pods[i]) != templateOf(&pods[0]) {
			continue
		}
		if cause, found := problemOfPod(&pods[i]); cause < first {
			first, problem = cause, found
		}
	}
	return problem
}

// hasEnded reports whether a Pod is being deleted, or has ended for good, for example because it was evicted. Another Pod replaces it.
func hasEnded(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// templateOf returns the value of the label with which the controller of a workload identifies the template of a Pod; empty if there is
// none.
func templateOf(pod *corev1.Pod) string {
	return cmp.Or(pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey], pod.Labels[appsv1.ControllerRevisionHashLabelKey])
}

func problemOfPod(pod *corev1.Pod) (int, PodProblem) {
	for i := range pod.Status.Conditions {
		condition := &pod.Status.Conditions[i]
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			text := fmt.Sprintf("Pod %s cannot be scheduled: %s", pod.Name, oneLine(cmp.Or(condition.Message, condition.Reason), maxPodReason))
			return causeScheduling, PodProblem{text, describePod(pod)}
		}
	}
	first, problem := causeNone, PodProblem{}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if cause, found := problemOfContainer(pod, container); cause < first {
			first, problem = cause, found
		}
	}
	return first, problem
}

// problemOfContainer returns the problem of a container that is not ready. A container that was restarted and is running counts as crashing
// until it is ready, because it alternates between running and crashing.
func problemOfContainer(pod *corev1.Pod, container corev1.ContainerStatus) (int, PodProblem) {
	waiting := ""
	if container.State.Waiting != nil {
		waiting = container.State.Waiting.Reason
	}
	switch waiting {
	case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed":
		return causeImage, PodProblem{fmt.Sprintf(
			"Pod %s cannot pull image %q: check that its registry or mirror has the image, and that the pull secrets of namespace %s permit to pull it",
			pod.Name, oneLine(container.Image, maxPodReason), pod.Namespace), describePod(pod)}
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreStartHookError", "PostStartHookError":
		return causeCreation, PodProblem{fmt.Sprintf("container %q of Pod %s cannot be started: %s",
			container.Name, pod.Name, oneLine(cmp.Or(container.State.Waiting.Message, waiting), maxPodReason)), describePod(pod)}
	}
	ended := container.State.Terminated
	if ended == nil {
		ended = container.LastTerminationState.Terminated
	}
	if container.Ready || ended == nil && waiting != "CrashLoopBackOff" || ended != nil && ended.ExitCode == 0 && waiting != "CrashLoopBackOff" {
		return causeNone, PodProblem{}
	}
	text := fmt.Sprintf("container %q of Pod %s crashes", container.Name, pod.Name)
	if ended != nil {
		text += fmt.Sprintf(" with exit code %d", ended.ExitCode)
		if ended.Reason != "" && ended.Reason != "Error" {
			text += " (" + ended.Reason + ")"
		}
	}
	return causeCrash, PodProblem{text, fmt.Sprintf("kubectl logs -n %s %s -c %s --previous", pod.Namespace, pod.Name, container.Name)}
}

func describePod(pod *corev1.Pod) string {
	return fmt.Sprintf("kubectl describe -n %s pod %s", pod.Namespace, pod.Name)
}
