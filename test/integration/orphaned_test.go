package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/certificates"
	"github.com/openshift/platform-operators/test/samples"
)

var _ = Describe("a CustomResourceDefinition that a removal keeps", func() {
	It("uses no conversion webhook until its package is installed again, so that its custom resources can be read and deleted", func(ctx context.Context) {
		const name = "converter"
		serviceCA, err := certificates.StartServiceCA(context.WithoutCancel(ctx), env.Admin, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(serviceCA.Stop(ctx)).To(Succeed()) })
		operator := samples.Operator{Package: name, Version: "1.0.0"}
		definition := operator.Plural() + "." + samples.Group
		v1, v2 := versionOf(operator, "v1"), versionOf(operator, "v2")
		ref := withWebhooks(ctx, operator)
		server := serveWebhooks(name, name+"-service", name+"-service-cert")
		install := func() {
			createDeployment(ctx, name, ref)
			Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
			waitForWebhookCall(ctx, operator, server, server.lastServed())
		}
		strategy := func(ctx context.Context) (string, error) {
			live, err := admin.Dynamic.Resource(definitions).Get(ctx, definition, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			strategy, _, err := unstructured.NestedString(live.Object, "spec", "conversion", "strategy")
			return strategy, err
		}
		DeferCleanup(func(ctx context.Context) {
			deleteDeploymentAndWait(ctx, name)
			Expect(ignoreNotFound(admin.Dynamic.Resource(v1).Namespace("default").Delete(ctx, "kept", metav1.DeleteOptions{}))).To(Succeed())
			Expect(ignoreNotFound(admin.Dynamic.Resource(definitions).Delete(ctx, definition, metav1.DeleteOptions{}))).To(Succeed())
		})
		install()
		_, err = admin.Dynamic.Resource(v1).Namespace("default").Create(ctx, parse(v1, operator.Kind(), "{metadata: {name: kept}, spec: {size: 7}}"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		replicas := func(ctx context.Context) (string, error) {
			live, err := admin.Dynamic.Resource(v2).Namespace("default").Get(ctx, "kept", metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(live.Object["spec"]), nil
		}
		Eventually(replicas).WithContext(ctx).Should(Equal("map[replicas:7]"))

		By("removing the operator, and with it the server of the webhook")
		deleteDeploymentAndWait(ctx, name)
		Expect(strategy(ctx)).To(Equal("None"))
		Eventually(replicas).WithContext(ctx).Should(Equal("map[]"), "the stored version has it under another name, and keeps it")
		Eventually(getNamespace).WithContext(ctx).WithArguments(name).Should(beNotFound(), "what service-ca made for the operator does not keep its namespace")

		By("installing it again")
		install()
		Expect(strategy(ctx)).To(Equal("Webhook"))
		Eventually(replicas).WithContext(ctx).Should(Equal("map[replicas:7]"))
	})
})
