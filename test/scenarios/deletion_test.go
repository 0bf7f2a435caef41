package scenarios

import (
	"context"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// dryRun are the options of a deletion that the API server checks and does not carry out.
var dryRun = metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}

// allowDeletion sets the annotation that permits the deletion of an object. value is the annotation's value as JSON; `"true"` permits it.
func (s *Story) allowDeletion(ctx context.Context, resource schema.GroupVersionResource, name, value string) {
	s.Helper()
	patch := []byte(`{"metadata":{"annotations":{"` + platformv1alpha1.AnnotationAllowDeletion + `":` + value + `}}}`)
	_, err := s.Admin.Dynamic.Resource(resource).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// clientAs returns a client that impersonates a user in the given groups. It adds the group system:masters, so that RBAC permits every
// request.
func (s *Story) clientAs(user string, groups ...string) dynamic.Interface {
	s.Helper()
	config := rest.CopyConfig(s.Environment.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:masters")}
	client, err := dynamic.NewForConfig(config)
	s.Expect(err).NotTo(HaveOccurred())
	return client
}

// forbidden matches the denial of an admission policy whose message has all these words.
func forbidden(words ...string) OmegaMatcher {
	matchers := []OmegaMatcher{Satisfy(apierrors.IsForbidden)}
	for _, word := range words {
		matchers = append(matchers, MatchError(ContainSubstring(word)))
	}
	return And(matchers...)
}

// waitUntilCRDGone waits until a CustomResourceDefinition does not exist.
func (s *Story) waitUntilCRDGone(ctx context.Context, name string) {
	s.Helper()
	s.Eventually(func(ctx context.Context) error {
		_, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(beNotFound())
}

// applyAsCVO applies the payload's manifests as the cluster-version operator does.
func (s *Story) applyAsCVO(ctx context.Context) {
	s.Helper()
	_, err := cvo.Apply(ctx, s.Environment.Admin, filepath.Join(s.Environment.Root, "manifests"))
	s.Expect(err).NotTo(HaveOccurred())
}

func TestDeletionOfCustomResourceDefinitions(t *testing.T) {
	t.Parallel()
	// Promise HRD-U6: Deletion of one of the project's CRDs is denied with a message that names the annotation which permits it. The
	// garbage collector, the CVO and other CRDs are not affected.
	runStory(t, "HRD-U6 a deletion of the manager's CRDs is denied for all requests, and permitted with the annotation that the refusal names", defaultOperators, func(ctx context.Context, s *Story) {
		client := s.Admin.Dynamic.Resource(definitions)
		for _, name := range ourDefinitions {
			annotate := "kubectl annotate crd " + name + " " + platformv1alpha1.AnnotationAllowDeletion + "=true"
			s.Expect(client.Delete(ctx, name, dryRun)).To(forbidden(name, "delete every", annotate))
			only := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
			s.Expect(client.DeleteCollection(ctx, dryRun, only)).To(forbidden(annotate))
		}
		s.Expect(client.Delete(ctx, "platformoperators.platform.openshift.io", dryRun)).To(forbidden("uninstall every operator"))

		s.By("setting the annotation to another value, which permits nothing")
		const name = "bundles.core.rukpak.io"
		s.allowDeletion(ctx, definitions, name, `"false"`)
		s.Expect(client.Delete(ctx, name, dryRun)).To(forbidden(name))

		s.By("deleting as the garbage collector and as the CVO")
		for _, other := range []dynamic.Interface{
			s.clientAs("system:serviceaccount:kube-system:generic-garbage-collector"),
			s.clientAs("system:serviceaccount:openshift-cluster-version:default", "system:serviceaccounts:openshift-cluster-version"),
		} {
			s.Expect(other.Resource(definitions).Delete(ctx, name, dryRun)).To(Succeed())
		}
		s.Expect(s.clientAs("system:serviceaccount:openshift-other:default").Resource(definitions).Delete(ctx, name, dryRun)).To(forbidden(name))

		s.By("setting the annotation that the refusal names")
		before, err := client.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.allowDeletion(ctx, definitions, name, `"true"`)
		s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.waitUntilCRDGone(ctx, name)

		s.By("applying the CRD as the CVO, which protects it again")
		s.applyAsCVO(ctx)
		again, err := client.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(again.GetUID()).NotTo(Equal(before.GetUID()))
		s.Expect(client.Delete(ctx, name, dryRun)).To(forbidden(name))
	})

	runStory(t, "HRD-U6 the deletion of the CRD of PlatformOperators removes every operator", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, name = "outlived", "platformoperators.platform.openshift.io"
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		s.install(ctx, pkg, "1.0.0")
		live, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		namespace := live.Status.RelatedObjects[0].Name

		s.allowDeletion(ctx, definitions, name, `"true"`)
		s.Expect(s.Admin.Dynamic.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.waitUntilCRDGone(ctx, name)
		s.Expect(s.Admin.Kubernetes.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})).To(HaveField("Items", BeEmpty()))
		_, err = s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())

		s.By("applying the CRD as the CVO, which restores no PlatformOperator")
		s.applyAsCVO(ctx)
		s.Expect(s.Admin.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})).To(HaveField("Items", BeEmpty()))
		s.install(ctx, pkg, "1.0.0")
	})

	runStory(t, "HRD-U6 the policy does not concern other CRDs", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "widgets.deletion.example.com"
		client := s.Admin.Dynamic.Resource(definitions)
		definition := s.parse(definitions, "CustomResourceDefinition", `{metadata: {name: `+name+`}, spec: {group: deletion.example.com, scope: Cluster,
			names: {plural: widgets, kind: Widget}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`)
		_, err := client.Create(ctx, definition, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
	})
}
