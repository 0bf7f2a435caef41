package scenario_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func TestAnAdminOfANamespaceWritesInNoOther(t *testing.T) {
	run(t, nil, func(s story) {
		_, err := s.admin.RbacV1().RoleBindings("default").Create(s.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "admin"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "ada"}},
		}, metav1.CreateOptions{})
		s.must(err)
		_, err = s.admin.RbacV1().ClusterRoles().Create(s.Context(), &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "widgets", Labels: map[string]string{"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"example.com"}, Resources: []string{"widgets"}, Verbs: []string{"get"}}},
		}, metav1.CreateOptions{})
		s.must(err)
		s.must(s.Settle())
		client, err := kubernetes.NewForConfig(s.ClientConfig("ada"))
		s.must(err)
		configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		_, err = client.CoreV1().ConfigMaps("default").Create(s.Context(), configMap, metav1.CreateOptions{})
		s.must(err)
		if _, err := client.CoreV1().ConfigMaps("kube-system").Create(s.Context(), configMap, metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
			s.Errorf("in another namespace: %v", err)
		}
		if _, err := client.RbacV1().ClusterRoles().Get(s.Context(), "admin", metav1.GetOptions{}); !apierrors.IsForbidden(err) {
			s.Errorf("outside of namespaces: %v", err)
		}
		role, err := s.admin.RbacV1().ClusterRoles().Get(s.Context(), "admin", metav1.GetOptions{})
		s.must(err)
		if len(role.Rules) == 0 || !hasRuleFor(role.Rules, "widgets") {
			s.Errorf("the rules of view do not include the aggregated role: %+v", role.Rules)
		}
	})
}

func hasRuleFor(rules []rbacv1.PolicyRule, resource string) bool {
	for _, rule := range rules {
		if rule.Resources[0] == resource {
			return true
		}
	}
	return false
}
