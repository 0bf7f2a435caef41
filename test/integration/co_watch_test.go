package integration

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/test/story"
)

// statusHistory has every state of the ClusterOperator that a watch reported, also states that lasted only a moment.
type statusHistory struct {
	lock     sync.Mutex
	states   []recordedStatus
	deleted  int
	degraded []string // Degraded conditions of the operator resource that were not False, including those that library-go's inertia hides
}

// recordedStatus is a state of the ClusterOperator, and the time at which the watch reported it.
type recordedStatus struct {
	*configv1.ClusterOperator
	at time.Time
}

// recordStatus starts to record the states of the ClusterOperator, beginning with the present state, if there is one. It records until the
// spec ends.
func recordStatus(ctx context.Context) *statusHistory {
	GinkgoHelper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	DeferCleanup(cancel)
	only := func(name string) metav1.ListOptions {
		return metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	}
	states, err := admin.Config.ConfigV1().ClusterOperators().Watch(ctx, only(story.ClusterOperatorName))
	Expect(err).NotTo(HaveOccurred())
	managers, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Watch(ctx, only(operatorv1alpha1.PlatformOperatorManagerName))
	Expect(err).NotTo(HaveOccurred())
	c := &statusHistory{}
	go c.write(states)
	go c.write(managers)
	return c
}

func (c *statusHistory) write(events watch.Interface) {
	for event := range events.ResultChan() {
		c.lock.Lock()
		switch object := event.Object.(type) {
		case *configv1.ClusterOperator:
			c.states = append(c.states, recordedStatus{object, time.Now()})
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

// upToNow waits until the history has the API server's present state, and returns the whole history.
func (c *statusHistory) upToNow(ctx context.Context) []recordedStatus {
	GinkgoHelper()
	var states []recordedStatus
	Eventually(func(g Gomega, ctx context.Context) {
		live, err := admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		c.lock.Lock()
		defer c.lock.Unlock()
		states = slices.Clone(c.states)
		g.Expect(states).NotTo(BeEmpty())
		g.Expect(states[len(states)-1].ResourceVersion).To(Equal(live.ResourceVersion))
	}).WithContext(ctx).Should(Succeed())
	return states
}

// faults returns the Degraded conditions of the operator resource that were not False. library-go would copy them to the ClusterOperator
// minutes later.
func (c *statusHistory) faults() []string {
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

// repairedWithin is the maximum time until the manager notices and reverts a change, on a busy machine.
const repairedWithin = 5 * time.Second
