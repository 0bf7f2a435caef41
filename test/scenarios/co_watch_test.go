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

// chronicle is every state that the ClusterOperator has had, as a watch tells of them: what was wrong for a moment is in it.
type chronicle struct {
	*Story
	lock     sync.Mutex
	states   []sighting
	deleted  int
	degraded []string // Degraded conditions of the operator resource that were not False, library-go's inertia or not
}

// sighting is one state, and when it was told.
type sighting struct {
	*configv1.ClusterOperator
	at time.Time
}

// recordClusterOperator begins with the state that is there, if any, and goes on until the story ends.
func (s *Story) recordClusterOperator(ctx context.Context) *chronicle {
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
	c := &chronicle{Story: s}
	go c.write(states)
	go c.write(managers)
	return c
}

func (c *chronicle) write(events watch.Interface) {
	for event := range events.ResultChan() {
		c.lock.Lock()
		switch object := event.Object.(type) {
		case *configv1.ClusterOperator:
			c.states = append(c.states, sighting{object, time.Now()})
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

// upToNow waits until the chronicle has what the API server has, and gives all of it.
func (c *chronicle) upToNow(ctx context.Context) []sighting {
	c.Helper()
	var states []sighting
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

// since forgets what was before, but for the state that is there now.
func (c *chronicle) since(ctx context.Context) *chronicle {
	c.Helper()
	c.upToNow(ctx)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.states, c.degraded, c.deleted = slices.Clone(c.states[len(c.states)-1:]), nil, 0
	return c
}

// statuses are those that a condition has had, each as often as it was taken up anew. A condition that is not there is "".
func (c *chronicle) statuses(ctx context.Context, kind configv1.ClusterStatusConditionType) []string {
	c.Helper()
	var statuses []string
	for _, state := range c.upToNow(ctx) {
		statuses = append(statuses, string(conditionIn(state.ClusterOperator, kind).Status))
	}
	return slices.Compact(statuses)
}

// faults are the operator resource's own, of which library-go would tell the ClusterOperator minutes later.
func (c *chronicle) faults() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	return slices.Clone(c.degraded)
}

func conditionIn(clusterOperator *configv1.ClusterOperator, kind configv1.ClusterStatusConditionType) configv1.ClusterOperatorStatusCondition {
	for _, condition := range clusterOperator.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return configv1.ClusterOperatorStatusCondition{}
}

// eventuallyClusterOperator waits until the ClusterOperator has a condition of this status, and gives its reason and its message.
func (s *Story) eventuallyClusterOperator(ctx context.Context, kind configv1.ClusterStatusConditionType, status configv1.ConditionStatus) AsyncAssertion {
	return s.Eventually(func(ctx context.Context) (string, error) {
		condition, err := s.Admin.ClusterOperatorHas(ctx, kind, status)
		if err != nil {
			return "", err
		}
		return condition.Reason + ": " + condition.Message, nil
	}).WithContext(ctx)
}

// restartManagerWith replaces the manager by one with other options.
func (s *Story) restartManagerWith(configure func(*operator.Options)) {
	s.Helper()
	s.StopManager()
	s.StartManager(configure)
}
