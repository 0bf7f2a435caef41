package scenarios

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// deployer is the ServiceAccount that applies the objects of scoped BundleDeployments.
const deployer = "deployer"

// createAccount creates a ServiceAccount without permissions.
func (s *Story) createAccount(ctx context.Context, namespace, name string) {
	s.Helper()
	_, err := s.Admin.Kubernetes.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// createDeployer creates a ServiceAccount that has the ClusterRole admin in its namespace.
func (s *Story) createDeployer(ctx context.Context, namespace string) {
	s.Helper()
	s.createAccount(ctx, namespace, deployer)
	_, err := s.Admin.Kubernetes.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: deployer},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: deployer}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// deployScoped creates a BundleDeployment of a plain+v0 bundle that the ServiceAccount deployer applies. Its namespace has its name.
func (s *Story) deployScoped(ctx context.Context, name, ref string) {
	s.Helper()
	manifest := bundleDeploymentManifest(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: %s, serviceAccountName: %s, source: {type: image, image: {ref: %q}}}", name, plainClass, deployer, ref))
	_, err := s.Admin.Dynamic.Resource(bundleDeployments).Create(ctx, s.parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// writersIn returns the users who have written objects of a resource in a namespace, sorted, without the cluster's controllers.
func (s *Story) writersIn(namespace, resource string) []string {
	var users []string
	for _, each := range s.Requests() {
		isWrite := slices.Contains([]string{"create", "apply", "update", "patch", "delete"}, each.Verb) && each.Code < 300
		if user := cmp.Or(each.Impersonated, each.User); isWrite && !each.DryRun && each.Namespace == namespace && each.Resource.Resource == resource && !slices.Contains(users, user) && !slices.Contains(clusterUsers(), user) {
			users = append(users, user)
		}
	}
	slices.Sort(users)
	return users
}

// applyMissingPermissions applies, as an admin, the roles that status.plan prints.
func (s *Story) applyMissingPermissions(ctx context.Context, name string) {
	s.Helper()
	plan := s.statusOf(ctx, name).Plan
	last := plan.ConfigMaps[len(plan.ConfigMaps)-1]
	live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, last, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(live.Data["permissions.yaml"]), 4096)
	for {
		var object unstructured.Unstructured
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return
		} else {
			s.Expect(err).NotTo(HaveOccurred())
		}
		resource := schema.GroupVersionResource{Group: rbacv1.GroupName, Version: "v1", Resource: strings.ToLower(object.GetKind()) + "s"}
		_, err := s.Admin.Dynamic.Resource(resource).Namespace(object.GetNamespace()).Create(ctx, &object, metav1.CreateOptions{FieldManager: "admin"})
		s.Expect(err).NotTo(HaveOccurred())
	}
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	// Promise ENG-A10: A bundle whose objects all fit a namespace is installed as a ServiceAccount of that namespace, without a cluster admin. Of
	// another bundle, what the ServiceAccount may not do is listed, and nothing is applied.
	runStory(t, "ENG-A10 everything is written as the ServiceAccount: installation, repair, upgrade, pruning and removal", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lodger"
		s.createNamespace(ctx, name)
		s.createDeployer(ctx, name)
		ref := s.publishPlain(ctx, name, configMapText(name+"-old", "us"))
		s.deployScoped(ctx, name, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
		revision := s.statusOf(ctx, name).Revisions[0]
		account, err := s.Admin.Kubernetes.CoreV1().ServiceAccounts(name).Get(ctx, deployer, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(revision.ServiceAccountName + " " + revision.ServiceAccountUID).To(Equal(deployer + " " + string(account.UID)))

		s.By("deleting an object, which is repaired")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-old", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.from).WithContext(ctx).WithArguments(name, name+"-old").Should(Equal("us platform-operators/" + name))

		s.By("upgrading, with an object that is pruned, and removing")
		s.setImage(ctx, name, s.publishPlain(ctx, name, configMapText(name+"-new", "us")))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		_, err = s.from(ctx, name, name+"-old")
		s.Expect(err).To(beNotFound())
		s.undeploy(ctx, name)
		_, err = s.from(ctx, name, name+"-new")
		s.Expect(err).To(beNotFound())
		s.Expect(s.writersIn(name, "configmaps")).To(ConsistOf("system:admin", "system:serviceaccount:lodger:deployer"))
	})

	// Promise ENG-P7: Before the first write, everything that a ServiceAccount may not do is listed, with what the bundle's roles grant. A
	// ServiceAccount that was deleted and created again is not used. Permissions that are revoked later are named.
	runStory(t, "ENG-A10 ENG-P7 what the ServiceAccount lacks is listed completely before the first write, as roles that can be applied", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "pauper"
		s.createNamespace(ctx, name)
		s.createAccount(ctx, name, deployer)
		s.deployScoped(ctx, name, s.publishPlain(ctx, name,
			gaugeDefinition(name, "size: {type: integer}"),
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: pauper-reader}, rules: [{apiGroups: [\"\"], resources: [nodes], verbs: [get, list]}, {nonResourceURLs: [/metrics], verbs: [get]}]}",
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: pauper-reader}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: pauper-reader}, subjects: [{kind: ServiceAccount, name: default, namespace: pauper}]}",
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: pauper-view}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: default, namespace: pauper}]}",
		))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "False InstallFailed", "ServiceAccount pauper/deployer has no permission for configmaps in namespace \"pauper\" (create, delete, get, patch, update), and lacks ")
		missing := s.statusOf(ctx, name).Plan.PermissionsMissing
		verbs := objectVerbs
		s.Expect(missing).To(ConsistOf(
			corev1alpha2.MissingPermission{Verbs: verbs, Resource: "configmaps", Namespace: name, ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: verbs, Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions", ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: verbs, Group: rbacv1.GroupName, Resource: "clusterroles", ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: verbs, Group: rbacv1.GroupName, Resource: "clusterrolebindings", ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: verbs, Group: rbacv1.GroupName, Resource: "rolebindings", Namespace: name, ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: []string{"bind"}, Group: rbacv1.GroupName, Resource: "clusterroles", ResourceNames: []string{"view"}, Namespace: name, ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: []string{"get", "list"}, Resource: "nodes", ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}, ServiceAccountName: deployer},
		))
		s.Expect(s.writersIn(name, "configmaps")).To(BeEmpty())

		s.By("applying what the plan prints")
		s.applyMissingPermissions(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.writersIn(name, "configmaps")).To(ConsistOf("system:serviceaccount:pauper:deployer"))

		s.By("revoking the permissions, and deleting an object")
		bindings := s.Admin.Kubernetes.RbacV1().RoleBindings(name)
		all, err := bindings.List(ctx, metav1.ListOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		for _, each := range all.Items {
			if strings.HasPrefix(each.Name, "bundledeployment:") {
				s.Expect(bindings.Delete(ctx, each.Name, metav1.DeleteOptions{})).To(Succeed())
			}
		}
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True ReconcileFailed", "ServiceAccount pauper/deployer has no permission for configmaps in namespace \"pauper\"")

		s.By("deleting the BundleDeployment, which waits for the permissions, and removing it with those of the manager")
		s.Expect(s.Admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked", "system:serviceaccount:pauper:deployer", "grant system:serviceaccount:pauper:deployer what is missing")
		s.patchDeployment(ctx, name, `{"spec":{"serviceAccountName":null}}`)
		s.undeploy(ctx, name)
	})

	runStory(t, "ENG-P7 a ServiceAccount grants all permissions only if it has them", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "modest"
		s.createNamespace(ctx, name)
		s.createDeployer(ctx, name)
		s.deployScoped(ctx, name, s.publishPlain(ctx, name, everythingTexts(name)...))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "False InstallFailed", "ServiceAccount modest/deployer has no permission for ", "grant it the permissions", "permissions.yaml")
		status := s.statusOf(ctx, name)
		s.Expect(status.Plan.UnlimitedGrants).To(ConsistOf(ContainSubstring("ClusterRole modest-everything")))
		s.Expect(status.Plan.PermissionsMissing).To(ContainElements(
			corev1alpha2.MissingPermission{Verbs: []string{"*"}, Group: "*", Resource: "*", ServiceAccountName: deployer},
			corev1alpha2.MissingPermission{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}, ServiceAccountName: deployer},
		))
		last := status.Plan.ConfigMaps[len(status.Plan.ConfigMaps)-1]
		live, err := s.Admin.Kubernetes.CoreV1().ConfigMaps(environment.Namespace).Get(ctx, last, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Data[corev1alpha2.PlanPermissions]).To(And(ContainSubstring("- nonResourceURLs:\n  - '*'\n"), ContainSubstring("  resources:\n  - '*'\n")))
		s.Expect(s.writersIn(name, "configmaps")).To(BeEmpty())

		s.By("binding cluster-admin")
		_, err = s.Admin.Kubernetes.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: name, Name: deployer}},
		}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.statusOf(ctx, name).Plan.PermissionsMissing).To(BeEmpty())
	})

	runStory(t, "ENG-P7 status shows nothing that the ServiceAccount may not read", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "discreet"
		s.createNamespace(ctx, name)
		s.createAccount(ctx, name, deployer)
		grant := func(verbs ...string) {
			_, err := s.Admin.Kubernetes.RbacV1().Roles(name).Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "granted"},
				Rules: []rbacv1.PolicyRule{{APIGroups: []string{"", "apps"}, Resources: []string{"configmaps", "deployments"}, Verbs: verbs}}}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		grant("create", "delete", "get", "patch", "update")
		_, err := s.Admin.Kubernetes.RbacV1().RoleBindings(name).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "granted"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "granted"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: name, Name: deployer}},
		}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.deployScoped(ctx, name, s.publishPlain(ctx, name, unreadyDeployment(name)))
		s.Eventually(s.unreadyOf).WithContext(ctx).WithArguments(name).Should(ContainSubstring("Deployment discreet/stuck: "))
		s.Expect(s.unreadyOf(ctx, name)).NotTo(ContainSubstring("Pod"), "the ServiceAccount may not list Pods")

		s.By("revoking the permission to read")
		s.Expect(s.Admin.Kubernetes.RbacV1().Roles(name).Delete(ctx, "granted", metav1.DeleteOptions{})).To(Succeed())
		grant("create", "delete", "patch", "update")
		s.Eventually(s.unreadyOf).WithContext(ctx).WithArguments(name).WithTimeout(10 * time.Minute).Should(ContainSubstring("Deployment discreet/stuck: system:serviceaccount:discreet:deployer may not read it"))
		s.patchDeployment(ctx, name, `{"spec":{"serviceAccountName":null}}`)
		s.undeploy(ctx, name)
	})

	runStory(t, "a PlatformOperator is installed and upgraded as a ServiceAccount, and another one starts a step", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "guest"
		s.createNamespace(ctx, name)
		for _, account := range []string{deployer, "successor"} {
			s.createAccount(ctx, name, account)
			_, err := s.Admin.Kubernetes.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: name + "-" + account},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
				Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: name, Name: account}},
			}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		s.offerVersions(ctx, name, "", "1.0.0")
		s.createWithSpec(ctx, name, `"install": {"namespace": "guest", "serviceAccountName": "deployer"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		s.offerVersions(ctx, name, "", "1.0.0", "1.1.0")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
		s.Expect(s.writersIn(name, "deployments")).To(ConsistOf("system:serviceaccount:guest:deployer"))

		s.By("changing the ServiceAccount")
		s.patchOperatorSpec(ctx, name, `"install": {"serviceAccountName": "successor"}`)
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(name).Should(ContainElement(ContainSubstring("InstallChange")))
		s.Eventually(func(ctx context.Context) string {
			revisions := s.statusOf(ctx, name).Revisions
			newest := revisions[len(revisions)-1]
			return string(newest.State) + " " + newest.ServiceAccountName
		}).WithContext(ctx).Should(Equal("Active successor"))
		s.Expect(s.Admin.Kubernetes.AppsV1().Deployments(name).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func() []string { return s.writersIn(name, "deployments") }).Should(ContainElement("system:serviceaccount:guest:successor"))
	})

	runStory(t, "ENG-P7 a ServiceAccount that is missing, or was created again under its name, is not used", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "revenant"
		s.createNamespace(ctx, name)
		s.deployScoped(ctx, name, s.publishPlain(ctx, name))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "False InstallFailed", "ServiceAccount revenant/deployer: it does not exist")
		s.createDeployer(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("deleting the ServiceAccount, and creating another one of its name")
		accounts := s.Admin.Kubernetes.CoreV1().ServiceAccounts(name)
		former, err := accounts.Get(ctx, deployer, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(accounts.Delete(ctx, deployer, metav1.DeleteOptions{})).To(Succeed())
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True ReconcileFailed", "ServiceAccount revenant/deployer: it does not exist", "set spec.serviceAccountName to a ServiceAccount of another name")
		s.createAccount(ctx, name, deployer)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True ReconcileFailed", "it was deleted and created again", string(former.UID), "set spec.serviceAccountName to a ServiceAccount of another name")

		s.By("naming another ServiceAccount")
		s.createAccount(ctx, name, "successor")
		binding, err := s.Admin.Kubernetes.RbacV1().RoleBindings(name).Get(ctx, deployer, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		binding.Subjects[0].Name = "successor"
		_, err = s.Admin.Kubernetes.RbacV1().RoleBindings(name).Update(ctx, binding, metav1.UpdateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.patchDeployment(ctx, name, `{"spec":{"serviceAccountName":"successor"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "Revision 2")
		s.Eventually(s.from).WithContext(ctx).WithArguments(name, name).Should(Equal("us platform-operators/" + name))
	})
}

// unreadyDeployment returns the manifest of a Deployment that never becomes ready.
func unreadyDeployment(namespace string) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: stuck, namespace: %s}, spec: {selector: {matchLabels: {app: stuck}},
template: {metadata: {labels: {app: stuck, %s: "true"}}, spec: {containers: [{name: a, image: a}]}}}}`, namespace, samples.NeverReadyLabel)
}
