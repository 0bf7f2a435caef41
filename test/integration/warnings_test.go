package integration

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// timesTold is how often each message was sent in an Event with a reason: one process counts an Event that it sends again,
// another one stores it a second time.
func timesTold(ctx context.Context, name, reason string) (map[string]int32, error) {
	found, err := admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.kind=BundleDeployment,involvedObject.name=" + name + ",reason=" + reason,
	})
	if err != nil {
		return nil, err
	}
	told := map[string]int32{}
	for _, each := range found.Items {
		told[each.Message] += max(1, each.Count)
	}
	return told, nil
}

// warnOfLargeConfigMaps has the API server warn of long values in a namespace's ConfigMaps, until the spec ends.
func warnOfLargeConfigMaps(ctx context.Context, namespace string) {
	GinkgoHelper()
	policies, bindings := admin.Kubernetes.AdmissionregistrationV1().ValidatingAdmissionPolicies(), admin.Kubernetes.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	const policy = "large.example.com"
	_, err := policies.Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: policy},
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
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) { Expect(policies.Delete(ctx, policy, metav1.DeleteOptions{})).To(Succeed()) })
	_, err = bindings.Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn},
		},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) { Expect(bindings.Delete(ctx, policy, metav1.DeleteOptions{})).To(Succeed()) })
	// The API server takes a moment to know of it.
	Eventually(func(ctx context.Context) string {
		return kubectl(ctx, "create", "configmap", "probe", "--namespace="+namespace, "--from-literal=from="+strings.Repeat("x", 2000), "--dry-run=server")
	}).WithContext(ctx).WithPolling(time.Second).Should(ContainSubstring("it is large"))
}

var _ = Describe("what the API server warns of", func() {
	// The API server itself never warns of an object's size; a cluster's policy does, by the same header.
	It("ENG-P6 tells what the API server warns of in the plan, in status and in one Event each, however often it does", func(ctx context.Context) {
		const name = "forewarned"
		createNamespace(ctx, name)
		warnOfLargeConfigMaps(ctx, name)
		operator := samples.Operator{Package: name, Version: "1.0.0"}
		Expect(samples.Write(env.SamplesDir, operator)).To(Succeed())
		Expect(samples.AddOwnKind(env.SamplesDir, operator)).To(Succeed())
		replaceIn(filepath.Join(env.SamplesDir, "bundles", name, "1.0.0", "manifests", "podmonitors.crd.yaml"), "    served: true\n", "    served: true\n    deprecated: true\n")
		strange := "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, %s: {a: b}}"
		ref := published(ctx, operator, fmt.Sprintf(strange, "a", "dta"), fmt.Sprintf(strange, "b", "dta"), fmt.Sprintf(strange, "c", "binry"),
			configMapText("large", strings.Repeat("x", 2000)))
		deployedAs(ctx, name, name, ref, "deletion: {crds: Delete}")
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		status := statusOf(ctx, name)
		Expect(status.Warnings).To(ConsistOf(MatchRegexp(`^ConfigMap forewarned/[ab]: unknown field "dta"$`), `ConfigMap forewarned/c: unknown field "binry"`,
			"PodMonitor forewarned/forewarned: monitoring.coreos.com/v1 PodMonitor is deprecated", And(HavePrefix("ConfigMap forewarned/large: "), HaveSuffix(": it is large")),
			HavePrefix("Namespace forewarned: it was not created by the manager"))) // the spec had to create it for its policy
		Expect(status.Plan.Warnings).To(Equal(status.Warnings))
		Expect(status.Plan.Digest).To(HavePrefix("sha256:"))
		each := map[string]int32{}
		for _, warning := range status.Warnings {
			if !strings.HasPrefix(warning, "Namespace ") { // the manager's own warning, not the API server's
				each[warning] = 1
			}
		}
		Eventually(timesTold).WithContext(ctx).WithArguments(name, "APIWarning").Should(Equal(each))

		By("having each of them written once more, and warned of again")
		configMaps := admin.Kubernetes.CoreV1().ConfigMaps(name)
		for _, again := range []string{"a", "b", "c"} {
			Expect(configMaps.Delete(ctx, again, metav1.DeleteOptions{})).To(Succeed())
		}
		_, err := configMaps.Patch(ctx, "large", types.MergePatchType, []byte(`{"data":{"from":"edited"}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		monitors := schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1", Resource: "podmonitors"}
		_, err = admin.Dynamic.Resource(monitors).Namespace(name).Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"podTargetLabels":["edited"]}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		repaired := func(object string) OmegaMatcher {
			return ContainElement(And(HavePrefix("Normal DriftRepaired: "+object+" was"), HaveSuffix("put back as declared")))
		}
		Eventually(eventsOf).WithContext(ctx).WithArguments(name).Should(And(repaired("ConfigMap forewarned/a"), repaired("ConfigMap forewarned/b"),
			repaired("ConfigMap forewarned/c"), repaired("ConfigMap forewarned/large"), repaired("PodMonitor forewarned/forewarned")))
		Expect(timesTold(ctx, name, "APIWarning")).To(Equal(each))
		Expect(statusOf(ctx, name).Warnings).To(Equal(status.Warnings))

		By("restarting the manager, and having one written once more")
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(configMaps.Delete(ctx, "c", metav1.DeleteOptions{})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(configMapExists).WithContext(ctx).WithArguments(name, "c").Should(Succeed())
		Eventually(timesTold).WithContext(ctx).WithArguments(name, "DriftRepaired").Should(HaveKeyWithValue("ConfigMap forewarned/c was deleted; put back as declared", BeEquivalentTo(2)))
		Expect(timesTold(ctx, name, "APIWarning")).To(Equal(each))
		says(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
	})

	It("[ENG-P6] has the API server's warnings in status, each once, and goes on", func(ctx context.Context) {
		const name = "warned"
		strange := func(object string) string {
			return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, dta: {a: b}}", object)
		}
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}, strange("a"), strange("b")))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		warnings := func(ctx context.Context) ([]string, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return live.Status.Warnings, nil
		}
		told := MatchRegexp(`^ConfigMap warned/[ab]: unknown field "dta"$`)
		Expect(warnings(ctx)).To(ConsistOf(told))
		live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Status.Plan).NotTo(BeNil())
		Expect(live.Status.Plan.Warnings).To(ConsistOf(told))
		once := map[string]int32{live.Status.Warnings[0]: 1}
		Eventually(timesTold).WithContext(ctx).WithArguments(name, "APIWarning").Should(Equal(once))

		By("restarting the manager, which must not take the unknown field for drift, and cannot apply it by server-side apply")
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		well := func(ctx context.Context) (string, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			var lines []string
			for _, condition := range live.Status.Conditions {
				lines = append(lines, fmt.Sprintf("%s=%s %s", condition.Type, condition.Status, condition.Reason))
			}
			return strings.Join(lines, ", "), nil
		}
		Consistently(well).WithContext(ctx).Should(And(ContainSubstring("Installed=True InstallationSucceeded"), ContainSubstring("Healthy=True Healthy"),
			ContainSubstring("Progressing=False AsExpected"), ContainSubstring("Drifted=False AsExpected")))
		Expect(timesTold(ctx, name, "APIWarning")).To(Equal(once))

		By("restarting it while it only reports drift")
		patchDeployment(ctx, name, `{"spec":{"drift":{"policy":"Report"}}}`)
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Consistently(well).WithContext(ctx).Should(And(ContainSubstring("Healthy=True Healthy"), ContainSubstring("Drifted=False AsExpected")))
		Expect(driftOf(ctx, name)).To(BeEmpty())
	})
})
