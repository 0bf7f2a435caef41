package integration

import (
	"context"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/cvo"
	"github.com/openshift/platform-operators/test/samples"
)

// ourDefinitions are the CustomResourceDefinitions in manifests/.
var ourDefinitions = []string{
	"bundledeployments.core.rukpak.io", "bundles.core.rukpak.io", "provisionerclasses.core.rukpak.io",
	"platformoperators.platform.openshift.io", "platformoperatormanagers.operator.openshift.io",
}

// allowDeletion sets the annotation that permits an object's deletion; "null" takes it away.
func allowDeletion(ctx context.Context, resource schema.GroupVersionResource, name, value string) {
	GinkgoHelper()
	patch := []byte(`{"metadata":{"annotations":{"` + platformv1alpha1.AnnotationAllowDeletion + `":` + value + `}}}`)
	_, err := admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// impersonating is a client of somebody who may do everything, and is somebody in particular.
func impersonating(user string, groups ...string) dynamic.Interface {
	GinkgoHelper()
	config := rest.CopyConfig(env.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:masters")}
	client, err := dynamic.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	return client
}

// forbidden is a refusal by an admission policy that says all of this.
func forbidden(words ...string) OmegaMatcher {
	said := []OmegaMatcher{Satisfy(apierrors.IsForbidden)}
	for _, word := range words {
		said = append(said, MatchError(ContainSubstring(word)))
	}
	return And(said...)
}

var _ = Describe("the deletion of a CustomResourceDefinition", func() {
	dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}

	It("HRD-U6 of ours is denied, by whatever request, and permitted by the annotation that the refusal names", func(ctx context.Context) {
		client := admin.Dynamic.Resource(definitions)
		for _, name := range ourDefinitions {
			annotate := "kubectl annotate crd " + name + " " + platformv1alpha1.AnnotationAllowDeletion + "=true"
			Expect(client.Delete(ctx, name, dry)).To(forbidden(name, "delete every", annotate))
			only := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
			Expect(client.DeleteCollection(ctx, dry, only)).To(forbidden(annotate))
		}
		Expect(client.Delete(ctx, "platformoperators.platform.openshift.io", dry)).To(forbidden("uninstall every operator"))

		By("another value than true permits nothing")
		const name = "bundles.core.rukpak.io"
		allowDeletion(ctx, definitions, name, `"false"`)
		DeferCleanup(func(ctx context.Context) { allowDeletion(ctx, definitions, name, "null") })
		Expect(client.Delete(ctx, name, dry)).To(forbidden(name))

		By("the garbage collector and the cluster-version operator are not locked out")
		for _, other := range []dynamic.Interface{
			impersonating("system:serviceaccount:kube-system:generic-garbage-collector"),
			impersonating("system:serviceaccount:openshift-cluster-version:default", "system:serviceaccounts:openshift-cluster-version"),
		} {
			Expect(other.Resource(definitions).Delete(ctx, name, dry)).To(Succeed())
		}
		Expect(impersonating("system:serviceaccount:openshift-other:default").Resource(definitions).Delete(ctx, name, dry)).To(forbidden(name))

		By("doing what the refusal says")
		before, err := client.Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		allowDeletion(ctx, definitions, name, `"true"`)
		Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		DeferCleanup(func(ctx context.Context) {
			_, err := cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
			Expect(err).NotTo(HaveOccurred())
		})
		Eventually(func(ctx context.Context) error {
			_, err := client.Get(ctx, name, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())

		By("the cluster-version operator brings it back, protected again")
		_, err = cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
		Expect(err).NotTo(HaveOccurred())
		again, err := client.Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(again.GetUID()).NotTo(Equal(before.GetUID()))
		Expect(client.Delete(ctx, name, dry)).To(forbidden(name))
	})

	It("HRD-U6 of PlatformOperators takes every operator down, as the refusal and the page say", func(ctx context.Context) {
		const pkg, name = "outlived", "platformoperators.platform.openshift.io"
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		installed(ctx, pkg, "1.0.0")
		live, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		namespace := live.Status.RelatedObjects[0].Name

		allowDeletion(ctx, definitions, name, `"true"`)
		Expect(admin.Dynamic.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		gone := func(ctx context.Context) error {
			_, err := admin.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
			return err
		}
		Eventually(gone).WithContext(ctx).Should(beNotFound())
		Expect(admin.Kubernetes.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})).To(HaveField("Items", BeEmpty()))
		_, err = admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
		Expect(err).To(beNotFound())

		By("the cluster-version operator brings the kind back, and no PlatformOperator")
		_, err = cvo.Apply(ctx, env.Admin, filepath.Join(env.Root, "manifests"))
		Expect(err).NotTo(HaveOccurred())
		Expect(admin.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})).To(HaveField("Items", BeEmpty()))
		installed(ctx, pkg, "1.0.0")
	})

	It("HRD-U6 of somebody else is not our policy's business", func(ctx context.Context) {
		const name = "widgets.deletion.example.com"
		client := admin.Dynamic.Resource(definitions)
		_, err := client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"group": "deletion.example.com", "scope": "Cluster",
				"names": map[string]any{"plural": "widgets", "kind": "Widget"},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}}},
		}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
	})
})
