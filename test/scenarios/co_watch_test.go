package scenarios

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/test/story"
)

// clusterOperatorHistory has every state of the ClusterOperator that a watch reported, and the number of deletions.
type clusterOperatorHistory struct {
	*Story
	lock     sync.Mutex
	states   []observedState
	deleted  int
	degraded []string // Degraded conditions of the operator resource that were not False, regardless of library-go's inertia
}

// observedState is one state of the ClusterOperator, and the time at which the watch reported it.
type observedState struct {
	*configv1.ClusterOperator
	at time.Time
}

// recordClusterOperator records the present state of the ClusterOperator, if it exists, and all later states until the story ends.
func (s *Story) recordClusterOperator(ctx context.Context) *clusterOperatorHistory {
	s.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.Defer(cancel)
	only := func(name string) metav1.ListOptions {
		return metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	}
	states, err := s.Admin.Config.ConfigV1().ClusterOperators().Watch(ctx, only(story.ClusterOperatorName))
	s.Expect(err).NotTo(HaveOccurred())
	managers, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Watch(ctx, only(operatorv1alpha1.PlatformOperatorManagerName))
	s.Expect(err).NotTo(HaveOccurred())
	c := &clusterOperatorHistory{Story: s}
	go c.write(states)
	go c.write(managers)
	return c
}

func (c *clusterOperatorHistory) write(events watch.Interface) {
	for event := range events.ResultChan() {
		c.lock.Lock()
		switch object := event.Object.(type) {
		case *configv1.ClusterOperator:
			c.states = append(c.states, observedState{object, time.Now()})
			if event.Type == watch.Deleted {
				c.deleted++
			}
		case *operatorv1alpha1.PlatformOperatorManager:
			for _, condition := range object.Status.Conditions {
				if strings.HasSuffix(condition.Type, "Degraded") && condition.Status != operatorv1.ConditionFalse {
					c.degraded = append(c.degraded, condition.Type+"="+string(condition.Status)+": "+condition.Message)
				}
			}
		}
		c.lock.Unlock()
	}
}

// deletions returns how often the ClusterOperator was deleted.
func (c *clusterOperatorHistory) deletions() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.deleted
}

// upToNow waits until the history has the present state, and returns all states.
func (c *clusterOperatorHistory) upToNow(ctx context.Context) []observedState {
	c.Helper()
	var states []observedState
	c.Eventually(func(g Gomega, ctx context.Context) {
		live, err := c.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		c.lock.Lock()
		defer c.lock.Unlock()
		states = slices.Clone(c.states)
		g.Expect(states).NotTo(BeEmpty())
		g.Expect(states[len(states)-1].ResourceVersion).To(Equal(live.ResourceVersion))
	}).WithContext(ctx).Should(Succeed())
	return states
}

// reset discards all states except for the present one, and returns the history.
func (c *clusterOperatorHistory) reset(ctx context.Context) *clusterOperatorHistory {
	c.Helper()
	c.upToNow(ctx)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.states, c.degraded, c.deleted = slices.Clone(c.states[len(c.states)-1:]), nil, 0
	return c
}

// statuses returns the statuses of a condition in order, without repetitions. The status of a missing condition is "".
func (c *clusterOperatorHistory) statuses(ctx context.Context, kind configv1.ClusterStatusConditionType) []string {
	c.Helper()
	var statuses []string
	for _, state := range c.upToNow(ctx) {
		statuses = append(statuses, string(conditionIn(state.ClusterOperator, kind).Status))
	}
	return slices.Compact(statuses)
}

// degradedConditions returns the operator resource's Degraded conditions that were not False. library-go reports them to the
// ClusterOperator minutes later.
func (c *clusterOperatorHistory) degradedConditions() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Clone(c.degraded)
}

// eventuallyClusterOperator returns an assertion about a condition of the ClusterOperator as "REASON: MESSAGE". The assertion fails while
// the condition has another status.
func (s *Story) eventuallyClusterOperator(ctx context.Context, kind configv1.ClusterStatusConditionType, status configv1.ConditionStatus) AsyncAssertion {
	return s.Eventually(func(ctx context.Context) (string, error) {
		condition, err := s.Admin.ClusterOperatorHas(ctx, kind, status)
		if err != nil {
			return "", err
		}
		return condition.Reason + ": " + condition.Message, nil
	}).WithContext(ctx)
}

// restartManagerWith stops the manager, and starts it with other options.
func (s *Story) restartManagerWith(configure func(*operator.Options)) {
	s.Helper()
	s.StopManager()
	s.StartManager(configure)
}
