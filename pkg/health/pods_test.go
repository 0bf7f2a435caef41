package health

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// failing returns a Pod with one container in a state. change may be nil.
func failing(name string, change func(*corev1.ContainerStatus)) corev1.Pod {
	container := corev1.ContainerStatus{Name: "manager", Image: "quay.io/memo:1"}
	if change != nil {
		change(&container)
	}
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "memo", Name: name}, Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{container}}}
}

func waiting(reason, message string) func(*corev1.ContainerStatus) {
	return func(c *corev1.ContainerStatus) {
		c.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	}
}

func exited(code int32, reason string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}
}

func unscheduled(name string) corev1.Pod {
	pod := failing(name, nil)
	pod.Status.ContainerStatuses = nil
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available"}}
	return pod
}

func TestHRD_U9_ProblemOfPodsIsTheReasonOfAPod(t *testing.T) {
	const (
		image    = `Pod a cannot pull image "quay.io/memo:1": check that its registry or mirror has the image, and that the pull secrets of namespace memo permit to pull it`
		describe = "kubectl describe -n memo pod a"
		logs     = "kubectl logs -n memo a -c manager --previous"
	)
	crashing := func(c *corev1.ContainerStatus) {
		waiting("CrashLoopBackOff", "back-off 10s restarting")(c)
		c.LastTerminationState.Terminated = exited(137, "OOMKilled")
	}
	restarted := func(c *corev1.ContainerStatus) {
		c.State.Running, c.LastTerminationState.Terminated = &corev1.ContainerStateRunning{}, exited(137, "OOMKilled")
	}
	removed := failing("a", crashing)
	removed.DeletionTimestamp = &metav1.Time{}
	evicted := failing("a", crashing)
	evicted.Status.Phase = corev1.PodFailed
	of := func(template string, created int64, pod corev1.Pod) corev1.Pod {
		pod.Labels = map[string]string{"pod-template-hash": template}
		pod.CreationTimestamp = metav1.Unix(created, 0)
		return pod
	}
	initial := failing("a", waiting("PodInitializing", ""))
	initial.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "migrate", State: corev1.ContainerState{Terminated: exited(2, "Error")}}}
	for name, test := range map[string]struct {
		pods          []corev1.Pod
		text, command string
	}{
		"no Pod":                    {nil, "", ""},
		"Pods that start":           {[]corev1.Pod{failing("a", waiting("ContainerCreating", "")), failing("b", nil)}, "", ""},
		"the image cannot be read":  {[]corev1.Pod{failing("a", waiting("ErrImagePull", "not found"))}, image, describe},
		"the pull is tried again":   {[]corev1.Pod{failing("a", waiting("ImagePullBackOff", "back-off"))}, image, describe},
		"a Secret is missing":       {[]corev1.Pod{failing("a", waiting("CreateContainerConfigError", `secret "s" not found`))}, `container "manager" of Pod a cannot be started: secret "s" not found`, describe},
		"it crashes":                {[]corev1.Pod{failing("a", crashing)}, `container "manager" of Pod a crashes with exit code 137 (OOMKilled)`, logs},
		"it runs after a crash":     {[]corev1.Pod{failing("a", restarted)}, `container "manager" of Pod a crashes with exit code 137 (OOMKilled)`, logs},
		"it is ready after a crash": {[]corev1.Pod{failing("a", func(c *corev1.ContainerStatus) { restarted(c); c.Ready = true })}, "", ""},
		"an init container fails":   {[]corev1.Pod{initial}, `container "migrate" of Pod a crashes with exit code 2`, "kubectl logs -n memo a -c migrate --previous"},
		"no node":                   {[]corev1.Pod{unscheduled("a")}, "Pod a cannot be scheduled: 0/3 nodes are available", describe},
		"the most certain cause":    {[]corev1.Pod{unscheduled("c"), failing("b", crashing), failing("a", waiting("ErrImagePull", ""))}, image, describe},
		"the first Pod by name":     {[]corev1.Pod{failing("b", crashing), failing("a", crashing)}, `container "manager" of Pod a crashes with exit code 137 (OOMKilled)`, logs},
		"one that was evicted":      {[]corev1.Pod{evicted, unscheduled("b")}, "Pod b cannot be scheduled: 0/3 nodes are available", "kubectl describe -n memo pod b"},
		"one of a former template": {[]corev1.Pod{of("former", 1, failing("a", crashing)), of("new", 2, unscheduled("b"))},
			"Pod b cannot be scheduled: 0/3 nodes are available", "kubectl describe -n memo pod b"},
		"one of the same template": {[]corev1.Pod{of("new", 1, failing("a", crashing)), of("new", 2, unscheduled("b"))},
			`container "manager" of Pod a crashes with exit code 137 (OOMKilled)`, logs},
		"one that is being deleted": {[]corev1.Pod{removed}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				if got := ProblemOfPods(test.pods); got.Text != test.text || got.Command != test.command {
					t.Errorf("got %+v", got)
				}
				slices.Reverse(test.pods)
			}
		})
	}
}
