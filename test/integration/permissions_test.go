package integration

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/rbac"
	"github.com/openshift/platform-operators/test/samples"
)

const (
	priorityClass = `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: powerless-first}, value: 1000, description: declared}`
	budget        = `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: powerless}, spec: {minAvailable: 0, selector: {matchLabels: {app: powerless}}}}`
)

// withoutRights takes resources out of the ClusterRole that the payload ships for bundles, until the spec ends.
func withoutRights(ctx context.Context, resources ...string) {
	GinkgoHelper()
	roles := admin.Kubernetes.RbacV1().ClusterRoles()
	shipped, err := roles.Get(ctx, rbac.BundlesRole+"-registryv1", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	put := func(ctx context.Context, rules []rbacv1.PolicyRule) {
		GinkgoHelper()
		live, err := roles.Get(ctx, shipped.Name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		live.Rules = rules
		_, err = roles.Update(ctx, live, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
	}
	DeferCleanup(put, shipped.Rules)
	var rules []rbacv1.PolicyRule
	for _, rule := range shipped.Rules {
		kept := rule.DeepCopy()
		kept.Resources = nil
		for _, resource := range rule.Resources {
			if !slices.Contains(resources, resource) {
				kept.Resources = append(kept.Resources, resource)
			}
		}
		if len(kept.Resources) > 0 {
			rules = append(rules, *kept)
		}
	}
	put(ctx, rules)
	Eventually(bundlesRules).WithContext(ctx).ShouldNot(ContainElement(about(resources...)))
}

// bundlesRules are what all ClusterRoles with the label add up to.
func bundlesRules(ctx context.Context) ([]rbacv1.PolicyRule, error) {
	aggregated, err := admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, rbac.BundlesRole, metav1.GetOptions{})
	return aggregated.Rules, err
}

func about(resources ...string) types.GomegaMatcher {
	return HaveField("Resources", ContainElement(BeElementOf(resources)))
}

// managersRequests lists what the manager asked of the API server from an offset of its audit log on, as "verb path".
func managersRequests(from int64) (requests []string) {
	GinkgoHelper()
	log, err := os.Open(env.AuditLog)
	Expect(err).NotTo(HaveOccurred())
	defer log.Close()
	_, err = log.Seek(from, 0)
	Expect(err).NotTo(HaveOccurred())
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return requests
		}
		var event struct {
			Verb, RequestURI string
			User             struct{ Username string }
		}
		Expect(json.Unmarshal(line, &event)).To(Succeed())
		if event.User.Username == rbac.User {
			requests = append(requests, event.Verb+" "+event.RequestURI)
		}
	}
}

var _ = Describe("the manager's rights", func() {
	It("name what they lack for a bundle, before anything of it is applied, and take what an admin grants by label", func(ctx context.Context) {
		const name = "powerless"
		withoutRights(ctx, "priorityclasses", "poddisruptionbudgets")
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}, priorityClass, budget))

		By("saying so")
		missing := func(ctx context.Context) ([]corev1alpha2.MissingPermission, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
			if err != nil || live.Status.Plan == nil {
				return nil, err
			}
			return live.Status.Plan.PermissionsMissing, nil
		}
		Eventually(missing).WithContext(ctx).Should(Equal([]corev1alpha2.MissingPermission{
			{Group: "policy", Resource: "poddisruptionbudgets", Verbs: []string{"list", "watch"}},
			{Group: "policy", Resource: "poddisruptionbudgets", Verbs: []string{"create", "delete", "get", "patch", "update"}, Namespace: name},
			{Group: "scheduling.k8s.io", Resource: "priorityclasses", Verbs: []string{"create", "delete", "get", "list", "patch", "update", "watch"}},
		}))
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionInstalled)).To(And(
			HavePrefix("False InstallFailed: "), ContainSubstring("poddisruptionbudgets.policy"), ContainSubstring("2 more"),
			ContainSubstring(`grant it by a ClusterRole with the label platform.openshift.io/aggregate-to-bundles: "true"`)))

		By("applying nothing, being denied nothing, and not asking all the time")
		from := logEnd()
		client := admin.Platform.CoreV1alpha2().BundleDeployments()
		before, err := client.Get(ctx, name, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Consistently(func(ctx context.Context) (string, error) {
			live, err := client.Get(ctx, name, metav1.GetOptions{})
			return live.ResourceVersion, err
		}).WithContext(ctx).Should(Equal(before.ResourceVersion))
		reviews := 0
		for _, request := range managersRequests(from) {
			Expect(request).NotTo(ContainSubstring("priorityclasses"))
			Expect(request).NotTo(ContainSubstring("poddisruptionbudgets"))
			if strings.Contains(request, "selfsubjectaccessreviews") {
				reviews++
			}
		}
		// What is denied is asked for in each look, where it is namespaced everywhere and in the namespace. What is granted is remembered
		// for five minutes, which may end in between for what an earlier deployment asked for: a first look takes so many.
		const denied, granted = 7 + 2 + 2*5, 68
		Expect(reviews).To(BeNumerically("<=", 2*denied+granted), "two looks within %s", quiet)
		_, err = admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		Expect(err).To(beNotFound())

		By("looking at nothing, and needing no rights to let go of what was never applied")
		const idle = "impotent"
		deployed(ctx, idle, published(ctx, samples.Operator{Package: idle, Version: "1.0.0"}, strings.ReplaceAll(budget, name, idle)))
		Eventually(conditionOf).WithContext(ctx).WithArguments(idle, corev1alpha2.ConditionInstalled).Should(HavePrefix("False InstallFailed: "))
		for _, kind := range []string{corev1alpha2.ConditionHealthy, corev1alpha2.ConditionDrifted} {
			Expect(conditionOf(ctx, idle, kind)).To(HavePrefix("Unknown InstallPending: "))
		}
		undeploy(ctx, idle)

		By("going on by itself when an admin adds a ClusterRole with the label")
		role := &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "powerless-bundles", Labels: map[string]string{corev1alpha2.LabelAggregateToBundles: "true"}},
			Rules: []rbacv1.PolicyRule{
				{APIGroups: []string{"scheduling.k8s.io"}, Resources: []string{"priorityclasses"}, Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}},
				{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}},
			},
		}
		grant := func(ctx context.Context) {
			GinkgoHelper()
			_, err := admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, role.DeepCopy(), metav1.CreateOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		take := func(ctx context.Context) {
			GinkgoHelper()
			Expect(admin.Kubernetes.RbacV1().ClusterRoles().Delete(ctx, role.Name, metav1.DeleteOptions{})).To(Succeed())
		}
		grant(ctx)
		DeferCleanup(func(ctx context.Context) {
			undeploy(ctx, name) // which takes these rights
			take(ctx)
		})
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		Expect(missing(ctx)).To(BeEmpty())

		By("naming them also when they are taken away later, once something is denied for the lack of them")
		take(ctx)
		Eventually(bundlesRules).WithContext(ctx).ShouldNot(ContainElement(about("priorityclasses", "poddisruptionbudgets")))
		described := func(ctx context.Context) (string, error) {
			live, err := admin.Kubernetes.SchedulingV1().PriorityClasses().Get(ctx, "powerless-first", metav1.GetOptions{})
			return live.Description, err
		}
		_, err = admin.Kubernetes.SchedulingV1().PriorityClasses().Patch(ctx, "powerless-first", apitypes.MergePatchType, []byte(`{"description":"mine"}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(missing).WithContext(ctx).Should(HaveLen(3))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(
			HavePrefix("True ReconcileFailed: "), ContainSubstring("the manager may not")))
		Expect(described(ctx)).To(Equal("mine"))
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionProgressing)).To(And(HavePrefix("False Blocked: "), ContainSubstring("is not kept as it was declared")))
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(HavePrefix("Unknown ReconcileFailed: "))
		grant(ctx)
		Eventually(described).WithContext(ctx).Should(Equal("declared"))
		Eventually(missing).WithContext(ctx).Should(BeEmpty())
	})

	It("are asked for by whoever wants to read the metrics", func(ctx context.Context) {
		const name = "metrics-reader"
		accounts := admin.Kubernetes.CoreV1().ServiceAccounts("default")
		_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) { Expect(accounts.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed()) })
		token, err := accounts.CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		read := func(ctx context.Context) (int, error) {
			client, err := rest.HTTPClientFor(&rest.Config{BearerToken: token.Status.Token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
			if err != nil {
				return 0, err
			}
			defer client.CloseIdleConnections()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+env.Manager.Address+"/metrics", nil)
			if err != nil {
				return 0, err
			}
			answer, err := client.Do(request)
			if err != nil {
				return 0, err
			}
			return answer.StatusCode, answer.Body.Close()
		}
		Eventually(read).WithContext(ctx).Should(Equal(http.StatusForbidden))

		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}}
		_, err = admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.RbacV1().ClusterRoles().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		})
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: name}}}
		_, err = admin.Kubernetes.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.RbacV1().ClusterRoleBindings().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		})
		Eventually(read).WithContext(ctx).Should(Equal(http.StatusOK))
	})
})
