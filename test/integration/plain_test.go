package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// notesOf are the data of the ConfigMap that a sample of plain manifests has.
func notesOf(ctx context.Context, pkg string) (map[string]string, error) {
	notes, err := admin.Kubernetes.CoreV1().ConfigMaps(pkg+"-system").Get(ctx, pkg+"-notes", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return notes.Data, nil
}

// readBy is what an operator's bundle is read by, and what of its metadata was read.
func readBy(ctx context.Context, pkg string) (string, error) {
	deployment, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
	if err != nil || deployment.Status.Bundle == nil {
		return "", err
	}
	said := deployment.Status.Bundle
	return strings.TrimSpace(fmt.Sprint(deployment.Spec.ProvisionerClassName, " ", said.Name, " ", said.Package, " ", said.Version, " ", strings.Join(said.MaxOpenShiftVersions, " "))), nil
}

// granted lets the manager have all rights on a resource that bundles bring, as an admin would, until the operator has been removed.
func granted(ctx context.Context, pkg, group, resource string) {
	GinkgoHelper()
	roles := admin.Kubernetes.RbacV1().ClusterRoles()
	_, err := roles.Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: pkg + "-bundles", Labels: map[string]string{corev1alpha2.LabelAggregateToBundles: "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}}},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx context.Context) {
		remove(ctx, pkg) // which takes these rights
		Expect(roles.Delete(ctx, pkg+"-bundles", metav1.DeleteOptions{})).To(Succeed())
	})
}

var _ = Describe("a bundle of plain manifests", func() {
	It("ENG-F8 is installed in order and as it is written, and refused without objects", func(ctx context.Context) {
		const pkg, namespace = "flatiron", "flatiron-system"
		bare := samples.Operator{Package: pkg, Version: "1.0.0", Plain: true}
		full := samples.Operator{Package: pkg, Version: "1.1.0", Plain: true}
		Expect(samples.Write(env.SamplesDir, bare)).To(Succeed())
		manifests := filepath.Join(env.SamplesDir, "bundles", pkg, "1.0.0", "manifests")
		Expect(os.RemoveAll(manifests)).To(Succeed())
		Expect(os.Mkdir(manifests, 0o755)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(manifests, "empty.yaml"), []byte("# nothing\n---\n{apiVersion: v1, kind: List, items: []}\n"), 0o600)).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		create(ctx, pkg, "")
		refusedWith(ctx, pkg, platformv1alpha1.ReasonValidationFailed, `reading directory "manifests": no objects are there; a plain+v0 bundle has at least one`)

		By("publishing one with several documents in a file, a List, what looks like a template, and an object of its own kind before the kind")
		bare.NoBundle = true // it is there
		Expect(samples.Write(env.SamplesDir, bare, full)).To(Succeed())
		Expect(samples.AddCustomResource(env.SamplesDir, full)).To(Succeed())
		from := logEnd()
		Expect(env.Publish(ctx)).To(Succeed())
		resource := schema.GroupVersionResource{Group: samples.Group, Version: "v1", Resource: full.Plural()}
		missing := func(ctx context.Context) ([]corev1alpha2.MissingPermission, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
			if err != nil || live.Status.Plan == nil {
				return nil, err
			}
			return live.Status.Plan.PermissionsMissing, nil
		}
		Eventually(missing).WithContext(ctx).Should(Equal([]corev1alpha2.MissingPermission{
			{Group: samples.Group, Resource: full.Plural(), Verbs: []string{"list", "watch"}},
			{Group: samples.Group, Resource: full.Plural(), Verbs: []string{"create", "delete", "get", "patch", "update"}, Namespace: namespace},
		}), "an object of the bundle's own kind takes a right that the payload does not give")
		Expect(managerWrites(from, "/api/v1/namespaces/"+namespace)).To(BeEmpty())
		granted(ctx, pkg, samples.Group, full.Plural())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())

		Expect(notesOf(ctx, pkg)).To(Equal(map[string]string{"version": "1.1.0", "alert": "{{ $labels.namespace }} of {{ .Values.name | quote }} ${HOME}"}))
		first, err := admin.Dynamic.Resource(resource).Namespace(namespace).Get(ctx, "first", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		size, _, err := unstructured.NestedInt64(first.Object, "spec", "size")
		Expect(size, err).To(BeEquivalentTo(3))
		var order []string
		for _, write := range managerWrites(from, "/") {
			path, _, _ := strings.Cut(strings.TrimPrefix(write, "create "), "?")
			if each := path[strings.LastIndex(path, "/")+1:]; strings.HasPrefix(write, "create ") && !slices.Contains(order, each) {
				order = append(order, each)
			}
		}
		order = slices.DeleteFunc(order, func(each string) bool {
			return !slices.Contains([]string{"namespaces", "customresourcedefinitions", "serviceaccounts", "configmaps", "services", "deployments", full.Plural()}, each)
		})
		config := BeElementOf("configmaps", "services")
		Expect(order).To(HaveExactElements("namespaces", "customresourcedefinitions", "serviceaccounts", config, config, "deployments", full.Plural()))
		Expect(historyOf(ctx, pkg)).To(HaveExactElements("1.1.0 Ready by Installation", HavePrefix("1.0.0 ")))
	})

	It("ENG-F9 is gated and upgraded by the metadata that it carries, also to another format", func(ctx context.Context) {
		const pkg = "quadrant"
		old := samples.Operator{Package: pkg, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.21"`)}
		next := samples.Operator{Package: pkg, Version: "1.1.0", Plain: true, FileProperties: runsUpTo(`"4.23"`)}
		publishes(ctx, old)
		installed(ctx, pkg, "1.0.0")
		Expect(readBy(ctx, pkg)).To(Equal(`core-rukpak-io-plain quadrant.v1.0.0 quadrant 1.0.0 "4.21"`))
		operator, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		Expect(operator.Status.Installed.Format).To(Equal("plain+v0"))
		declares(ctx, pkg, "Bundle 4.21")
		gateSaysOf(ctx, pkg, "- quadrant 1.0.0 allows at most 4.21")

		By("publishing a version that permits more")
		publishes(ctx, old, next)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Expect(readBy(ctx, pkg)).To(Equal(`core-rukpak-io-plain quadrant.v1.1.0 quadrant 1.1.0 "4.23"`))
		Expect(notesOf(ctx, pkg)).To(HaveKeyWithValue("version", "1.1.0"))
		declares(ctx, pkg, "Bundle 4.23")
		gateSaysOf(ctx, pkg)

		By("publishing a version that is a registry+v1 bundle")
		publishes(ctx, old, next, samples.Operator{Package: pkg, Version: "1.2.0"})
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		Expect(readBy(ctx, pkg)).To(Equal(`core-rukpak-io-registry quadrant.v1.2.0 quadrant 1.2.0`))
		Eventually(func(ctx context.Context) error { _, err := notesOf(ctx, pkg); return err }).WithContext(ctx).Should(beNotFound(), "what only the version before had is pruned")
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.2.0 Ready by Automatic", "1.1.0 Ready by Automatic", "1.0.0 Ready by Installation"}))
	})
})
