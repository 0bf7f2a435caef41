package scenarios

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

var podMonitors = schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1", Resource: "podmonitors"}

// eventCounts returns the number of Events about a BundleDeployment with a reason, by message. A manager increases the count of a repeated
// Event, and another manager process creates a new Event.
func (s *Story) eventCounts(ctx context.Context, name, reason string) (map[string]int32, error) {
	found, err := s.Admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.kind=BundleDeployment,involvedObject.name=" + name + ",reason=" + reason,
	})
	if err != nil {
		return nil, err
	}
	counts := map[string]int32{}
	for _, each := range found.Items {
		counts[each.Message] += max(1, each.Count)
	}
	return counts, nil
}

// largeValues returns a policy that permits values of at most 1000 characters in ConfigMaps of a namespace.
func largeValues(name, namespace string) *admissionregistrationv1.ValidatingAdmissionPolicy {
	return &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				}}},
			},
			Validations: []admissionregistrationv1.Validation{{Expression: "!has(object.data) || object.data.all(key, size(object.data[key]) <= 1000)", Message: "it is large"}},
		},
	}
}

// lastWarning keeps the last warning of an API server.
type lastWarning struct{ text string }

// HandleWarningHeader implements rest.WarningHandler.
func (w *lastWarning) HandleWarningHeader(_ int, _, text string) { w.text = text }

var _ rest.WarningHandler = &lastWarning{}

// warnOfLargeConfigMaps makes the API server warn about large ConfigMaps in a namespace.
func (s *Story) warnOfLargeConfigMaps(ctx context.Context, namespace string) {
	s.Helper()
	const policy = "large.example.com"
	admission := s.Admin.Kubernetes.AdmissionregistrationV1()
	_, err := admission.ValidatingAdmissionPolicies().Create(ctx, largeValues(policy, namespace), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = admission.ValidatingAdmissionPolicyBindings().Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn},
		},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	// The API server applies a new policy only after a moment.
	config, warning := s.StepClientConfig(scenario.AdminUser), &lastWarning{}
	config.WarningHandler = warning
	client, err := kubernetes.NewForConfig(config)
	s.Expect(err).NotTo(HaveOccurred())
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "probe"}, Data: map[string]string{"from": strings.Repeat("x", 2000)}}
	s.Eventually(func(ctx context.Context) (string, error) {
		_, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return warning.text, err
	}).WithContext(ctx).WithPolling(time.Second).Should(ContainSubstring("it is large"))
}

// deployWithWarnings deploys a bundle with objects about which the API server warns.
func (s *Story) deployWithWarnings(ctx context.Context, name string) {
	s.Helper()
	operator := samples.Operator{Package: name, Version: "1.0.0"}
	s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
	s.Expect(samples.AddOwnKind(s.Environment.SamplesDir, operator)).To(Succeed())
	s.replaceInFile(filepath.Join(s.Environment.SamplesDir, "bundles", name, "1.0.0", "manifests", "podmonitors.crd.yaml"), "    served: true\n", "    served: true\n    deprecated: true\n")
	strange := "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, %s: {a: b}}"
	ref := s.publishBundle(ctx, operator, fmt.Sprintf(strange, "a", "dta"), fmt.Sprintf(strange, "b", "dta"), fmt.Sprintf(strange, "c", "binry"),
		configMapText("large", strings.Repeat("x", 2000)))
	s.deployWith(ctx, name, name, ref, "deletion: {crds: Delete}")
}

// conditionsOf returns the conditions of a BundleDeployment in one line, without messages.
func (s *Story) conditionsOf(ctx context.Context, name string) (string, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, condition := range live.Status.Conditions {
		lines = append(lines, fmt.Sprintf("%s=%s %s", condition.Type, condition.Status, condition.Reason))
	}
	return strings.Join(lines, ", "), nil
}

func TestAPIServerWarnings(t *testing.T) {
	t.Parallel()
	// The API server does not warn about the size of an object, but a policy can, in the same header.
	//
	// Promise ENG-P6: Each warning of the API server about a bundle's object appears once in the plan, once in status and in one Event,
	// also after repairs and a restart of the manager. The rollout goes on.
	runStory(t, "ENG-P6 each warning of the API server appears once in the plan, in status and in an Event", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "forewarned"
		s.createNamespace(ctx, name)
		s.warnOfLargeConfigMaps(ctx, name)
		s.deployWithWarnings(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		status := s.statusOf(ctx, name)
		s.Expect(status.Warnings).To(ConsistOf(MatchRegexp(`^ConfigMap forewarned/[ab]: unknown field "dta"$`), `ConfigMap forewarned/c: unknown field "binry"`,
			"PodMonitor forewarned/forewarned: monitoring.coreos.com/v1 PodMonitor is deprecated", And(HavePrefix("ConfigMap forewarned/large: "), HaveSuffix(": it is large")),
			HavePrefix("Namespace forewarned: it was not created by the manager"))) // the story had to create it for its policy
		s.Expect(status.Plan.Warnings).To(Equal(status.Warnings))
		s.Expect(status.Plan.Digest).To(HavePrefix("sha256:"))
		each := map[string]int32{}
		for _, warning := range status.Warnings {
			if !strings.HasPrefix(warning, "Namespace ") { // the manager's own warning, not the API server's
				each[warning] = 1
			}
		}
		s.Eventually(s.eventCounts).WithContext(ctx).WithArguments(name, "APIWarning").Should(Equal(each))

		s.By("causing each of them to be written again")
		configMaps := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
		for _, again := range []string{"a", "b", "c"} {
			s.Expect(configMaps.Delete(ctx, again, metav1.DeleteOptions{})).To(Succeed())
		}
		_, err := configMaps.Patch(ctx, "large", types.MergePatchType, []byte(`{"data":{"from":"edited"}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		_, err = s.Admin.Dynamic.Resource(podMonitors).Namespace(name).Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"podTargetLabels":["edited"]}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		repaired := func(object string) OmegaMatcher {
			return ContainElement(And(HavePrefix("Normal DriftRepaired: "+object+" was"), HaveSuffix("restored as declared")))
		}
		s.Eventually(s.eventsOf).WithContext(ctx).WithArguments(name).Should(And(repaired("ConfigMap forewarned/a"), repaired("ConfigMap forewarned/b"),
			repaired("ConfigMap forewarned/c"), repaired("ConfigMap forewarned/large"), repaired("PodMonitor forewarned/forewarned")))
		s.Expect(s.eventCounts(ctx, name, "APIWarning")).To(Equal(each))
		s.Expect(s.statusOf(ctx, name).Warnings).To(Equal(status.Warnings))

		s.By("restarting the manager, and causing one to be written again")
		s.KillManager()
		s.Expect(configMaps.Delete(ctx, "c", metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, "c").Should(Succeed())
		s.Eventually(s.eventCounts).WithContext(ctx).WithArguments(name, "DriftRepaired").Should(HaveKeyWithValue("ConfigMap forewarned/c was deleted; restored as declared", BeEquivalentTo(2)))
		s.Expect(s.eventCounts(ctx, name, "APIWarning")).To(Equal(each))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
	})

	runStory(t, "[ENG-P6] warnings of the API server are in status once each, and the rollout continues", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "warned"
		strange := func(object string) string {
			return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, dta: {a: b}}", object)
		}
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, strange("a"), strange("b")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		warning := MatchRegexp(`^ConfigMap warned/[ab]: unknown field "dta"$`)
		status := s.statusOf(ctx, name)
		s.Expect(status.Warnings).To(ConsistOf(warning))
		s.Expect(status.Plan).NotTo(BeNil())
		s.Expect(status.Plan.Warnings).To(ConsistOf(warning))
		once := map[string]int32{status.Warnings[0]: 1}
		s.Eventually(s.eventCounts).WithContext(ctx).WithArguments(name, "APIWarning").Should(Equal(once))

		s.By("restarting the manager, which must not report the unknown field as drift")
		s.KillManager()
		s.StartManager()
		s.Consistently(s.conditionsOf, "30s").WithContext(ctx).WithArguments(name).Should(And(ContainSubstring("Installed=True InstallationSucceeded"), ContainSubstring("Healthy=True Healthy"),
			ContainSubstring("Progressing=False AsExpected"), ContainSubstring("Drifted=False AsExpected")))
		s.Expect(s.eventCounts(ctx, name, "APIWarning")).To(Equal(once))

		s.By("restarting it while it only reports drift")
		s.patchDeployment(ctx, name, `{"spec":{"drift":{"policy":"Report"}}}`)
		s.KillManager()
		s.StartManager()
		s.Consistently(s.conditionsOf, "30s").WithContext(ctx).WithArguments(name).Should(And(ContainSubstring("Healthy=True Healthy"), ContainSubstring("Drifted=False AsExpected")))
		s.Expect(s.driftOf(ctx, name)).To(BeEmpty())
	})
}
