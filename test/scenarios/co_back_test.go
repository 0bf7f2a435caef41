package scenarios

import (
	"context"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	configv1 "github.com/openshift/api/config/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/story"
)

// backWithin is the maximum time in which the manager must restore an object after a watch event.
const backWithin = 5 * time.Second

// comparableStatus returns a copy of a ClusterOperator's status without times, the namespaces of operators, and the extension.
func comparableStatus(clusterOperator *configv1.ClusterOperator) configv1.ClusterOperatorStatus {
	status := *clusterOperator.Status.DeepCopy()
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	status.RelatedObjects = slices.DeleteFunc(status.RelatedObjects, func(o configv1.ObjectReference) bool {
		return o.Resource == "namespaces" && o.Name != environment.Namespace
	})
	status.Extension = runtime.RawExtension{} // written once, by a process that regained its lease
	return status
}

func TestClusterOperatorIsRestored(t *testing.T) {
	t.Parallel()
	// Promise CLU-O10: The manager restores a ClusterOperator that is edited, emptied or deleted. It creates a deleted
	// PlatformOperatorManager again, and the ClusterOperator does not change meanwhile.
	runStory(t, "CLU-O10 the operator resource and the ClusterOperator are restored, and the ClusterOperator does not change when the resource is deleted", defaultOperators, func(ctx context.Context, s *Story) {
		clusterOperators, managers := s.Admin.Config.ConfigV1().ClusterOperators(), s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers()
		var before *configv1.ClusterOperator
		live := func(ctx context.Context) (configv1.ClusterOperatorStatus, error) {
			found, err := clusterOperators.Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
			if err != nil {
				return configv1.ClusterOperatorStatus{}, err
			}
			before = found
			return comparableStatus(found), nil
		}
		s.Eventually(func(g Gomega, ctx context.Context) {
			_, err := live(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(conditionsIn(before)).To(Equal(conditionsAsExpected()))
			g.Expect(conditionIn(before, configv1.OperatorUpgradeable).Message).To(ContainSubstring("no installed PlatformOperator can block"))
		}).WithContext(ctx).Should(Succeed())
		want, uid := comparableStatus(before), before.UID
		s.Expect(want.RelatedObjects).NotTo(BeEmpty())
		s.Expect(want.Versions).NotTo(BeEmpty())
		seen := s.recordClusterOperator(ctx)

		s.By("deleting the operator resource")
		manager, err := managers.Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(managers.Delete(ctx, manager.Name, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func(g Gomega, ctx context.Context) {
			again, err := managers.Get(ctx, manager.Name, metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again.UID).NotTo(Equal(manager.UID))
			g.Expect(len(again.Status.Conditions)).To(BeNumerically(">=", 4))
		}).WithContext(ctx).WithTimeout(backWithin).Should(Succeed())
		s.Consistently(live, "1s").WithContext(ctx).Should(Equal(want))
		for _, state := range seen.upToNow(ctx) {
			s.Expect(state.UID).To(Equal(uid))
			s.Expect(conditionsIn(state.ClusterOperator)).To(Equal(conditionsAsExpected()), "messages: %+v", state.Status.Conditions)
		}
		s.Expect(seen.deletions()).To(BeZero())

		s.By("editing the ClusterOperator by hand")
		edited := before.DeepCopy()
		for i := range edited.Status.Conditions {
			edited.Status.Conditions[i] = configv1.ClusterOperatorStatusCondition{Type: edited.Status.Conditions[i].Type,
				Status: configv1.ConditionUnknown, Reason: "Edited", Message: "By hand", LastTransitionTime: metav1.Now()}
		}
		edited.Status.RelatedObjects = nil
		edited.Status.Versions = []configv1.OperandVersion{{Name: "operator", Version: "9.9.9"}}
		_, err = clusterOperators.UpdateStatus(ctx, edited, metav1.UpdateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(live).WithContext(ctx).WithTimeout(backWithin).Should(Equal(want))

		s.By("removing its status")
		edited = before.DeepCopy()
		edited.Status = configv1.ClusterOperatorStatus{}
		_, err = clusterOperators.UpdateStatus(ctx, edited, metav1.UpdateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(live).WithContext(ctx).WithTimeout(backWithin).Should(Equal(want))
		s.Expect(before.UID).To(Equal(uid))

		s.By("deleting the ClusterOperator")
		s.Expect(clusterOperators.Delete(ctx, story.ClusterOperatorName, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(live).WithContext(ctx).WithTimeout(backWithin).Should(Equal(want))
		s.Expect(before.UID).NotTo(Equal(uid))
	})
}
