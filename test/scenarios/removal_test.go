package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/test/samples"
)

// customResource creates a custom resource of a sample operator in a namespace, when the API server serves its kind.
func (s *Story) customResource(ctx context.Context, operator samples.Operator, namespace, name string) {
	s.Helper()
	at := crdResource(operator.Plural())
	s.Eventually(func(ctx context.Context) error {
		_, err := s.Admin.Dynamic.Resource(at).Namespace(namespace).Create(ctx, s.parse(at, operator.Kind(), "{metadata: {name: "+name+"}, spec: {size: 3}}"), metav1.CreateOptions{})
		return err
	}).WithContext(ctx).Should(Succeed())
}

func (s *Story) namespaceIs(ctx context.Context, name string) error {
	_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	return err
}

func (s *Story) deleteDeployment(ctx context.Context, name string) {
	s.Helper()
	s.Expect(s.Admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
}

// firstDelete returns the index of the first deletion whose path ends with end, or -1. If end ends with a slash, it matches any name.
func firstDelete(writes []string, end string) int {
	return slices.IndexFunc(writes, func(write string) bool {
		if strings.HasSuffix(end, "/") {
			write = write[:strings.LastIndex(write, "/")+1]
		}
		return strings.HasPrefix(write, "delete /") && strings.HasSuffix(write, end)
	})
}

// assertDeletedInOrder asserts that firstDelete finds a deletion for each of ends, and that the deletions are in this order.
func (s *Story) assertDeletedInOrder(writes []string, ends ...string) {
	s.Helper()
	var order []int
	for _, end := range ends {
		order = append(order, firstDelete(writes, end))
	}
	s.Expect(order).NotTo(ContainElement(-1), "%q in\n%s", ends, strings.Join(writes, "\n"))
	s.Expect(slices.IsSorted(order)).To(BeTrue(), "%q are at %v of\n%s", ends, order, strings.Join(writes, "\n"))
}

func TestRemovalOfBundleDeployments(t *testing.T) {
	t.Parallel()
	// Promise ENG-D12: Deletion of a BundleDeployment removes its objects in reverse order, also when the source is gone. By default CRDs
	// stay, and a namespace that others use; a new installation adopts the CRDs with their custom resources.
	runStory(t, "[ENG-D12] a removal goes through the phases backward and keeps custom resources, and the same package adopts them", defaultOperators, func(ctx context.Context, s *Story) {
		operator := samples.Operator{Package: "returner", Version: "1.0.0", ExtraConfigMap: "returner-settings"}
		ref := s.publishBundle(ctx, operator)
		s.deploy(ctx, "returner", ref)
		s.waitForCondition(ctx, "returner", corev1alpha2.ConditionProgressing, "False AsExpected")
		s.customResource(ctx, operator, "default", "precious")

		s.By("removing it without its source")
		s.patchDeployment(ctx, "returner", `{"spec":{"source":{"image":{"ref":"127.0.0.1:1/nothing:here"}}}}`)
		from := len(s.Requests())
		s.undeploy(ctx, "returner")
		writes := s.managerWrites(from, "/")
		s.assertDeletedInOrder(writes, "/deployments/returner", "/configmaps/returner-settings", "/serviceaccounts/returner", "/namespaces/returner", "/clusterroles/platform-operators:returner:custom-resources")
		s.Expect(firstDelete(writes, "/customresourcedefinitions/returners.samples.platform.openshift.io")).To(Equal(-1))
		s.Eventually(s.namespaceIs).WithContext(ctx).WithArguments("returner").Should(beNotFound())

		s.By("installing it again")
		definition, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, "returners.samples.platform.openshift.io", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "package/returner"))
		s.deploy(ctx, "returner", ref)
		s.waitForCondition(ctx, "returner", corev1alpha2.ConditionProgressing, "False AsExpected")
		again, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, "returners.samples.platform.openshift.io", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(again.GetUID()).To(Equal(definition.GetUID()))
		s.Expect(again.GetAnnotations()).NotTo(HaveKey(platformv1alpha1.AnnotationOrphanedFrom))
		s.Expect(again.GetLabels()).To(HaveKeyWithValue(corev1alpha2.LabelOwnerName, "returner"))
		_, err = s.Admin.Dynamic.Resource(crdResource("returners")).Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred(), "the custom resource has survived")

		s.By("releasing it without a manager, by the command in the documentation")
		page, err := os.ReadFile(filepath.Join(s.Environment.Root, "docs", "bundledeployments.md"))
		s.Expect(err).NotTo(HaveOccurred())
		command := regexp.MustCompile(`(?m)^\$ kubectl patch bd NAME --type merge -p '(.*)'$`).FindSubmatch(page)
		s.Expect(command).NotTo(BeNil(), "docs/bundledeployments.md has the command")
		s.KillManager()
		s.deleteDeployment(ctx, "returner")
		s.patchDeployment(ctx, "returner", string(command[1]))
		_, err = s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "returner", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
	})

	// Promise ENG-D13: With `deletion.crds: Delete` a removal takes nothing down while custom resources exist, and names their number and
	// examples. It goes on when they are gone or the policy becomes Orphan.
	runStory(t, "[ENG-D13] with crds: Delete a removal names the custom resources that block it, and continues when they are gone", defaultOperators, func(ctx context.Context, s *Story) {
		operator := samples.Operator{Package: "clearer", Version: "1.0.0"}
		s.deployWith(ctx, "clearer", "clearer", s.publishBundle(ctx, operator), "deletion: {crds: Delete}")
		s.waitForCondition(ctx, "clearer", corev1alpha2.ConditionProgressing, "False AsExpected")
		for _, each := range []string{"a", "b", "c", "d"} {
			s.customResource(ctx, operator, "default", each)
		}
		s.deleteDeployment(ctx, "clearer")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments("clearer", corev1alpha2.ConditionProgressing).Should(And(
			HavePrefix("True Removing"), ContainSubstring("4 custom resources (among them Clearer default/a, Clearer default/b, Clearer default/c)"), ContainSubstring("spec.deletion.crds")))
		_, err := s.Admin.Kubernetes.AppsV1().Deployments("clearer").Get(ctx, "clearer", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred(), "the operator still runs, to handle the deletion of its custom resources")

		s.Expect(s.Admin.Dynamic.Resource(crdResource("clearers")).Namespace("default").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})).To(Succeed())
		s.undeploy(ctx, "clearer")
		_, err = s.Admin.Dynamic.Resource(definitions).Get(ctx, "clearers.samples.platform.openshift.io", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
		s.Eventually(s.namespaceIs).WithContext(ctx).WithArguments("clearer").Should(beNotFound())
	})

	runStory(t, "[ENG-D13] a blocked removal continues when the policy becomes Orphan", defaultOperators, func(ctx context.Context, s *Story) {
		operator := samples.Operator{Package: "wavering", Version: "1.0.0"}
		s.deployWith(ctx, "wavering", "wavering", s.publishBundle(ctx, operator), "deletion: {crds: Delete}")
		s.waitForCondition(ctx, "wavering", corev1alpha2.ConditionProgressing, "False AsExpected")
		s.customResource(ctx, operator, "default", "only")
		s.deleteDeployment(ctx, "wavering")
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments("wavering", corev1alpha2.ConditionProgressing).Should(ContainSubstring("1 custom resource (Wavering default/only)"))
		s.patchDeployment(ctx, "wavering", `{"spec":{"deletion":{"crds":"Orphan"}}}`)
		s.undeploy(ctx, "wavering")
		_, err := s.Admin.Dynamic.Resource(crdResource("waverings")).Namespace("default").Get(ctx, "only", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
	})

	runStory(t, "[ENG-D12] a removal keeps its namespace when it has another operator's custom resource", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "landlord"
		definition := s.parse(definitions, "CustomResourceDefinition", `{metadata: {name: tenants.example.com}, spec: {group: example.com, scope: Namespaced,
			names: {kind: Tenant, listKind: TenantList, plural: tenants, singular: tenant}, versions: [
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`)
		_, err := s.Admin.Dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		at := definitions.GroupVersion().WithResource("tenants")
		at.Group = "example.com"
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.Dynamic.Resource(at).Namespace(name).Create(ctx, s.parse(at, "Tenant", "{metadata: {name: sitting}}"), metav1.CreateOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())

		s.undeploy(ctx, name)
		live, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.DeletionTimestamp).To(BeNil())
		s.Expect(live.Labels).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
		_, err = s.Admin.Dynamic.Resource(at).Namespace(name).Get(ctx, "sitting", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		_, err = s.Admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, namespaceuse.RoleName, metav1.GetOptions{})
		s.Expect(err).To(beNotFound(), "the right to list what the manager's roles do not have was withdrawn")
	})

	runStory(t, "a removal names the finalizers that block an object, and continues when they are removed", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "tied"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "tied-settings"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
		finalizers := func(ctx context.Context, value string) {
			_, err := client.Patch(ctx, "tied-settings", types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"finalizers":%s}}`, value), metav1.PatchOptions{})
			s.Expect(ignoreNotFound(err)).To(Succeed())
		}
		finalizers(ctx, `["example.com/mine"]`)
		s.deleteDeployment(ctx, name)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(
			ContainSubstring("ConfigMap tied/tied-settings is held by its finalizers \"example.com/mine\""), ContainSubstring("must remove them")))
		finalizers(ctx, "null")
		s.undeploy(ctx, name)
	})
}

func TestUpgradeThatRemovesObjects(t *testing.T) {
	t.Parallel()
	runStory(t, "[ENG-D7] an upgrade never deletes a CustomResourceDefinition, whatever the policy", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "dropper"
		crd := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: leftbehinds.samples.platform.openshift.io}, spec: {
			group: samples.platform.openshift.io, scope: Namespaced, names: {kind: Leftbehind, listKind: LeftbehindList, plural: leftbehinds, singular: leftbehind},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
		first := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "dropper-old"}, crd)
		second := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		s.deployWith(ctx, name, name, first, "deletion: {crds: Delete}")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		at := crdResource("leftbehinds")
		_, err := s.Admin.Dynamic.Resource(at).Namespace("default").Create(ctx, s.parse(at, "Leftbehind", "{metadata: {name: precious}}"), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, second))
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Get(ctx, "dropper-old", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound(), "what only the old version has is pruned")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		_, err = s.Admin.Dynamic.Resource(at).Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		definition, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, "leftbehinds.samples.platform.openshift.io", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "package/"+name))
		s.Expect(definition.GetLabels()).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
	})
}
