package scenarios

import (
	"context"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/test/rbac"
	"github.com/openshift/platform-operators/test/samples"
)

const (
	priorityClass = `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: powerless-first}, value: 1000, description: declared}`
	budget        = `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: powerless}, spec: {minAvailable: 0, selector: {matchLabels: {app: powerless}}}}`
)

// removePermissions removes resources from the shipped ClusterRole for bundles, and waits until the aggregated ClusterRole lacks them.
func (s *Story) removePermissions(ctx context.Context, resources ...string) {
	s.Helper()
	roles := s.Admin.Kubernetes.RbacV1().ClusterRoles()
	live, err := roles.Get(ctx, rbac.BundlesRole+"-registryv1", metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	var rules []rbacv1.PolicyRule
	for _, rule := range live.Rules {
		rule.Resources = slices.DeleteFunc(rule.Resources, func(resource string) bool { return slices.Contains(resources, resource) })
		if len(rule.Resources) > 0 {
			rules = append(rules, rule)
		}
	}
	live.Rules = rules
	_, err = roles.Update(ctx, live, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Eventually(s.bundlesRules).WithContext(ctx).ShouldNot(ContainElement(haveResource(resources...)))
}

// bundlesRules returns the rules of the aggregated ClusterRole for bundles.
func (s *Story) bundlesRules(ctx context.Context) ([]rbacv1.PolicyRule, error) {
	aggregated, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, rbac.BundlesRole, metav1.GetOptions{})
	return aggregated.Rules, err
}

func haveResource(resources ...string) types.GomegaMatcher {
	return HaveField("Resources", ContainElement(BeElementOf(resources)))
}

// missingPermissions returns the missing permissions in a BundleDeployment's status, or nil if the status has no plan yet.
func (s *Story) missingPermissions(ctx context.Context, name string) ([]corev1alpha2.MissingPermission, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil || live.Status.Plan == nil {
		return nil, err
	}
	return live.Status.Plan.PermissionsMissing, nil
}

// grantPermissions creates a labeled ClusterRole with the permissions that removePermissions removes, and returns a function that deletes
// it.
func (s *Story) grantPermissions(ctx context.Context) (revoke func()) {
	s.Helper()
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "powerless-bundles", Labels: map[string]string{corev1alpha2.LabelAggregateToBundles: "true"}},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"scheduling.k8s.io"}, Resources: []string{"priorityclasses"}, Verbs: verbs},
			{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: verbs},
		},
	}
	_, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return func() {
		s.Helper()
		s.Expect(s.Admin.Kubernetes.RbacV1().ClusterRoles().Delete(ctx, role.Name, metav1.DeleteOptions{})).To(Succeed())
	}
}

// assertNotApplied asserts that for 30 seconds the manager applies no object of a blocked BundleDeployment, and sends few access reviews.
// It asserts that the API server denies no request.
func (s *Story) assertNotApplied(ctx context.Context, name string) {
	s.Helper()
	from := len(s.Requests())
	client := s.Admin.Platform.CoreV1alpha2().BundleDeployments()
	before, err := client.Get(ctx, name, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Consistently(func(ctx context.Context) (string, error) {
		live, err := client.Get(ctx, name, metav1.GetOptions{})
		return live.ResourceVersion, err
	}, "30s").WithContext(ctx).Should(Equal(before.ResourceVersion))
	reviews := 0
	for _, request := range s.Requests()[from:] {
		if request.User != managerUser {
			continue
		}
		s.Expect(request.Path).NotTo(ContainSubstring("priorityclasses"))
		s.Expect(request.Path).NotTo(ContainSubstring("poddisruptionbudgets"))
		s.Expect(request.Reason).NotTo(Equal(apiserver.ReasonForbidden), "%s", request)
		if request.Resource.Resource == "selfsubjectaccessreviews" {
			reviews++
		}
	}
	// Each check reviews the denied permissions: cluster-wide, and for a namespaced resource also in the namespace. Granted ones are cached
	// for five minutes.
	const denied = 7 + 2 + 2*5
	s.Expect(reviews).To(BeNumerically("<=", 3*denied), "a check every 15 s")
	_, err = s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	s.Expect(err).To(beNotFound())
}

func TestManagerPermissions(t *testing.T) {
	t.Parallel()
	runStory(t, "missing permissions are named before anything is applied, and an admin grants them by a label", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "powerless"
		s.removePermissions(ctx, "priorityclasses", "poddisruptionbudgets")
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, priorityClass, budget))

		s.By("waiting for the missing permissions")
		s.Eventually(s.missingPermissions).WithContext(ctx).WithArguments(name).Should(Equal([]corev1alpha2.MissingPermission{
			{Group: "policy", Resource: "poddisruptionbudgets", Verbs: []string{"list", "watch"}},
			{Group: "policy", Resource: "poddisruptionbudgets", Verbs: []string{"create", "delete", "get", "patch", "update"}, Namespace: name},
			{Group: "scheduling.k8s.io", Resource: "priorityclasses", Verbs: []string{"create", "delete", "get", "list", "patch", "update", "watch"}},
		}))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(And(
			HavePrefix("False InstallFailed: "), ContainSubstring("poddisruptionbudgets.policy"), ContainSubstring("2 more"),
			ContainSubstring(`grant the permissions with a ClusterRole that has the label platform.openshift.io/aggregate-to-bundles: "true"`)))

		s.By("checking that nothing is applied or denied, and that access reviews are few")
		s.assertNotApplied(ctx, name)

		s.By("removing a BundleDeployment of which nothing was applied, which needs no permissions")
		const idle = "impotent"
		s.deploy(ctx, idle, s.publishBundle(ctx, samples.Operator{Package: idle, Version: "1.0.0"}, strings.ReplaceAll(budget, name, idle)))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(idle, corev1alpha2.ConditionInstalled).Should(HavePrefix("False InstallFailed: "))
		for _, kind := range []string{corev1alpha2.ConditionHealthy, corev1alpha2.ConditionDrifted} {
			s.Expect(s.conditionOf(ctx, idle, kind)).To(HavePrefix("Unknown InstallPending: "))
		}
		s.undeploy(ctx, idle)

		s.By("adding a ClusterRole with the label")
		revoke := s.grantPermissions(ctx)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.missingPermissions(ctx, name)).To(BeEmpty())

		s.By("revoking the permissions, which status names after a denied repair")
		revoke()
		s.Eventually(s.bundlesRules).WithContext(ctx).ShouldNot(ContainElement(haveResource("priorityclasses", "poddisruptionbudgets")))
		described := func(ctx context.Context) (string, error) {
			live, err := s.Admin.Kubernetes.SchedulingV1().PriorityClasses().Get(ctx, "powerless-first", metav1.GetOptions{})
			return live.Description, err
		}
		_, err := s.Admin.Kubernetes.SchedulingV1().PriorityClasses().Patch(ctx, "powerless-first", apitypes.MergePatchType, []byte(`{"description":"mine"}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.missingPermissions).WithContext(ctx).WithArguments(name).Should(HaveLen(3))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(
			HavePrefix("True ReconcileFailed: "), ContainSubstring("the manager has no permission for")))
		s.Expect(described(ctx)).To(Equal("mine"))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionProgressing)).To(And(HavePrefix("False Blocked: "), ContainSubstring("cannot be repaired")))
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("Unknown ReconcileFailed: "))
		revoke = s.grantPermissions(ctx)
		s.Eventually(described).WithContext(ctx).Should(Equal("declared"))
		s.Eventually(s.missingPermissions).WithContext(ctx).WithArguments(name).Should(BeEmpty())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionDrifted, "False AsExpected")

		s.By("revoking the permissions and ending the watches: changes of the objects are no longer seen")
		revoke()
		s.Eventually(s.bundlesRules).WithContext(ctx).ShouldNot(ContainElement(haveResource("priorityclasses", "poddisruptionbudgets")))
		s.CutWatches(func(r scenario.Request) bool {
			return r.User == managerUser && r.Resource.Resource == "priorityclasses"
		})
		s.Eventually(s.conditionOf, "5m").WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix(
			"Unknown ReconcileFailed: Some objects cannot be read; "))
		revoke = s.grantPermissions(ctx)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionDrifted, "False AsExpected")

		s.By("restarting the manager without the permissions: it does not know whether the objects have drifted")
		s.KillManager()
		revoke()
		s.Eventually(s.bundlesRules).WithContext(ctx).ShouldNot(ContainElement(haveResource("priorityclasses", "poddisruptionbudgets")))
		s.StartManager()
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(HavePrefix(
			"Unknown ReconcileFailed: Some objects cannot be read; "))
		s.KillManager()
		s.grantPermissions(ctx)
		s.StartManager()
		s.waitForCondition(ctx, name, corev1alpha2.ConditionDrifted, "False AsExpected")
		s.undeploy(ctx, name)
	})
}
