package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// plainClass is the ProvisionerClass of plain+v0 bundles.
const plainClass = corev1alpha2.ProvisionerClassPlain

// waitUntilSettled waits until Progressing of a BundleDeployment is False with reason AsExpected.
func (s *Story) waitUntilSettled(ctx context.Context, name string) {
	s.Helper()
	s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(HavePrefix("False AsExpected: "))
}

func TestPlainObjects(t *testing.T) {
	t.Parallel()
	runStory(t, "missing permissions for an object block neither a rollback nor the removal", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "architrave"
		class := fmt.Sprintf("{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: %s}, spec: {controller: example.com/a}}", name)
		one := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", Plain: true})
		two := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0", Plain: true}, class)
		s.deployWithClass(ctx, plainClass, name, one)
		s.waitUntilSettled(ctx, name)
		s.patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, two))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(HavePrefix("True UpgradeFailed: "), ContainSubstring("ingressclasses")))

		s.By("rolling back")
		s.patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, one))
		s.waitUntilSettled(ctx, name)

		s.By("removing it, and another one that never started")
		s.undeploy(ctx, name)
		s.deployWithClass(ctx, plainClass, name, two)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(ContainSubstring("ingressclasses"))
		s.undeploy(ctx, name)
	})

	runStory(t, "the install namespace has the bundle's labels, and another one is not deleted with users' objects", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "cornice"
		namespaces := func(ctx context.Context, name string) *corev1.Namespace {
			s.Helper()
			live, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			return live
		}
		both := "{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s, labels: {pod-security.kubernetes.io/warn: baseline}}}\n---\n" +
			"{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s-data}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s-empty}}\n"
		one := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", Plain: true}, fmt.Sprintf(both, name))
		two := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0", Plain: true})
		s.deployWithClass(ctx, plainClass, name, one)
		s.waitUntilSettled(ctx, name)
		s.Expect(namespaces(ctx, name).Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/warn", "baseline"))
		data := s.Admin.Kubernetes.CoreV1().ConfigMaps(name + "-data")
		_, err := data.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "of-a-user"}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("upgrading to a version without these objects")
		s.patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, two))
		s.Eventually(func(ctx context.Context) (int64, error) {
			live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			return live.Status.ActiveRevision, err
		}).WithContext(ctx).Should(BeEquivalentTo(2))
		s.waitUntilSettled(ctx, name)
		kept := namespaces(ctx, name+"-data")
		s.Expect(kept.DeletionTimestamp).To(BeNil())
		s.Expect(kept.Labels).NotTo(HaveKey(corev1alpha2.LabelOwnerName), "it is released")
		_, err = data.Get(ctx, "of-a-user", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name+"-empty", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound(), "nothing is in it, and no other owner has it")

		s.By("removing it")
		s.undeploy(ctx, name)
		s.Settle() // a Namespace is deleted last
		s.Expect(namespaces(ctx, name+"-data").DeletionTimestamp).To(BeNil())
	})
}
