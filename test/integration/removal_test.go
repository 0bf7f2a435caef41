package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/test/samples"
)

// customResource creates a custom resource of a sample operator in a namespace.
func customResource(ctx context.Context, operator samples.Operator, namespace, name string) {
	GinkgoHelper()
	at := crdResource(operator.Plural())
	Eventually(func(ctx context.Context) error {
		_, err := admin.Dynamic.Resource(at).Namespace(namespace).Create(ctx, parse(at, operator.Kind(), "{metadata: {name: "+name+"}, spec: {size: 3}}"), metav1.CreateOptions{})
		return err
	}).WithContext(ctx).Should(Succeed())
}

func namespaceIs(ctx context.Context, name string) error {
	_, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	return err
}

func deleteDeployment(ctx context.Context, name string) {
	GinkgoHelper()
	Expect(admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
}

// firstDelete is where in the writes something is first deleted whose path ends so, or -1; a slash stands for any name.
func firstDelete(writes []string, end string) int {
	return slices.IndexFunc(writes, func(write string) bool {
		if strings.HasSuffix(end, "/") {
			write = write[:strings.LastIndex(write, "/")+1]
		}
		return strings.HasPrefix(write, "delete /") && strings.HasSuffix(write, end)
	})
}

// deletedInOrder asserts that all of these were deleted, one after the other.
func deletedInOrder(writes []string, ends ...string) {
	GinkgoHelper()
	var order []int
	for _, end := range ends {
		order = append(order, firstDelete(writes, end))
	}
	Expect(order).NotTo(ContainElement(-1), "%q in\n%s", ends, strings.Join(writes, "\n"))
	Expect(slices.IsSorted(order)).To(BeTrue(), "%q are at %v of\n%s", ends, order, strings.Join(writes, "\n"))
}

var _ = Describe("a removal", func() {
	It("[ENG-D12] goes through the phases backwards, keeps the data, and the same package takes it up again", func(ctx context.Context) {
		operator := samples.Operator{Package: "returner", Version: "1.0.0", ExtraConfigMap: "returner-settings"}
		ref := published(ctx, operator)
		deployed(ctx, "returner", ref)
		Eventually(conditionOf).WithContext(ctx).WithArguments("returner", corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		customResource(ctx, operator, "default", "precious")
		DeferCleanup(func(ctx context.Context) {
			Expect(ignoreNotFound(admin.Dynamic.Resource(crdResource("returners")).Namespace("default").Delete(ctx, "precious", metav1.DeleteOptions{}))).To(Succeed())
		})

		By("removing it when its source is gone")
		patchDeployment(ctx, "returner", `{"spec":{"source":{"image":{"ref":"127.0.0.1:1/nothing:here"}}}}`)
		_, end := writesBy("platform-operators", 0)
		undeploy(ctx, "returner")
		writes, _ := writesBy("platform-operators", end)
		deletedInOrder(writes, "/deployments/returner", "/configmaps/returner-settings", "/serviceaccounts/returner", "/namespaces/returner", "/clusterroles/platform-operators:returner:custom-resources")
		Expect(firstDelete(writes, "/customresourcedefinitions/returners.samples.platform.openshift.io")).To(Equal(-1))
		Eventually(namespaceIs).WithContext(ctx).WithArguments("returner").Should(beNotFound())

		By("installing it again")
		definition, err := admin.Dynamic.Resource(definitions).Get(ctx, "returners.samples.platform.openshift.io", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "returner"))
		deployed(ctx, "returner", ref)
		Eventually(conditionOf).WithContext(ctx).WithArguments("returner", corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		again, err := admin.Dynamic.Resource(definitions).Get(ctx, "returners.samples.platform.openshift.io", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(again.GetUID()).To(Equal(definition.GetUID()))
		Expect(again.GetAnnotations()).NotTo(HaveKey(platformv1alpha1.AnnotationOrphanedFrom))
		Expect(again.GetLabels()).To(HaveKeyWithValue(corev1alpha2.LabelOwnerName, "returner"))
		_, err = admin.Dynamic.Resource(crdResource("returners")).Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred(), "the custom resource has survived")

		By("letting it go without a manager, by the command in the documentation")
		page, err := os.ReadFile(filepath.Join(env.Root, "docs", "bundledeployments.md"))
		Expect(err).NotTo(HaveOccurred())
		command := regexp.MustCompile(`(?m)^\$ kubectl (patch bd) NAME (--type merge) -p '(.*)'$`).FindSubmatch(page)
		Expect(command).NotTo(BeNil(), "docs/bundledeployments.md has the command")
		Expect(env.Manager.Kill()).To(Succeed())
		defer func() { Expect(env.Manager.Start()).To(Succeed()) }()
		deleteDeployment(ctx, "returner")
		kubectl(ctx, append(append(strings.Fields(string(command[1])), "returner"), append(strings.Fields(string(command[2])), "-p", string(command[3]))...)...)
		_, err = admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "returner", metav1.GetOptions{})
		Expect(err).To(beNotFound())
	})

	It("[ENG-D13] with crds: Delete takes nothing down while there are custom resources, names them, and goes on when they are gone", func(ctx context.Context) {
		operator := samples.Operator{Package: "clearer", Version: "1.0.0"}
		deployedAs(ctx, "clearer", "clearer", published(ctx, operator), "deletion: {crds: Delete}")
		Eventually(conditionOf).WithContext(ctx).WithArguments("clearer", corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		for _, each := range []string{"a", "b", "c", "d"} {
			customResource(ctx, operator, "default", each)
		}
		deleteDeployment(ctx, "clearer")
		Eventually(conditionOf).WithContext(ctx).WithArguments("clearer", corev1alpha2.ConditionProgressing).Should(And(
			HavePrefix("True Removing"), ContainSubstring("4 custom resources, such as Clearer default/a, Clearer default/b, Clearer default/c"), ContainSubstring("spec.deletion.crds")))
		_, err := admin.Kubernetes.AppsV1().Deployments("clearer").Get(ctx, "clearer", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred(), "the operator still runs, to see its custom resources off")

		Expect(admin.Dynamic.Resource(crdResource("clearers")).Namespace("default").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})).To(Succeed())
		undeploy(ctx, "clearer")
		_, err = admin.Dynamic.Resource(definitions).Get(ctx, "clearers.samples.platform.openshift.io", metav1.GetOptions{})
		Expect(err).To(beNotFound())
		Eventually(namespaceIs).WithContext(ctx).WithArguments("clearer").Should(beNotFound())
	})

	It("[ENG-D13] that is held goes on when the policy is set to Orphan", func(ctx context.Context) {
		operator := samples.Operator{Package: "wavering", Version: "1.0.0"}
		deployedAs(ctx, "wavering", "wavering", published(ctx, operator), "deletion: {crds: Delete}")
		Eventually(conditionOf).WithContext(ctx).WithArguments("wavering", corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		customResource(ctx, operator, "default", "only")
		deleteDeployment(ctx, "wavering")
		Eventually(conditionOf).WithContext(ctx).WithArguments("wavering", corev1alpha2.ConditionProgressing).Should(ContainSubstring("1 custom resource, such as Wavering default/only"))
		patchDeployment(ctx, "wavering", `{"spec":{"deletion":{"crds":"Orphan"}}}`)
		undeploy(ctx, "wavering")
		_, err := admin.Dynamic.Resource(crdResource("waverings")).Namespace("default").Get(ctx, "only", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
	})

	It("[ENG-D12] keeps the namespace that it made when another operator's custom resource is in it", func(ctx context.Context) {
		const name = "landlord"
		definition := parse(definitions, "CustomResourceDefinition", `{metadata: {name: tenants.example.com}, spec: {group: example.com, scope: Namespaced,
			names: {kind: Tenant, listKind: TenantList, plural: tenants, singular: tenant}, versions: [
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`)
		_, err := admin.Dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Dynamic.Resource(definitions).Delete(ctx, "tenants.example.com", metav1.DeleteOptions{})).To(Succeed())
			Expect(ignoreNotFound(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
		})
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		at := definitions.GroupVersion().WithResource("tenants")
		at.Group = "example.com"
		Eventually(func(ctx context.Context) error {
			_, err := admin.Dynamic.Resource(at).Namespace(name).Create(ctx, parse(at, "Tenant", "{metadata: {name: sitting}}"), metav1.CreateOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())

		undeploy(ctx, name)
		live, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.DeletionTimestamp).To(BeNil())
		Expect(live.Labels).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
		_, err = admin.Dynamic.Resource(at).Namespace(name).Get(ctx, "sitting", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		_, err = admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, namespaceuse.RoleName, metav1.GetOptions{})
		Expect(err).To(beNotFound(), "the right to list what the manager's roles do not have was withdrawn")
	})

	It("names the finalizers that hold an object, and goes on when they are taken off", func(ctx context.Context) {
		const name = "tied"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "tied-settings"}))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		client := admin.Kubernetes.CoreV1().ConfigMaps(name)
		finalizers := func(ctx context.Context, value string) {
			_, err := client.Patch(ctx, "tied-settings", types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"finalizers":%s}}`, value), metav1.PatchOptions{})
			Expect(ignoreNotFound(err)).To(Succeed())
		}
		finalizers(ctx, `["example.com/mine"]`)
		DeferCleanup(finalizers, "null")
		deleteDeployment(ctx, name)
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(
			ContainSubstring("ConfigMap tied/tied-settings is held by its finalizers \"example.com/mine\""), ContainSubstring("take them off")))
		finalizers(ctx, "null")
		undeploy(ctx, name)
	})
})

var _ = Describe("an upgrade", func() {
	It("[ENG-D7] never deletes a CustomResourceDefinition that the new version lacks, whatever the policy", func(ctx context.Context) {
		const name = "dropper"
		crd := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: leftbehinds.samples.platform.openshift.io}, spec: {
			group: samples.platform.openshift.io, scope: Namespaced, names: {kind: Leftbehind, listKind: LeftbehindList, plural: leftbehinds, singular: leftbehind},
			versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
		first := published(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "dropper-old"}, crd)
		second := published(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		deployedAs(ctx, name, name, first, "deletion: {crds: Delete}")
		DeferCleanup(func(ctx context.Context) {
			undeploy(ctx, name)
			Expect(ignoreNotFound(admin.Dynamic.Resource(definitions).Delete(ctx, "leftbehinds.samples.platform.openshift.io", metav1.DeleteOptions{}))).To(Succeed())
		})
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		at := crdResource("leftbehinds")
		_, err := admin.Dynamic.Resource(at).Namespace("default").Create(ctx, parse(at, "Leftbehind", "{metadata: {name: precious}}"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())

		patchDeployment(ctx, name, fmt.Sprintf(`{"spec":{"source":{"image":{"ref":%q}}}}`, second))
		Eventually(func(ctx context.Context) error {
			_, err := admin.Kubernetes.CoreV1().ConfigMaps(name).Get(ctx, "dropper-old", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound(), "what only the old version has is pruned")
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		_, err = admin.Dynamic.Resource(at).Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		definition, err := admin.Dynamic.Resource(definitions).Get(ctx, "leftbehinds.samples.platform.openshift.io", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, name))
		Expect(definition.GetLabels()).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
	})
})
