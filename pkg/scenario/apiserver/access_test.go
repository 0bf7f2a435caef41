package apiserver

import (
	"slices"
	"testing"
	"testing/synctest"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

const serviceAccount = "system:serviceaccount:a:b"

// allowConfigMaps allows the ServiceAccount to get and list ConfigMaps in namespace "a", and waits until the permission is in effect.
func (c cluster) allowConfigMaps() {
	c.Helper()
	_, err := c.admin.RbacV1().Roles("a").Create(c.Context(), &rbacv1.Role{ObjectMeta: named("reader"), Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"configmaps"}},
	}}, metav1.CreateOptions{})
	c.must(err)
	_, err = c.admin.RbacV1().RoleBindings("a").Create(c.Context(), &rbacv1.RoleBinding{
		ObjectMeta: named("reader"), RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "reader"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "a", Name: "b"}},
	}, metav1.CreateOptions{})
	c.must(err)
	synctest.Wait() // until the authorizer has seen the binding
}

func TestAUserMayDoWhatRolesAllow(t *testing.T) {
	inCluster(t, func(c cluster) {
		user := c.client(c.ClientConfig(serviceAccount))
		read := func(namespace string) error {
			_, err := user.CoreV1().ConfigMaps(namespace).List(c.Context(), metav1.ListOptions{})
			return err
		}
		if err := read("a"); !apierrors.IsForbidden(err) {
			c.Errorf("without a role: %v", err)
		}
		c.allowConfigMaps()
		c.must(read("a"))
		if err := read("default"); !apierrors.IsForbidden(err) {
			c.Errorf("in another namespace: %v", err)
		}
		if _, err := user.CoreV1().ConfigMaps("a").Create(c.Context(), &corev1.ConfigMap{ObjectMeta: named("m")}, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
			c.Errorf("with a verb that the role does not have: %v", err)
		}
		impersonating := c.ClientConfig(AdminUser)
		impersonating.Impersonate = rest.ImpersonationConfig{UserName: serviceAccount}
		if _, err := c.client(impersonating).CoreV1().ConfigMaps("default").List(c.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			c.Errorf("an administrator who impersonates the user: %v", err)
		}
		if _, err := c.client(c.ClientConfig("")).CoreV1().ConfigMaps("a").List(c.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
			c.Errorf("without a user: %v", err)
		}
	})
}

func TestReviewsAnswerAsRequestsAreAuthorized(t *testing.T) {
	inCluster(t, func(c cluster) {
		c.allowConfigMaps()
		attributes := func(verb string) *authorizationv1.ResourceAttributes {
			return &authorizationv1.ResourceAttributes{Namespace: "a", Verb: verb, Resource: "configmaps"}
		}
		for verb, want := range map[string]bool{"get": true, "delete": false} {
			spec := authorizationv1.SubjectAccessReviewSpec{User: serviceAccount, ResourceAttributes: attributes(verb)}
			review, err := c.admin.AuthorizationV1().SubjectAccessReviews().Create(c.Context(), &authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
			c.must(err)
			local, err := c.admin.AuthorizationV1().LocalSubjectAccessReviews("a").Create(c.Context(),
				&authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: "a"}, Spec: spec}, metav1.CreateOptions{})
			c.must(err)
			if review.Status.Allowed != want || local.Status.Allowed != want {
				c.Errorf("may the user %s ConfigMaps: %+v, %+v; want %t", verb, review.Status, local.Status, want)
			}
		}
		c.allowReviews()
		user := c.client(c.ClientConfig(serviceAccount))
		self, err := user.AuthorizationV1().SelfSubjectAccessReviews().Create(c.Context(),
			&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes("list")}}, metav1.CreateOptions{})
		if err != nil || !self.Status.Allowed {
			c.Errorf("may I list ConfigMaps: %+v, %v", self, err)
		}
		rules, err := user.AuthorizationV1().SelfSubjectRulesReviews().Create(c.Context(),
			&authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "a"}}, metav1.CreateOptions{})
		c.must(err)
		if !slices.ContainsFunc(rules.Status.ResourceRules, func(rule authorizationv1.ResourceRule) bool {
			return slices.Equal(rule.Resources, []string{"configmaps"}) && slices.Equal(rule.Verbs, []string{"get", "list"})
		}) {
			c.Errorf("SelfSubjectRulesReview returned %+v", rules.Status)
		}
		identity, err := user.AuthenticationV1().SelfSubjectReviews().Create(c.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil || identity.Status.UserInfo.Username != serviceAccount || !slices.Contains(identity.Status.UserInfo.Groups, "system:serviceaccounts:a") {
			c.Errorf("who am I: %+v, %v", identity, err)
		}
	})
}

// allowReviews allows all authenticated users to create self-subject reviews, as kube-apiserver's default ClusterRoles do, and waits until
// the permission is in effect.
func (c cluster) allowReviews() {
	c.Helper()
	_, err := c.admin.RbacV1().ClusterRoles().Create(c.Context(), &rbacv1.ClusterRole{ObjectMeta: named("reviews"), Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"create"}, APIGroups: []string{"authorization.k8s.io", "authentication.k8s.io"}, Resources: []string{"*"}},
	}}, metav1.CreateOptions{})
	c.must(err)
	_, err = c.admin.RbacV1().ClusterRoleBindings().Create(c.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: named("reviews"), RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "reviews"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.GroupKind, Name: "system:authenticated"}},
	}, metav1.CreateOptions{})
	c.must(err)
	synctest.Wait() // until the authorizer has seen the binding
}
