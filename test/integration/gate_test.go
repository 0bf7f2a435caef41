package integration

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/test/samples"
)

// expectUpgradeable waits until the ClusterOperator's condition Upgradeable has this status and a message that contains all these words.
func expectUpgradeable(ctx context.Context, status configv1.ConditionStatus, words ...string) {
	GinkgoHelper()
	Eventually(func(ctx context.Context) error {
		condition, err := admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, status)
		if err != nil {
			return err
		}
		for _, word := range words {
			if !strings.Contains(condition.Message, word) {
				return fmt.Errorf("the ClusterOperator does not say %q: %s", word, condition.Message)
			}
		}
		return nil
	}).WithContext(ctx).Should(Succeed())
}

// gateCondition returns the operator resource's condition of the upgrade gate, and the cluster version that it was evaluated for. It
// returns nil and "" if the gate has not been evaluated.
func gateCondition(ctx context.Context) (*operatorv1.OperatorCondition, string, error) {
	manager, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	if err != nil || manager.Status.UpgradeGate == nil {
		return nil, "", err
	}
	return v1helpers.FindOperatorCondition(manager.Status.Conditions, "InstalledOperatorsUpgradeable"), manager.Status.UpgradeGate.ClusterVersion, nil
}

// publishWithLimits publishes versions of a package. Each of versions has the form "VERSION MAXOPENSHIFTVERSION".
func publishWithLimits(ctx context.Context, pkg string, versions ...string) {
	GinkgoHelper()
	var operators []samples.Operator
	for _, text := range versions {
		version, most, _ := strings.Cut(text, " ")
		operators = append(operators, samples.Operator{Package: pkg, Version: version, MaxOpenShiftVersion: fmt.Sprintf("%q", most)})
	}
	Expect(admin.Publish(ctx, operators...)).To(Succeed())
}
