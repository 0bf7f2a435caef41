package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// progressingOf returns the condition Progressing of a PlatformOperator as "STATUS REASON: MESSAGE", or "" if there is none yet.
func (s *Story) progressingOf(ctx context.Context, name string) (string, error) {
	live, err := s.Admin.Operator(ctx, name)
	if err != nil {
		return "", err
	}
	condition := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if condition == nil {
		return "", nil
	}
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message, nil
}

func TestRemovalByPlatformOperator(t *testing.T) {
	t.Parallel()
	runStory(t, "[ENG-D13] with crds: Delete set at last a removal waits for custom resources, and continues with Orphan", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lingerer"
		operator := samples.Operator{Package: name, Version: "1.0.0"}
		s.publishBundle(ctx, operator)
		s.install(ctx, name, "1.0.0")
		s.customResource(ctx, operator, "default", "only")
		resource := s.Admin.Dynamic.Resource(crdResource(operator.Plural())).Namespace("default")

		s.By("changing the policy right before the deletion")
		client := s.Admin.Platform.PlatformV1alpha1().PlatformOperators()
		s.KillManager()
		_, err := client.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"deletion":{"crds":"Delete"}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.Eventually(s.progressingOf).WithContext(ctx).WithArguments(name).Should(And(
			HavePrefix("False Blocked"), ContainSubstring("1 custom resource (Lingerer default/only)"), ContainSubstring("set spec.deletion.crds to Orphan")))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionProgressing)).To(And(HavePrefix("True Removing"), ContainSubstring("1 custom resource (Lingerer default/only)")))
		s.eventuallyClusterOperator(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "), "nothing continues without a change")
		s.Expect(s.deploymentExists(ctx, name, name)).To(Succeed(), "the operator still runs, to handle the deletion of its custom resources")

		s.By("running the command in the documentation")
		page, err := os.ReadFile(filepath.Join(s.Environment.Root, "docs", "tasks", "remove-an-operator.md"))
		s.Expect(err).NotTo(HaveOccurred())
		command := regexp.MustCompile(`(?m)^\$ kubectl patch plop NAME --type merge -p '(.*deletion.*)'$`).FindSubmatch(page)
		s.Expect(command).NotTo(BeNil(), "docs/tasks/remove-an-operator.md has the command")
		_, err = s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, command[1], metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		gone := func(ctx context.Context) error { _, err := s.Admin.Operator(ctx, name); return err }
		s.Eventually(gone).WithContext(ctx).Should(beNotFound())
		_, err = s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
		s.Expect(s.deploymentExists(ctx, name, name)).To(beNotFound())
		_, err = resource.Get(ctx, "only", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred(), "the custom resource has survived")
		definition, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, operator.Plural()+"."+samples.Group, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "package/"+name))
	})

	runStory(t, "[ENG-D12] a namespace that a removal keeps is used again, however often the operator is removed", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "commuter"
		s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		namespaceOf := func() *corev1.Namespace {
			live, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			s.Expect(err).NotTo(HaveOccurred())
			return live
		}
		s.install(ctx, name, "1.0.0")
		created := namespaceOf().UID
		notes := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "notes", Namespace: name}}
		_, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Create(ctx, notes, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		for range 3 {
			s.remove(ctx, name)
			s.Expect(namespaceOf().Annotations).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "package/"+name))
			s.install(ctx, name, "1.0.0")
			s.Expect(namespaceOf().UID).To(Equal(created))
			s.Expect(namespaceOf().Annotations).NotTo(HaveKey(platformv1alpha1.AnnotationOrphanedFrom), "its owner is no longer a former one")
		}
		s.By("removing it when nothing of others is in the namespace")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, "notes", metav1.DeleteOptions{})).To(Succeed())
		s.remove(ctx, name)
		s.Eventually(s.namespaceIs).WithContext(ctx).WithArguments(name).Should(beNotFound())
	})
}
