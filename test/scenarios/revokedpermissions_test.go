package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// objectVerbs are the verbs that a ServiceAccount needs on each resource whose objects it applies.
var objectVerbs = []string{"create", "delete", "get", "patch", "update"}

// grantDeployer grants permissions to the ServiceAccount deployer of a namespace, in that namespace or in the whole cluster, with a role and a
// binding of the given name. It returns a function that revokes them.
func (s *Story) grantDeployer(ctx context.Context, namespace, name string, isInCluster bool, rules ...rbacv1.PolicyRule) (revoke func()) {
	s.Helper()
	client, meta := s.Admin.Kubernetes.RbacV1(), metav1.ObjectMeta{Name: name}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: deployer}}
	reference := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
	_, err := client.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	if isInCluster {
		_, err = client.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: reference, Subjects: subjects}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		return func() { s.Expect(client.ClusterRoleBindings().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed()) }
	}
	_, err = client.RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: reference, Subjects: subjects}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return func() {
		s.Expect(client.RoleBindings(namespace).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
	}
}

// ruleOf returns a rule with the verbs that a ServiceAccount needs on a resource whose objects it applies.
func ruleOf(group, resource string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: objectVerbs}
}

// readerText returns a Role that permits to read the Secrets of its namespace.
func readerText(name, namespace string) string {
	return fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: %s, namespace: %s}, rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]}`, name, namespace)
}

func TestRevokedPermissions(t *testing.T) {
	t.Parallel()
	runStory(t, "ENG-P7 permissions that are revoked during a rollout or before its approval are listed, and it completes after the grant", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "rationed"
		s.createNamespace(ctx, name)
		s.createAccount(ctx, name, deployer)
		s.grantDeployer(ctx, name, "rationed-crds", true, ruleOf("apiextensions.k8s.io", "customresourcedefinitions"))
		s.grantDeployer(ctx, name, "rationed-roles", false, ruleOf(rbacv1.GroupName, "roles"))
		grantMore := func(suffix string) (revoke func()) {
			return s.grantDeployer(ctx, name, "rationed-more"+suffix, false, ruleOf("", "configmaps"),
				rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}})
		}
		roleExists := func(role string) error {
			_, err := s.Admin.Kubernetes.RbacV1().Roles(name).Get(ctx, role, metav1.GetOptions{})
			return err
		}
		// isListed checks that what is missing is listed, and that nothing of the later phases is written.
		isListed := func(installed string, revision int) {
			s.Helper()
			s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, installed, `ServiceAccount rationed/deployer has no permission for `, "in namespace \"rationed\"", "permissions.yaml")
			s.Expect(s.statusOf(ctx, name).Plan.PermissionsMissing).To(ConsistOf(
				corev1alpha2.MissingPermission{Verbs: objectVerbs, Resource: "configmaps", Namespace: name, ServiceAccountName: deployer},
				corev1alpha2.MissingPermission{Verbs: []string{"get"}, Resource: "secrets", Namespace: name, ServiceAccountName: deployer},
			))
			s.Expect(roleExists(fmt.Sprintf("reader-%d", revision))).To(beNotFound())
			s.Expect(s.configMapExists(ctx, name, fmt.Sprintf("config-%d", revision))).To(beNotFound())
		}

		s.By("revoking permissions while the first installation waits for a CustomResourceDefinition")
		revoke := grantMore("-1")
		leave := s.createConflictingCRD(ctx, "safety.example.com", "Gaugefirsts")
		first := []string{gaugeDefinition("firsts", "size: {type: integer}"), readerText("reader-1", name), configMapText("config-1", "us")}
		s.deployScoped(ctx, name, s.publishPlain(ctx, name, first...))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "its names are not accepted")
		revoke()
		leave(ctx)
		isListed("False InstallFailed", 1)
		s.applyMissingPermissions(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 1")
		s.Expect(roleExists("reader-1")).To(Succeed())

		s.By("revoking permissions while an upgrade waits for another CustomResourceDefinition")
		bindings, err := s.Admin.Kubernetes.RbacV1().RoleBindings(name).List(ctx, metav1.ListOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		leave = s.createConflictingCRD(ctx, "safety.example.com", "Gaugeseconds")
		s.setImage(ctx, name, s.publishPlain(ctx, name, append(first, gaugeDefinition("seconds", "size: {type: integer}"), readerText("reader-2", name), configMapText("config-2", "us"))...))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "its names are not accepted")
		for _, each := range bindings.Items {
			if each.Name != "rationed-roles" {
				s.Expect(s.Admin.Kubernetes.RbacV1().RoleBindings(name).Delete(ctx, each.Name, metav1.DeleteOptions{})).To(Succeed())
			}
		}
		leave(ctx)
		isListed("True UpgradeFailed", 2)
		s.Expect(s.statusOf(ctx, name).ActiveRevision).To(BeEquivalentTo(1))
		s.Expect(s.configMapExists(ctx, name, "config-1")).To(Succeed())
		grantMore("-2")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True InstallationSucceeded")
		s.Expect(s.statusOf(ctx, name).Plan.PermissionsMissing).To(BeEmpty())

		s.By("removing it with the permissions that were listed, and no others")
		s.undeploy(ctx, name)
		s.Expect(roleExists("reader-2")).To(beNotFound())

		s.By("revoking a permission between plan and approval")
		s.revokeBeforeApproval(ctx)
	})
}

// revokeBeforeApproval revokes a permission between plan and approval: it is listed before the first write.
func (s *Story) revokeBeforeApproval(ctx context.Context) {
	s.Helper()
	const name = "shortened"
	s.createNamespace(ctx, name)
	s.createDeployer(ctx, name)
	revoke := s.grantDeployer(ctx, name, name, true, ruleOf(admissionregistrationv1.GroupName, "validatingwebhookconfigurations"))
	ada := s.createApprover(ctx)
	ref := s.publishPlain(ctx, name, "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: shortened}, webhooks: []}")
	s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
		spec.ProvisionerClassName, spec.ServiceAccountName, spec.Source = plainClass, deployer, fromImage(ref)
		spec.Approval = &corev1alpha2.Approval{Mode: corev1alpha2.ApprovalRequired}
	})
	plan := s.waitForPlan(ctx, name, 1)
	s.Expect(plan.PermissionsMissing).To(BeEmpty())
	revoke()
	s.approve(ctx, ada, name, plan.Digest)
	s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "False InstallFailed", `ServiceAccount shortened/deployer has no permission for validatingwebhookconfigurations.admissionregistration.k8s.io (create, delete, get, patch, update)`)
	status := s.statusOf(ctx, name)
	s.Expect(status.Revisions[0].StartedTime).To(BeNil())
	s.Expect(status.Plan.Digest).To(Equal(plan.Digest))
	s.Expect(status.Plan.PermissionsMissing).To(ConsistOf(
		corev1alpha2.MissingPermission{Verbs: objectVerbs, Group: admissionregistrationv1.GroupName, Resource: "validatingwebhookconfigurations", ServiceAccountName: deployer}))
	s.Expect(s.writersIn(name, "configmaps")).To(BeEmpty())
	s.applyMissingPermissions(ctx, name)
	s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True Approved", "was approved by ada")
}
