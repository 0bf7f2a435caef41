package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// runningPods returns the number of running Pods in a namespace.
func (s *Story) runningPods(ctx context.Context, namespace string) (int, error) {
	found, err := s.Admin.Kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
	if err != nil {
		return 0, err
	}
	return len(found.Items), nil
}

// createConflictingCRD creates a CustomResourceDefinition that claims a kind in a group. While it exists, the API server does not establish
// another definition of that kind. It returns a function that deletes the CustomResourceDefinition.
func (s *Story) createConflictingCRD(ctx context.Context, group, kind string) (leave func(context.Context)) {
	s.Helper()
	name := "squatters." + group
	_, err := s.Admin.Dynamic.Resource(definitions).Create(ctx, s.parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %s}, spec: {group: %s,
		scope: Namespaced, names: {kind: %s, listKind: SquatterList, plural: squatters, singular: squatter},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, name, group, kind)), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	leave = func(ctx context.Context) {
		s.Helper()
		s.Expect(ignoreNotFound(s.Admin.Dynamic.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	}
	s.Eventually(func(ctx context.Context) ([]any, error) {
		live, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		conditions, _, err := unstructured.NestedSlice(live.Object, "status", "conditions")
		return conditions, err
	}).WithContext(ctx).Should(ContainElement(And(HaveKeyWithValue("type", "Established"), HaveKeyWithValue("status", "True"), HaveKeyWithValue("reason", "InitialNamesAccepted"))))
	return leave
}

func TestFirstRollout(t *testing.T) {
	t.Parallel()
	runStory(t, "[ENG-D1] a phase follows when the names of its definitions are accepted and its Deployment is available", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "gatekept"
		operator := samples.Operator{Package: name, Version: "1.0.0", NeverReady: true}
		leave := s.createConflictingCRD(ctx, samples.Group, operator.Kind())
		s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
		s.Expect(samples.AddOwnKind(s.Environment.SamplesDir, operator)).To(Succeed())
		ref := s.publishBundle(ctx, operator, configMapText("settings", "us"))
		from := len(s.Requests())
		s.deployWith(ctx, name, name, ref, "deletion: {crds: Delete}")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "CustomResourceDefinition gatekepts.samples.platform.openshift.io", "its names are not accepted", `"Gatekept" is already in use`)
		s.Expect(s.unreadyOf(ctx, name)).To(ContainSubstring("CustomResourceDefinition gatekepts.samples.platform.openshift.io: its names are not accepted"))
		const own = "/apis/monitoring.coreos.com/"
		s.Consistently(func() (writes []string) {
			for _, path := range []string{"/api/v1/namespaces/gatekept/", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "/apis/apps/v1/namespaces/gatekept/", own} {
				writes = append(writes, s.managerWrites(from, path)...)
			}
			return writes
		}, "3s").Should(BeEmpty(), "objects of later phases than the CustomResourceDefinitions")

		s.By("deleting the conflicting definition")
		leave(ctx)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "Deployment gatekept/gatekept: 0 of 1 updated replicas available")
		s.Expect(s.unreadyOf(ctx, name)).To(ContainSubstring("Deployment gatekept/gatekept: "))
		s.Consistently(func() []string { return s.managerWrites(from, own) }, "3s").Should(BeEmpty(), "objects of later phases than the Deployment")

		s.By("making the Deployment's Pod ready")
		s.Eventually(s.runningPods).WithContext(ctx).WithArguments(name).Should(Equal(1))
		s.setPodsReady(ctx, name, metav1.ConditionTrue)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
		s.Expect(s.unreadyOf(ctx, name)).To(BeEmpty())
		var order []string
		for _, write := range s.managerWrites(from, "/") {
			path, created := strings.CutPrefix(write, "create ")
			path, _, _ = strings.Cut(path, "?")
			if resource := path[strings.LastIndex(path, "/")+1:]; created && !slices.Contains(order, resource) {
				order = append(order, resource)
			}
		}
		order = slices.DeleteFunc(order, func(each string) bool {
			return !slices.Contains([]string{"namespaces", "customresourcedefinitions", "serviceaccounts", "clusterrolebindings", "configmaps", "services", "deployments", "podmonitors"}, each)
		})
		account, config := BeElementOf("serviceaccounts", "clusterrolebindings"), BeElementOf("configmaps", "services")
		s.Expect(order).To(HaveExactElements("namespaces", "customresourcedefinitions", account, account, config, config, "deployments", "podmonitors"))
	})
}
