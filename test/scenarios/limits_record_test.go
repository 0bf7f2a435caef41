package scenarios

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// deleteStoredLimits sets the annotation that the refusal names, and deletes the ConfigMap with the stored limits.
func (s *Story) deleteStoredLimits(ctx context.Context) {
	s.Helper()
	s.runCommand(ctx, "kubectl annotate configmap "+limits.ConfigMap+" -n "+environment.Namespace+" "+platformv1alpha1.AnnotationAllowDeletion+"=true --overwrite")
	s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Delete(ctx, limits.ConfigMap, metav1.DeleteOptions{})).To(Succeed())
}

func TestStoredLimits(t *testing.T) {
	t.Parallel()
	const edit = `{"data":{"patch":"{\"spec\":{}}"}}`
	limited := func(ctx context.Context, s *Story, pkg string) {
		s.configure(ctx, `{"allowedPackages":["`+pkg+`"]}`)
		s.Eventually(s.storedLimitsPatch).WithContext(ctx).Should(ContainSubstring(pkg))
	}

	runStory(t, "[HRD-S3] the stored limits cannot be deleted without the annotation that the refusal names, and cannot be edited", defaultOperators, func(ctx context.Context, s *Story) {
		records := s.Admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace)
		edited := func(ctx context.Context) error {
			_, err := records.Patch(ctx, limits.ConfigMap, types.MergePatchType, []byte(edit), metav1.PatchOptions{})
			return err
		}
		s.Eventually(s.storedLimitsPatch).WithContext(ctx).Should(Equal(`{"spec":{}}`))
		s.Expect(records.Delete(ctx, limits.ConfigMap, dryRun)).To(Succeed(), "it has no limits yet")
		limited(ctx, s, "recorded")
		annotate := "kubectl annotate configmap " + limits.ConfigMap + " -n " + environment.Namespace + " " + platformv1alpha1.AnnotationAllowDeletion + "=true"
		accept := "kubectl annotate platformoperatormanager cluster " + operatorv1alpha1.AnnotationAcceptLimits + "=true"
		s.Expect(records.Delete(ctx, limits.ConfigMap, dryRun)).To(forbidden(annotate, accept))
		s.Expect(records.DeleteCollection(ctx, dryRun, metav1.ListOptions{})).To(forbidden(annotate))
		s.Expect(edited(ctx)).To(forbidden("kubectl edit platformoperatormanager cluster", accept))
		_, err := records.Patch(ctx, limits.ConfigMap, types.MergePatchType, []byte(`{"immutable":true}`), metav1.PatchOptions{})
		s.Expect(err).To(forbidden("only the manager edits it"))
		collector := s.clientAs("system:serviceaccount:kube-system:generic-garbage-collector").Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(environment.Namespace)
		s.Expect(collector.Delete(ctx, limits.ConfigMap, dryRun)).To(forbidden(annotate))
		remover := s.clientAs("system:serviceaccount:kube-system:namespace-controller").Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(environment.Namespace)
		s.Expect(remover.Delete(ctx, limits.ConfigMap, dryRun)).To(Succeed())

		s.runCommand(ctx, annotate)
		s.Expect(records.Delete(ctx, limits.ConfigMap, dryRun)).To(Succeed())
		s.Expect(edited(ctx)).To(forbidden("only the manager edits it"))
		s.Expect(records.Delete(ctx, limits.ConfigMap, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.storedLimitsPatch).WithContext(ctx).Should(ContainSubstring("recorded"))
		s.Expect(records.Delete(ctx, limits.ConfigMap, dryRun)).To(forbidden(annotate), "the restored one has no annotation")
	})

	runStory(t, "[HRD-S3] stored limits that are deleted or edited after their PlatformOperatorManager permit nothing after a restart", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, other = "recorded", "unrecorded"
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: other, Version: "1.0.0"})).To(Succeed())
		limited(ctx, s, pkg)
		s.install(ctx, pkg, "1.0.0")
		s.waitUntilOlder(ctx, pkg)
		s.allowDeletion(ctx, managers, operatorv1alpha1.PlatformOperatorManagerName, `"true"`)
		s.replaceManagerResource(ctx)
		s.create(ctx, other, "")
		held := func(why string) {
			s.Helper()
			s.waitForRefusal(ctx, other, platformv1alpha1.ReasonValidationFailed, why)
			_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, other, metav1.GetOptions{})
			s.Expect(err).To(beNotFound())
		}
		held("its replacement permits more (spec.allowedPackages)")

		s.By("deleting the stored limits with the annotation")
		s.deleteStoredLimits(ctx)
		s.Eventually(s.storedLimitsPatch).WithContext(ctx).Should(ContainSubstring(pkg))
		held("its replacement permits more (spec.allowedPackages)")

		s.By("editing the stored limits as a user whom the policy permits")
		manager := s.clientAs("system:serviceaccount:" + environment.Namespace + ":" + environment.ServiceAccount)
		_, err := manager.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(environment.Namespace).Patch(ctx, limits.ConfigMap, types.MergePatchType, []byte(edit), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.storedLimitsPatch).WithContext(ctx).Should(ContainSubstring(pkg))
		held("its replacement permits more (spec.allowedPackages)")

		s.By("deleting the stored limits while no manager runs")
		s.KillManager()
		s.deleteStoredLimits(ctx)
		s.StartManager()
		s.Eventually(func(ctx context.Context) (string, error) {
			live, err := s.Admin.Operator(ctx, other)
			return meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionInstalled).Message, err
		}).WithContext(ctx).Should(ContainSubstring("the limits before it are unknown"))
		held("the limits before it are unknown")
		_, err = s.storedLimitsPatch(ctx)
		s.Expect(err).To(beNotFound())

		s.By("accepting the limits by the command in the condition")
		s.runCommand(ctx, "kubectl annotate platformoperatormanager cluster "+operatorv1alpha1.AnnotationAcceptLimits+"=true")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(other, "1.0.0").Should(Succeed())
		s.Expect(s.storedLimitsPatch(ctx)).To(Equal(`{"spec":{}}`))
	})
}
