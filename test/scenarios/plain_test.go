package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// notesOf returns the data of the ConfigMap with the notes of a plain sample operator.
func (s *Story) notesOf(ctx context.Context, pkg string) (map[string]string, error) {
	notes, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(pkg+"-system").Get(ctx, pkg+"-notes", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return notes.Data, nil
}

// readBy returns the ProvisionerClass of an operator's BundleDeployment and the bundle's metadata in its status, as one text. It returns ""
// if the status has no metadata yet.
func (s *Story) readBy(ctx context.Context, pkg string) (string, error) {
	deployment, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
	if err != nil || deployment.Status.Bundle == nil {
		return "", err
	}
	bundle := deployment.Status.Bundle
	return strings.TrimSpace(fmt.Sprint(deployment.Spec.ProvisionerClassName, " ", bundle.Name, " ", bundle.Package, " ", bundle.Version, " ", strings.Join(bundle.MaxOpenShiftVersions, " "))), nil
}

// grantResource grants the manager all verbs on a resource that bundles need, by a labeled ClusterRole, as an admin would.
func (s *Story) grantResource(ctx context.Context, pkg, group, resource string) {
	s.Helper()
	roles := s.Admin.Kubernetes.RbacV1().ClusterRoles()
	_, err := roles.Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: pkg + "-bundles", Labels: map[string]string{corev1alpha2.LabelAggregateToBundles: "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestPlainBundles(t *testing.T) {
	t.Parallel()
	// Promise ENG-F8: A plain+v0 bundle with multi-document files, Lists, text like a template and objects of its own kind is applied in
	// order and unchanged. A plain+v0 bundle without objects is refused.
	runStory(t, "ENG-F8 plain manifests are applied in order and unchanged, and a bundle without objects is refused", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, namespace = "flatiron", "flatiron-system"
		bare := samples.Operator{Package: pkg, Version: "1.0.0", Plain: true}
		full := samples.Operator{Package: pkg, Version: "1.1.0", Plain: true}
		s.Expect(samples.Write(s.Environment.SamplesDir, bare)).To(Succeed())
		manifests := filepath.Join(s.Environment.SamplesDir, "bundles", pkg, "1.0.0", "manifests")
		s.Expect(os.RemoveAll(manifests)).To(Succeed())
		s.Expect(os.Mkdir(manifests, 0o755)).To(Succeed())
		s.Expect(os.WriteFile(filepath.Join(manifests, "empty.yaml"), []byte("# nothing\n---\n{apiVersion: v1, kind: List, items: []}\n"), 0o600)).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		s.create(ctx, pkg, "")
		s.waitForRefusal(ctx, pkg, platformv1alpha1.ReasonValidationFailed, `reading directory "manifests": it has no objects; a plain+v0 bundle must have at least one`)

		s.By("publishing one with several documents in a file, a List, what looks like a template, and an object of its own kind before the kind")
		bare.NoBundle = true // the bundle's files exist already
		s.Expect(samples.Write(s.Environment.SamplesDir, bare, full)).To(Succeed())
		s.Expect(samples.AddCustomResource(s.Environment.SamplesDir, full)).To(Succeed())
		from := len(s.Requests())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		resource := schema.GroupVersionResource{Group: samples.Group, Version: "v1", Resource: full.Plural()}
		missing := func(ctx context.Context) ([]corev1alpha2.MissingPermission, error) {
			live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
			if err != nil || live.Status.Plan == nil {
				return nil, err
			}
			return live.Status.Plan.PermissionsMissing, nil
		}
		s.Eventually(missing).WithContext(ctx).Should(Equal([]corev1alpha2.MissingPermission{
			{Group: samples.Group, Resource: full.Plural(), Verbs: []string{"list", "watch"}},
			{Group: samples.Group, Resource: full.Plural(), Verbs: []string{"create", "delete", "get", "patch", "update"}, Namespace: namespace},
		}), "an object of the bundle's own kind takes a right that the payload does not give")
		s.Expect(s.managerWrites(from, "/api/v1/namespaces/"+namespace)).To(BeEmpty())
		s.grantResource(ctx, pkg, samples.Group, full.Plural())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())

		s.Expect(s.notesOf(ctx, pkg)).To(Equal(map[string]string{"version": "1.1.0", "alert": "{{ $labels.namespace }} of {{ .Values.name | quote }} ${HOME}"}))
		first, err := s.Admin.Dynamic.Resource(resource).Namespace(namespace).Get(ctx, "first", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		size, _, err := unstructured.NestedInt64(first.Object, "spec", "size")
		s.Expect(size, err).To(BeEquivalentTo(3))
		var order []string
		for _, write := range s.managerWrites(from, "/") {
			path, _, _ := strings.Cut(strings.TrimPrefix(write, "create "), "?")
			if each := path[strings.LastIndex(path, "/")+1:]; strings.HasPrefix(write, "create ") && !slices.Contains(order, each) {
				order = append(order, each)
			}
		}
		order = slices.DeleteFunc(order, func(each string) bool {
			return !slices.Contains([]string{"namespaces", "customresourcedefinitions", "serviceaccounts", "configmaps", "services", "deployments", full.Plural()}, each)
		})
		config := BeElementOf("configmaps", "services")
		s.Expect(order).To(HaveExactElements("namespaces", "customresourcedefinitions", "serviceaccounts", config, config, "deployments", full.Plural()))
		s.Expect(s.historyOf(ctx, pkg)).To(HaveExactElements("1.1.0 Ready by Installation", HavePrefix("1.0.0 ")))
	})

	// Promise ENG-F9: The metadata of a plain+v0 bundle counts: its maximum OpenShift version blocks upgrades of the cluster, and the
	// operator moves on to a later plain+v0 or registry+v1 version.
	runStory(t, "ENG-F9 a plain bundle is gated and upgraded by its own metadata, also to another format", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "quadrant"
		old := samples.Operator{Package: pkg, Version: "1.0.0", Plain: true, FileProperties: runsUpTo(`"4.21"`)}
		next := samples.Operator{Package: pkg, Version: "1.1.0", Plain: true, FileProperties: runsUpTo(`"4.23"`)}
		s.publishOperators(ctx, old)
		s.install(ctx, pkg, "1.0.0")
		s.Expect(s.readBy(ctx, pkg)).To(Equal(`core-rukpak-io-plain quadrant.v1.0.0 quadrant 1.0.0 "4.21"`))
		operator, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operator.Status.Installed.Format).To(Equal("plain+v0"))
		s.waitForDeclared(ctx, pkg, "Bundle 4.21")
		s.waitForGateOf(ctx, pkg, "- quadrant 1.0.0 allows at most 4.21")

		s.By("publishing a version that permits more")
		s.publishOperators(ctx, old, next)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		s.Expect(s.readBy(ctx, pkg)).To(Equal(`core-rukpak-io-plain quadrant.v1.1.0 quadrant 1.1.0 "4.23"`))
		s.Expect(s.notesOf(ctx, pkg)).To(HaveKeyWithValue("version", "1.1.0"))
		s.waitForDeclared(ctx, pkg, "Bundle 4.23")
		s.waitForGateOf(ctx, pkg)

		s.By("publishing a version that is a registry+v1 bundle")
		s.publishOperators(ctx, old, next, samples.Operator{Package: pkg, Version: "1.2.0"})
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		s.Expect(s.readBy(ctx, pkg)).To(Equal(`core-rukpak-io-registry quadrant.v1.2.0 quadrant 1.2.0`))
		s.Eventually(func(ctx context.Context) error { _, err := s.notesOf(ctx, pkg); return err }).WithContext(ctx).Should(beNotFound(), "what only the version before had is pruned")
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.2.0 Ready by Automatic", "1.1.0 Ready by Automatic", "1.0.0 Ready by Installation"}))
	})
}
