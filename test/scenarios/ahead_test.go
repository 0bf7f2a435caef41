package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// waitForGate waits until Upgradeable of the ClusterOperator has this status and a message with all these words.
func (s *Story) waitForGate(ctx context.Context, status configv1.ConditionStatus, words ...string) {
	s.Helper()
	s.Eventually(func(ctx context.Context) error {
		condition, err := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorUpgradeable, status)
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

// setClusterVersion sets the version in the ClusterVersion's status.
func (s *Story) setClusterVersion(ctx context.Context, version string) {
	s.Helper()
	clusterVersion, err := s.Admin.Config.ConfigV1().ClusterVersions().Get(ctx, "version", metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	clusterVersion.Status.Desired.Version = version
	_, err = s.Admin.Config.ConfigV1().ClusterVersions().UpdateStatus(ctx, clusterVersion, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// reachableOf returns an operator's status.compatibility as text, or "" if the status does not have it yet.
func (s *Story) reachableOf(ctx context.Context, name string) (string, error) {
	operator, err := s.Admin.Operator(ctx, name)
	if err != nil || operator.Status.Compatibility == nil {
		return "", err
	}
	compatibility := operator.Status.Compatibility
	return fmt.Sprintf("%s: now %s, after updates %s", compatibility.MaxOpenShiftVersion, compatibility.HighestReachable, compatibility.AfterUpdates), nil
}

// gateCondition returns the gate's condition on the operator resource, and the cluster version to which the condition applies. It returns
// nil and "" if the manager did not report the gate yet.
func (s *Story) gateCondition(ctx context.Context) (*operatorv1.OperatorCondition, string, error) {
	manager, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Get(ctx, "cluster", metav1.GetOptions{})
	if err != nil || manager.Status.UpgradeGate == nil {
		return nil, "", err
	}
	return v1helpers.FindOperatorCondition(manager.Status.Conditions, "InstalledOperatorsUpgradeable"), manager.Status.UpgradeGate.ClusterVersion, nil
}

// offerUpTo publishes versions of a package in the catalogs, each as "VERSION MAXOPENSHIFTVERSION".
func (s *Story) offerUpTo(ctx context.Context, pkg string, versions ...string) {
	s.Helper()
	var operators []samples.Operator
	for _, text := range versions {
		version, most, _ := strings.Cut(text, " ")
		operators = append(operators, samples.Operator{Package: pkg, Version: version, MaxOpenShiftVersion: fmt.Sprintf("%q", most)})
	}
	s.Expect(s.Admin.Publish(ctx, operators...)).To(Succeed())
}

func TestUpgradeGate(t *testing.T) {
	t.Parallel()
	// Promise CLU-G9: The gate follows the version in the ClusterVersion, also of nightly, prerelease and snapshot builds, whatever the
	// version of the manager. While that version is unreadable, the gate blocks.
	runStory(t, "CLU-G9 the gate follows the ClusterVersion, whatever its version and the manager's own", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "almanac"
		s.offerUpTo(ctx, pkg, "1.0.0 4.22", "1.1.0 5.1")
		s.createWithSpec(ctx, pkg, `"package": {"version": "1.0.0"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		process := s.Manager
		clusterOperator, err := s.Admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(clusterOperator.Status.Versions).To(ConsistOf(configv1.OperandVersion{Name: "operator", Version: "0.0.1-snapshot"}), "the manager has another version")

		for _, each := range []struct {
			version string
			status  configv1.ConditionStatus
			message string
			ahead   string
		}{
			{"4.21.7", configv1.ConditionTrue, "OpenShift 4.22", "4.22: now 4.22, after updates 4.22"},
			{"4.22.0-0.nightly-2026-01-31-123456", configv1.ConditionFalse, "almanac 1.0.0 allows at most 4.22: update to >=1.1.0 (allows 4.23)", "4.22: now 4.22, after updates 4.22"},
			{"0.0.1-snapshot", configv1.ConditionTrue, "OpenShift 0.1", "4.22: now 0.2, after updates 0.2"},
			{"4.23.0-rc.1", configv1.ConditionFalse, "almanac 1.0.0 allows at most 4.22: update to >=1.1.0 (allows 5.1)", "4.22: now 4.23, after updates 4.23"},
			{"banana", configv1.ConditionFalse, `reading cluster version "banana"`, "4.22: now , after updates "},
			{"4.21.0-ec.1", configv1.ConditionTrue, "OpenShift 4.22", "4.22: now 4.22, after updates 4.22"},
		} {
			s.By("setting the cluster version to " + each.version)
			s.setClusterVersion(ctx, each.version)
			s.waitForGate(ctx, each.status, each.message)
			s.Eventually(s.reachableOf).WithContext(ctx).WithArguments(pkg).Should(Equal(each.ahead))
		}
		s.By("permitting all versions of the package, with the cluster at 4.22")
		s.setClusterVersion(ctx, "4.22.0")
		s.waitForGate(ctx, configv1.ConditionFalse, "almanac 1.0.0")
		s.patchOperatorSpec(ctx, pkg, `"upgrades": {"approval": "Manual"}, "package": {"version": null}`)
		s.Eventually(s.reachableOf).WithContext(ctx).WithArguments(pkg).Should(Equal("4.22: now 4.22, after updates 5.1"))
		s.waitForGate(ctx, configv1.ConditionFalse, `set spec.upgrades.approvedVersion to "1.1.0" (allows 4.23)`, "the operators permit OpenShift up to 5.1")
		s.Expect(s.Manager).To(BeIdenticalTo(process), "the manager was not started again")
		s.Expect(process.IsRunning()).To(BeTrue(), "the manager runs")
	})

	// Promise CLU-G11: A compatibility override for the next minor version, with a reason and an end, opens the gate until it expires,
	// with an Event and its reason in the message. Other overrides are ignored with a warning.
	runStory(t, "CLU-G11 an override for the next minor version opens the gate until it expires", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "daredevil"
		s.offerUpTo(ctx, pkg, "1.0.0 4.21")
		upgradeable := func(status metav1.ConditionStatus, reason string, words ...string) {
			s.Helper()
			s.waitForOperatorCondition(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: status, Reason: reason}, words...)
		}
		warnings := func(ctx context.Context) (string, error) {
			operator, err := s.Admin.Operator(ctx, pkg)
			return strings.Join(operator.Status.Warnings, "\n"), err
		}
		at := func(left time.Duration) string { return time.Now().Add(left).UTC().Format(time.RFC3339) }
		s.createWithSpec(ctx, pkg, fmt.Sprintf(`"compatibilityOverrides": [{"openShiftVersion": "4.22", "expires": %q}, {"openShiftVersion": "4.23", "reason": "Ada", "expires": %q}, {"openShiftVersion": "5.7", "reason": "Ada"}]`, at(time.Hour), at(time.Hour)))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		upgradeable(metav1.ConditionFalse, platformv1alpha1.ReasonIncompatibleOperator)
		s.waitForGate(ctx, configv1.ConditionFalse, "daredevil 1.0.0 allows at most 4.21: no version in the catalogs allows 4.22")
		s.Eventually(warnings).WithContext(ctx).Should(And(
			ContainSubstring(`for OpenShift "4.22" is ignored: set its reason`), ContainSubstring(`for OpenShift "4.23" is ignored: the cluster's next minor version is 4.22`),
			ContainSubstring(`for OpenShift "5.7" is ignored: the cluster's next minor version is 4.22`)))

		s.By("setting a valid override that expires in seconds")
		expires := at(15 * time.Second)
		s.patchOperatorSpec(ctx, pkg, fmt.Sprintf(`"compatibilityOverrides": [{"openShiftVersion": "4.22", "reason": "Ada, ticket 7", "expires": %q}]`, expires))
		upgradeable(metav1.ConditionTrue, platformv1alpha1.ReasonOverrideAcknowledged, "4.22 is acknowledged until "+expires+", for the reason \"Ada, ticket 7\".")
		s.waitForGate(ctx, configv1.ConditionTrue, "daredevil 1.0.0 allows at most 4.21: overridden until "+expires+": Ada, ticket 7")
		s.Eventually(s.eventsAbout).WithContext(ctx).WithArguments(platformv1alpha1.EventOverrideAcknowledged, pkg).Should(ConsistOf(And(ContainSubstring("4.22"), ContainSubstring("Ada, ticket 7"))))
		operator, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operator.Status.Compatibility.Acknowledged).NotTo(BeNil())
		s.Expect(operator.Status.Warnings).To(BeEmpty())

		s.By("waiting until it expires, without an event")
		upgradeable(metav1.ConditionFalse, platformv1alpha1.ReasonIncompatibleOperator)
		s.waitForGate(ctx, configv1.ConditionFalse, "daredevil 1.0.0 allows at most 4.21: no version")
		s.Eventually(warnings).WithContext(ctx).Should(ContainSubstring("it expired at " + expires))
		s.Eventually(s.eventsAbout).WithContext(ctx).WithArguments(platformv1alpha1.EventOverrideExpired, pkg).Should(HaveLen(1))
	})

	runStory(t, "the gate keeps its verdict after a restart without catalogs, and reports the missing catalogs", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "stalwart"
		s.offerUpTo(ctx, pkg, "1.0.0 4.21", "1.1.0 4.22")
		s.createWithSpec(ctx, pkg, `"package": {"version": "1.0.0"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.waitForGate(ctx, configv1.ConditionFalse, "stalwart 1.0.0 allows at most 4.21: update to >=1.1.0")
		before, version, err := s.gateCondition(ctx)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(version).To(Equal(story.ClusterVersion))
		s.KillManager()
		s.Environment.Catalog.Unavailable(true)
		s.StartManager()
		s.Eventually(func(ctx context.Context) (string, error) {
			now, _, err := s.gateCondition(ctx)
			if err != nil {
				return "", err
			}
			s.Expect(now.Status).To(Equal(operatorv1.ConditionFalse))
			s.Expect(now.Reason).To(Equal(before.Reason), now.Message)
			return now.Message, nil
		}).WithContext(ctx).Should(ContainSubstring("no version that allows 4.22 is known: "), "after the attempts to read the catalogs")
		s.Environment.Catalog.Unavailable(false)
		after, _, err := s.gateCondition(ctx)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(after.LastTransitionTime).To(Equal(before.LastTransitionTime))
	})
}
