package apply

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/apply/reconcile"
	"github.com/openshift/platform-operators/pkg/health"
)

const (
	// podDelay is the time for which an object must be unready before its Pods are listed. Most Pods start within it.
	podDelay = 5 * time.Second
	// podInterval is the time between two requests for the list of Pods of an unready object.
	podInterval = time.Minute
	// maxPods is the maximum number of Pods that are read.
	maxPods = 100
)

// runsPods are the kinds whose Pods are read while an object of the kind is unready.
var runsPods = map[schema.GroupKind]bool{
	{Group: "apps", Kind: "Deployment"}:  true,
	{Group: "apps", Kind: "StatefulSet"}: true,
	{Group: "apps", Kind: "DaemonSet"}:   true,
}

// podState is the last known problem of the Pods of an object. since is the time when the object was first unready. listed is the time of
// the last list of its Pods; zero before the first.
type podState struct {
	since, listed time.Time
	problem       health.PodProblem
}

// podMemory caches the problems of the Pods of unready objects.
type podMemory struct {
	mu     sync.Mutex
	states map[Key]podState
}

func (m *podMemory) state(key Key, now time.Time) podState {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, known := m.states[key]
	if !known {
		state.since = now
		m.states[key] = state
	}
	return state
}

func (m *podMemory) setState(key Key, state podState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states[key] = state
}

func (m *podMemory) forget(key Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.states, key)
}

// keep removes the objects that none of the sets contains.
func (m *podMemory) keep(sets []*Set) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.states, func(key Key, _ podState) bool {
		return !slices.ContainsFunc(sets, func(set *Set) bool { return set.Has(key) })
	})
}

// podProblem returns why the Pods of an unready object do not start. The result is zero if the object has no Pods or the reason is not
// known. podProblem lists the Pods in the object's namespace that match the object's selector, at most once every podInterval, because Pods
// are not watched. It sets RetryAfter of the outcome to the time until the next list. In the only round of a process, it lists them at once.
func (c *call) podProblem(ctx context.Context, each *reconcile.Outcome) health.PodProblem {
	key, now := each.Desired.Key, c.engine.clock.Now()
	if !runsPods[key.GroupKind] {
		return health.PodProblem{}
	}
	if c.engine.isOneRound { // the next round is due when a Pod has changed
		pods, err := c.podsOf(ctx, each.Desired.Object())
		if err != nil {
			klog.V(2).Infof("listing the Pods of %s: %v", key, err)
		}
		return health.ProblemOfPods(pods)
	}
	state := c.state.pods.state(key, now)
	next := state.since.Add(podDelay)
	if !state.listed.IsZero() {
		next = state.listed.Add(podInterval)
	}
	if wait := next.Sub(now); wait > 0 {
		each.RetryAfter = earliest(each.RetryAfter, wait)
		return state.problem
	}
	pods, err := c.podsOf(ctx, each.Desired.Object())
	if err != nil {
		// The object's own state is then reported without the reason. The error does not change what is applied.
		klog.V(2).Infof("listing the Pods of %s: %v", key, err)
		pods = nil
	}
	state.listed, state.problem = now, health.ProblemOfPods(pods)
	c.state.pods.setState(key, state)
	each.RetryAfter = earliest(each.RetryAfter, podInterval)
	return state.problem
}

// podsOf returns at most maxPods of the Pods that the selector of a Deployment, StatefulSet or DaemonSet selects.
func (c *call) podsOf(ctx context.Context, declared *unstructured.Unstructured) ([]corev1.Pod, error) {
	var workload struct {
		Spec struct {
			Selector *metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(declared.Object, &workload); err != nil {
		return nil, err
	}
	selector, err := metav1.LabelSelectorAsSelector(workload.Spec.Selector)
	if err != nil || selector.Empty() {
		return nil, err
	}
	client := c.as.Dynamic.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(declared.GetNamespace())
	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: selector.String(), Limit: maxPods})
	if err != nil {
		return nil, err
	}
	pods := make([]corev1.Pod, len(list.Items))
	for i := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &pods[i]); err != nil {
			return nil, err
		}
	}
	return pods, nil
}

// earliest returns the shorter of two durations. If a is zero, it means that there is none yet, and earliest returns b.
func earliest(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}
