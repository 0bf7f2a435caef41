package specs

import (
	"context"
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/cmd/platform-operators-tests-ext/spec"
)

// payload returns specs about OpenShift's requirements for payload components.
func payload() []spec.Spec {
	return []spec.Spec{
		parallelSpec("the namespace belongs to the platform, is monitored, and restricts pods", namespaceOfThePlatform),
		parallelSpec("the manager's pod requests its resources and is restricted", restrictedPod),
		parallelSpec("NetworkPolicies deny all other traffic to and from the namespace", denyAll),
		parallelSpec("metrics are served with a certificate of the service CA", servingCertificate),
		parallelSpec("no role of the manager has a wildcard", exactRights),
		parallelSpec("the CustomResourceDefinitions are established and have a status subresource", establishedKinds),
	}
}

func namespaceOfThePlatform(ctx context.Context, t *spec.T) {
	live, err := t.Kubernetes.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Expect(live.Labels).To(gomega.HaveKeyWithValue("openshift.io/cluster-monitoring", "true"))
	t.Expect(live.Labels).To(gomega.HaveKeyWithValue("pod-security.kubernetes.io/enforce", "restricted"))
	t.Expect(live.Annotations).To(gomega.HaveKeyWithValue("workload.openshift.io/allowed", "management"))
}

func restrictedPod(ctx context.Context, t *spec.T) {
	live, err := t.Kubernetes.AppsV1().Deployments(namespace).Get(ctx, "platform-operators", metav1.GetOptions{})
	t.Expect(err).To(succeed())
	t.Expect(live.Spec.Replicas).To(gomega.HaveValue(gomega.BeEquivalentTo(1)))
	pod := live.Spec.Template
	t.Expect(pod.Annotations).To(gomega.HaveKeyWithValue("openshift.io/required-scc", "restricted-v2"))
	t.Expect(pod.Annotations).To(gomega.HaveKey("target.workload.openshift.io/management"))
	t.Expect(pod.Spec.PriorityClassName).To(gomega.Equal("system-cluster-critical"))
	t.Expect(pod.Spec.ServiceAccountName).NotTo(gomega.BeElementOf("", "default"))
	for _, container := range pod.Spec.Containers {
		t.Expect(container.Resources.Requests).To(gomega.And(gomega.HaveKey(corev1.ResourceCPU), gomega.HaveKey(corev1.ResourceMemory)), container.Name)
		t.Expect(container.Resources.Limits).To(gomega.BeEmpty(), container.Name)
		t.Expect(container.TerminationMessagePolicy).To(gomega.Equal(corev1.TerminationMessageFallbackToLogsOnError), container.Name)
		t.Expect(container.SecurityContext).NotTo(gomega.BeNil(), container.Name)
		t.Expect(ptr.Deref(container.SecurityContext.ReadOnlyRootFilesystem, false)).To(gomega.BeTrue(), container.Name)
		t.Expect(ptr.Deref(container.SecurityContext.AllowPrivilegeEscalation, true)).To(gomega.BeFalse(), container.Name)
	}
}

func denyAll(ctx context.Context, t *spec.T) {
	policies, err := t.Kubernetes.NetworkingV1().NetworkPolicies(namespace).List(ctx, metav1.ListOptions{})
	t.Expect(err).To(succeed())
	t.Expect(slices.ContainsFunc(policies.Items, func(each networkingv1.NetworkPolicy) bool {
		selects := each.Spec.PodSelector
		return len(selects.MatchLabels) == 0 && len(selects.MatchExpressions) == 0 && len(each.Spec.Ingress) == 0 && len(each.Spec.Egress) == 0 &&
			slices.Contains(each.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) && slices.Contains(each.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	})).To(gomega.BeTrue(), "none of %d NetworkPolicies denies everything", len(policies.Items))
}

func servingCertificate(ctx context.Context, t *spec.T) {
	services, err := t.Kubernetes.CoreV1().Services(namespace).List(ctx, metav1.ListOptions{})
	t.Expect(err).To(succeed())
	t.Expect(services.Items).To(gomega.ContainElement(gomega.HaveField("ObjectMeta.Annotations",
		gomega.HaveKeyWithValue("service.beta.openshift.io/serving-cert-secret-name", gomega.Not(gomega.BeEmpty())))))
}

func exactRights(ctx context.Context, t *spec.T) {
	bindings, err := t.Kubernetes.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{})
	t.Expect(err).To(succeed())
	bound := 0
	for _, binding := range bindings.Items {
		if !slices.ContainsFunc(binding.Subjects, func(subject rbacv1.Subject) bool {
			return subject.Kind == rbacv1.ServiceAccountKind && subject.Namespace == namespace
		}) {
			continue
		}
		bound++
		role, err := t.Kubernetes.RbacV1().ClusterRoles().Get(ctx, binding.RoleRef.Name, metav1.GetOptions{})
		t.Expect(err).To(succeed())
		if role.AggregationRule != nil {
			continue // the permissions for bundles, which a cluster admin may extend
		}
		for _, rule := range role.Rules {
			t.Expect(slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.NonResourceURLs)).NotTo(gomega.ContainElement("*"),
				"a rule of ClusterRole %q", role.Name)
		}
	}
	t.Expect(bound).To(gomega.BeNumerically(">", 0), "no ClusterRoleBinding is of the manager")
}

func establishedKinds(ctx context.Context, t *spec.T) {
	definitions := t.Dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, each := range []struct {
		name   string
		status bool
	}{
		{"platformoperators.platform.openshift.io", true},
		{"platformoperatormanagers.operator.openshift.io", true},
		{"bundledeployments.core.rukpak.io", true},
		{"bundles.core.rukpak.io", true},
		{"provisionerclasses.core.rukpak.io", false}, // has no status, like StorageClass
	} {
		object, err := definitions.Get(ctx, each.name, metav1.GetOptions{})
		t.Expect(err).To(succeed())
		var definition apiextensionsv1.CustomResourceDefinition
		t.Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &definition)).To(succeed())
		t.Expect(slices.ContainsFunc(definition.Status.Conditions, func(condition apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue
		})).To(gomega.BeTrue(), "%s is not established", each.name)
		for _, version := range definition.Spec.Versions {
			hasStatus := version.Subresources != nil && version.Subresources.Status != nil
			t.Expect(hasStatus).To(gomega.Equal(each.status), "%s, version %s", each.name, version.Name)
			t.Expect(version.Schema).To(gomega.HaveField("OpenAPIV3Schema.Description", gomega.Not(gomega.BeEmpty())), "%s, version %s", each.name, version.Name)
		}
	}
}
