package integration

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// progressingOf gives the Progressing condition of a PlatformOperator as one line.
func progressingOf(ctx context.Context, name string) (string, error) {
	live, err := admin.Operator(ctx, name)
	if err != nil {
		return "", err
	}
	condition := meta.FindStatusCondition(live.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if condition == nil {
		return "", nil
	}
	return string(condition.Status) + " " + condition.Reason + ": " + condition.Message, nil
}

var _ = Describe("a removal by PlatformOperator", func() {
	It("[ENG-D13] takes nothing down while there are custom resources, if the last word was crds: Delete, and goes on when it is Orphan", func(ctx context.Context) {
		const name = "lingerer"
		operator := samples.Operator{Package: name, Version: "1.0.0"}
		published(ctx, operator)
		installed(ctx, name, "1.0.0")
		customResource(ctx, operator, "default", "only")
		resource := admin.Dynamic.Resource(crdResource(operator.Plural())).Namespace("default")
		DeferCleanup(func(ctx context.Context) {
			Expect(ignoreNotFound(resource.Delete(ctx, "only", metav1.DeleteOptions{}))).To(Succeed())
		})

		By("saying so at the last moment, so that the manager sees it together with the deletion")
		client := admin.Platform.PlatformV1alpha1().PlatformOperators()
		Expect(env.Manager.Kill()).To(Succeed())
		_, err := client.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"deletion":{"crds":"Delete"}}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(progressingOf).WithContext(ctx).WithArguments(name).Should(And(
			HavePrefix("False Blocked"), ContainSubstring("1 custom resource, such as Lingerer default/only"), ContainSubstring("set spec.deletion.crds to Orphan")))
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionProgressing)).To(And(HavePrefix("True Removing"), ContainSubstring("1 custom resource, such as Lingerer default/only")))
		clusterOperatorSays(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "), "nothing goes on before somebody does something")
		Expect(deploymentExists(ctx, name, name)).To(Succeed(), "the operator still runs, to see its custom resources off")

		By("the command in the documentation")
		page, err := os.ReadFile(filepath.Join(env.Root, "docs", "platformoperators.md"))
		Expect(err).NotTo(HaveOccurred())
		command := regexp.MustCompile(`(?m)^\$ kubectl (patch plop) NAME (--type merge) -p '(.*deletion.*)'$`).FindSubmatch(page)
		Expect(command).NotTo(BeNil(), "docs/platformoperators.md has the command")
		kubectl(ctx, append(append(strings.Fields(string(command[1])), name), append(strings.Fields(string(command[2])), "-p", string(command[3]))...)...)
		gone := func(ctx context.Context) error { _, err := admin.Operator(ctx, name); return err }
		Eventually(gone).WithContext(ctx).Should(beNotFound())
		_, err = admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		Expect(err).To(beNotFound())
		Expect(deploymentExists(ctx, name, name)).To(beNotFound())
		_, err = resource.Get(ctx, "only", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred(), "the custom resource has survived")
		definition, err := admin.Dynamic.Resource(definitions).Get(ctx, operator.Plural()+"."+samples.Group, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, name))
	})
})
