package scenarios

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// through13 are upgrade rules that permit an upgrade from 1.2 to 1.4 only through a version 1.3 that was ready.
const through13 = `
steps:
- from: ">=1.2.0 <1.3.0"
  to: ">=1.4.0"
  through: "1.3.x"
  reason: 1.3 migrates stored objects`

// offerVersions publishes these versions of a package, with upgrade rules unless rules is "". A version with the suffix " never ready"
// never becomes ready.
func (s *Story) offerVersions(ctx context.Context, pkg, rules string, versions ...string) {
	s.Helper()
	var operators []samples.Operator
	for _, text := range versions {
		version, stuck := strings.CutSuffix(text, " never ready")
		operators = append(operators, samples.Operator{Package: pkg, Version: version, NeverReady: stuck})
	}
	described := samples.Package{Name: pkg}
	if rules != "" {
		described.Blobs = []string{samples.Rules(pkg, rules)}
	}
	s.Expect(samples.WritePackages(s.Environment.SamplesDir, []samples.Package{described}, operators...)).To(Succeed())
	s.Expect(s.Environment.Publish(ctx)).To(Succeed())
}

// createWithSpec creates a PlatformOperator with the package's name, and then merges fields into its spec unless spec is "". spec is JSON
// without the outer braces.
func (s *Story) createWithSpec(ctx context.Context, pkg, spec string) {
	s.Helper()
	s.create(ctx, pkg, "")
	if spec != "" {
		s.patchOperatorSpec(ctx, pkg, spec)
	}
}

// patchOperatorSpec merges fields into the spec of a PlatformOperator. spec is JSON without the outer braces.
func (s *Story) patchOperatorSpec(ctx context.Context, name, spec string) {
	s.Helper()
	_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{`+spec+`}}`), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// waitForOperatorCondition waits until a condition of a PlatformOperator has this status and reason for the present spec, and a message
// with all these words.
func (s *Story) waitForOperatorCondition(ctx context.Context, name string, is metav1.Condition, words ...string) {
	s.Helper()
	matchers := []OmegaMatcher{}
	for _, word := range words {
		matchers = append(matchers, ContainSubstring(word))
	}
	s.Eventually(func(ctx context.Context) (string, error) {
		if err := s.Admin.OperatorHas(ctx, name, is.Type, is.Status, is.Reason); err != nil {
			return "", err
		}
		operator, err := s.Admin.Operator(ctx, name)
		if err != nil {
			return "", err
		}
		return meta.FindStatusCondition(operator.Status.Conditions, is.Type).Message, nil
	}).WithContext(ctx).Should(And(matchers...))
}

// waitForProgressing waits for the condition Progressing of a PlatformOperator, as waitForOperatorCondition does.
func (s *Story) waitForProgressing(ctx context.Context, name string, status metav1.ConditionStatus, reason string, words ...string) {
	s.Helper()
	s.waitForOperatorCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: status, Reason: reason}, words...)
}

// historyOf returns the history of a PlatformOperator, newest first, each entry as "VERSION STATE by TRIGGER".
func (s *Story) historyOf(ctx context.Context, name string) ([]string, error) {
	operator, err := s.Admin.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, entry := range operator.Status.History {
		lines = append(lines, fmt.Sprintf("%s %s by %s", entry.Version, entry.State, entry.Trigger))
	}
	return lines, nil
}

// updatesOf returns the available updates of a PlatformOperator, newest first, each as "VERSION by PATH: BLOCKEDREASON". It omits an empty
// path or reason.
func (s *Story) updatesOf(ctx context.Context, name string) ([]string, error) {
	operator, err := s.Admin.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, update := range operator.Status.AvailableUpdates {
		line := update.Version
		if len(update.Path) > 0 {
			line += " by " + strings.Join(update.Path, " ")
		}
		if update.BlockedReason != "" {
			line += ": " + string(update.BlockedReason)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// eventsAbout returns the messages of Events about a PlatformOperator with a reason, oldest first.
func (s *Story) eventsAbout(ctx context.Context, reason, name string) ([]string, error) {
	events, err := s.Admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var messages []string
	for _, event := range events.Items {
		if event.Reason == reason && event.InvolvedObject.Kind == "PlatformOperator" && event.InvolvedObject.Name == name {
			messages = append(messages, event.Message)
		}
	}
	return messages, nil
}

// setClusterUpdating sets the status of the ClusterVersion's condition Progressing, which is True during an update of the cluster.
func (s *Story) setClusterUpdating(ctx context.Context, status configv1.ConditionStatus) {
	s.Helper()
	clusterVersion, err := s.Admin.Config.ConfigV1().ClusterVersions().Get(ctx, "version", metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	changed := configv1.ClusterOperatorStatusCondition{Type: configv1.OperatorProgressing, Status: status, LastTransitionTime: metav1.Now()}
	kept := []configv1.ClusterOperatorStatusCondition{changed}
	for _, condition := range clusterVersion.Status.Conditions {
		if condition.Type != configv1.OperatorProgressing {
			kept = append(kept, condition)
		}
	}
	clusterVersion.Status.Conditions = kept
	_, err = s.Admin.Config.ConfigV1().ClusterVersions().UpdateStatus(ctx, clusterVersion, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}
