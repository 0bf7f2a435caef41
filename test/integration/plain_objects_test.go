package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// plainClass reads plain+v0 bundles.
const plainClass = corev1alpha2.ProvisionerClassPlain

var _ = Describe("what only plain manifests can hold", func() {
	progressing := func(name string) AsyncAssertion {
		return Eventually(conditionOf).WithArguments(name, corev1alpha2.ConditionProgressing)
	}

	It("is in nobody's way where rights are missing for it: not in that of going back, nor of the removal", func(ctx context.Context) {
		const name = "architrave"
		class := fmt.Sprintf("{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: %s}, spec: {controller: example.com/a}}", name)
		one := published(ctx, samples.Operator{Package: name, Version: "1.0.0", Plain: true})
		two := published(ctx, samples.Operator{Package: name, Version: "1.1.0", Plain: true}, class)
		deployedBy(ctx, plainClass, name, one)
		progressing(name).WithContext(ctx).Should(HavePrefix("False AsExpected: "))
		patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, two))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(ContainSubstring("UpgradeFailed"), ContainSubstring("ingressclasses")))

		By("going back")
		patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, one))
		progressing(name).WithContext(ctx).Should(HavePrefix("False AsExpected: "))

		By("removing it, and one that was never begun at all")
		undeploy(ctx, name)
		deployedBy(ctx, plainClass, name, two)
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(ContainSubstring("ingressclasses"))
		undeploy(ctx, name)
	})

	It("are namespaces: the install namespace has the bundle's labels, and another one is not deleted with what users have in it", func(ctx context.Context) {
		const name = "cornice"
		namespaces := func(ctx context.Context, name string) *corev1.Namespace {
			GinkgoHelper()
			live, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			return live
		}
		both := "{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s, labels: {pod-security.kubernetes.io/warn: baseline}}}\n---\n" +
			"{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s-data}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s-empty}}\n"
		one := published(ctx, samples.Operator{Package: name, Version: "1.0.0", Plain: true}, fmt.Sprintf(both, name))
		two := published(ctx, samples.Operator{Package: name, Version: "1.1.0", Plain: true})
		deployedBy(ctx, plainClass, name, one)
		progressing(name).WithContext(ctx).Should(HavePrefix("False AsExpected: "))
		Expect(namespaces(ctx, name).Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/warn", "baseline"))
		data := admin.Kubernetes.CoreV1().ConfigMaps(name + "-data")
		_, err := data.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "of-a-user"}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name+"-data", metav1.DeleteOptions{})).To(Succeed())
		})

		By("moving on to a version that has none of them")
		patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, two))
		Eventually(func(ctx context.Context) (int64, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			return live.Status.ActiveRevision, err
		}).WithContext(ctx).Should(BeEquivalentTo(2))
		progressing(name).WithContext(ctx).Should(HavePrefix("False AsExpected: "))
		kept := namespaces(ctx, name+"-data")
		Expect(kept.DeletionTimestamp).To(BeNil())
		Expect(kept.Labels).NotTo(HaveKey(corev1alpha2.LabelOwnerName), "it is let go of")
		Expect(data.Get(ctx, "of-a-user", metav1.GetOptions{})).NotTo(BeNil())
		Eventually(func(ctx context.Context) (bool, error) {
			live, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name+"-empty", metav1.GetOptions{})
			return err != nil || live.DeletionTimestamp != nil, ignoreNotFound(err)
		}).WithContext(ctx).Should(BeTrue(), "nothing is in it, and nobody else's it is")

		By("removing it")
		undeploy(ctx, name)
		Expect(namespaces(ctx, name+"-data").DeletionTimestamp).To(BeNil())
	})
})
