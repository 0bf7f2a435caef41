package scenarios

import (
	"context"
	"strings"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/test/story"
)

// proveReporting proves that the manager writes the conditions of the operator resource and of the ClusterOperator. It edits the conditions
// for which operatorhealth, upgradegate and the StatusSyncer are responsible, and fails the story unless the manager restores all of them.
func (s *Story) proveReporting(ctx context.Context) {
	s.Helper()
	s.Settle() // the manager may delay some writes
	before, err := s.reportedConditions(ctx)
	s.Expect(err).NotTo(gomega.HaveOccurred())
	s.Expect(before).To(gomega.HaveLen(2 * 4))
	managers, clusterOperators := s.Platform.OperatorV1alpha1().PlatformOperatorManagers(), s.Config.ConfigV1().ClusterOperators()
	clusterOperator, err := clusterOperators.Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	s.Expect(err).NotTo(gomega.HaveOccurred())
	for i := range clusterOperator.Status.Conditions {
		clusterOperator.Status.Conditions[i].Status, clusterOperator.Status.Conditions[i].Reason = configv1.ConditionUnknown, "Probe"
	}
	_, err = clusterOperators.UpdateStatus(ctx, clusterOperator, metav1.UpdateOptions{})
	s.Expect(err).NotTo(gomega.HaveOccurred())
	s.waitForReported(ctx, before)

	manager, err := managers.Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	s.Expect(err).NotTo(gomega.HaveOccurred())
	for i, condition := range manager.Status.Conditions {
		if isReported(condition.Type) {
			manager.Status.Conditions[i].Status, manager.Status.Conditions[i].Reason = operatorv1.ConditionUnknown, "Probe"
		}
	}
	_, err = managers.UpdateStatus(ctx, manager, metav1.UpdateOptions{})
	s.Expect(err).NotTo(gomega.HaveOccurred())
	s.waitForReported(ctx, before)
}

func (s *Story) waitForReported(ctx context.Context, want map[string]string) {
	s.Helper()
	s.Eventually(s.reportedConditions).WithContext(ctx).Should(gomega.Equal(want),
		"the manager does not report, so an unchanged report proves nothing")
}

// reportedConditions returns the status, reason and message of each condition that proveReporting needs, keyed by object and type.
func (s *Story) reportedConditions(ctx context.Context) (map[string]string, error) {
	clusterOperator, err := s.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	manager, err := s.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	conditions := map[string]string{}
	for kind := range expectedConditions {
		condition := conditionIn(clusterOperator, kind)
		conditions["ClusterOperator "+string(kind)] = string(condition.Status) + " " + condition.Reason + ": " + condition.Message
	}
	for _, condition := range manager.Status.Conditions {
		if isReported(condition.Type) {
			conditions["PlatformOperatorManager "+condition.Type] = string(condition.Status) + " " + condition.Reason + ": " + condition.Message
		}
	}
	return conditions, nil
}

func isReported(conditionType string) bool {
	return conditionType == upgradegate.ConditionType || strings.HasPrefix(conditionType, operatorhealth.ConditionPrefix)
}

// expectedConditions are the statuses of a healthy ClusterOperator's conditions, keyed by type.
var expectedConditions = map[configv1.ClusterStatusConditionType]configv1.ConditionStatus{
	configv1.OperatorAvailable: configv1.ConditionTrue, configv1.OperatorProgressing: configv1.ConditionFalse,
	configv1.OperatorDegraded: configv1.ConditionFalse, configv1.OperatorUpgradeable: configv1.ConditionTrue,
}

// conditionIn returns a condition of a ClusterOperator, or the zero value if the ClusterOperator does not have it.
func conditionIn(clusterOperator *configv1.ClusterOperator, kind configv1.ClusterStatusConditionType) configv1.ClusterOperatorStatusCondition {
	for _, condition := range clusterOperator.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return configv1.ClusterOperatorStatusCondition{}
}
