package controllers

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// cluster is a test with the admin's client of an API server. The API server has namespace "a", and the controllers run.
type cluster struct {
	*testing.T
	admin kubernetes.Interface
}

func inCluster(t *testing.T, test func(c cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := etcd.New()
		defer store.Close()
		server, err := apiserver.Start(t.Context(), apiserver.Options{Store: store, Version: "v1.36.3", PrivilegedUsers: Users()})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Stop()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, store, server.ClientConfig) }()
		defer func() {
			stop()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the controllers ended with %v", err)
			}
		}()
		admin, err := kubernetes.NewForConfig(server.ClientConfig(apiserver.AdminUser))
		if err != nil {
			t.Fatal(err)
		}
		c := cluster{t, admin}
		must(c, func() error {
			_, err := admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			return err
		}())
		c.settle()
		test(c)
	})
}

// settle waits a second, and then until the controllers have handled all changes.
func (c cluster) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func must(c cluster, err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// create creates a ConfigMap in namespace "a". The ConfigMap blocks the foreground deletion of its owners.
func (c cluster) create(name string, finalizers []string, owners ...*corev1.ConfigMap) *corev1.ConfigMap {
	c.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: finalizers}}
	for _, owner := range owners {
		object.OwnerReferences = append(object.OwnerReferences, metav1.OwnerReference{
			APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: ptr.To(true),
		})
	}
	created, err := c.admin.CoreV1().ConfigMaps("a").Create(c.Context(), object, metav1.CreateOptions{})
	must(c, err)
	return created
}

// removeFinalizers removes the finalizers of a ConfigMap in namespace "a".
func (c cluster) removeFinalizers(name string) {
	c.Helper()
	object, err := c.admin.CoreV1().ConfigMaps("a").Get(c.Context(), name, metav1.GetOptions{})
	must(c, err)
	object.Finalizers = nil
	_, err = c.admin.CoreV1().ConfigMaps("a").Update(c.Context(), object, metav1.UpdateOptions{})
	must(c, err)
}

// names returns the names of the ConfigMaps in namespace "a", without kube-root-ca.crt.
func (c cluster) names() (names []string) {
	c.Helper()
	list, err := c.admin.CoreV1().ConfigMaps("a").List(c.Context(), metav1.ListOptions{})
	must(c, err)
	for _, object := range list.Items {
		if object.Name != rootCAConfigMap {
			names = append(names, object.Name)
		}
	}
	return names
}

func TestAnObjectWithoutOwnersIsDeleted(t *testing.T) {
	for policy, want := range map[metav1.DeletionPropagation][]string{
		metav1.DeletePropagationBackground: {"shared", "stays"},
		metav1.DeletePropagationForeground: {"shared", "stays"},
		metav1.DeletePropagationOrphan:     {"child", "grandchild", "shared", "stays"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			inCluster(t, func(c cluster) {
				owner, stays := c.create("owner", nil), c.create("stays", nil)
				child := c.create("child", nil, owner)
				c.create("grandchild", nil, child)
				c.create("shared", nil, owner, stays)
				c.settle()
				must(c, c.admin.CoreV1().ConfigMaps("a").Delete(c.Context(), "owner", metav1.DeleteOptions{PropagationPolicy: &policy}))
				c.settle()
				if got := c.names(); !slices.Equal(got, want) {
					t.Errorf("left: %q, want %q", got, want)
				}
				shared, err := c.admin.CoreV1().ConfigMaps("a").Get(c.Context(), "shared", metav1.GetOptions{})
				must(c, err)
				if len(shared.OwnerReferences) != 1 || shared.OwnerReferences[0].Name != "stays" {
					t.Errorf("owner references of the shared object: %+v", shared.OwnerReferences)
				}
			})
		})
	}
}

func TestForegroundDeletionWaitsForDependents(t *testing.T) {
	inCluster(t, func(c cluster) {
		owner := c.create("owner", nil)
		c.create("held", []string{"example.com/hold"}, owner)
		must(c, c.admin.CoreV1().ConfigMaps("a").Delete(c.Context(), "owner", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}))
		c.settle()
		if got := c.names(); !slices.Equal(got, []string{"held", "owner"}) {
			t.Errorf("while a dependent has a finalizer, there are %q", got)
		}
		c.removeFinalizers("held")
		c.settle()
		if got := c.names(); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	})
}

func TestANamespaceIsDeletedAfterItsContent(t *testing.T) {
	inCluster(t, func(c cluster) {
		c.create("plain", nil)
		c.create("held", []string{"example.com/hold"})
		must(c, c.admin.CoreV1().Namespaces().Delete(c.Context(), "a", metav1.DeleteOptions{}))
		c.settle()
		namespace, err := c.admin.CoreV1().Namespaces().Get(c.Context(), "a", metav1.GetOptions{})
		must(c, err)
		reasons := map[corev1.NamespaceConditionType]string{}
		for _, condition := range namespace.Status.Conditions {
			reasons[condition.Type] = condition.Message
		}
		if want := "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"; reasons[corev1.NamespaceFinalizersRemaining] != want {
			t.Errorf("its condition is %q, want %q", reasons[corev1.NamespaceFinalizersRemaining], want)
		}
		if got := c.names(); !slices.Equal(got, []string{"held"}) {
			t.Errorf("left: %q", got)
		}
		_, err = c.admin.CoreV1().ConfigMaps("a").Create(c.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "late"}}, metav1.CreateOptions{})
		if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			t.Errorf("creating in a Namespace that is being deleted: %v", err)
		}
		c.removeFinalizers("held")
		c.settle()
		if _, err := c.admin.CoreV1().Namespaces().Get(c.Context(), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("getting the Namespace: %v", err)
		}
	})
}

func TestANamespaceHasItsDefaultObjects(t *testing.T) {
	inCluster(t, func(c cluster) {
		must(c, c.admin.CoreV1().ServiceAccounts("a").Delete(c.Context(), defaultServiceAccount, metav1.DeleteOptions{}))
		c.settle()
		_, err := c.admin.CoreV1().ServiceAccounts("a").Get(c.Context(), defaultServiceAccount, metav1.GetOptions{})
		must(c, err)
		_, err = c.admin.CoreV1().ConfigMaps("a").Get(c.Context(), rootCAConfigMap, metav1.GetOptions{})
		must(c, err)
	})
}

func TestAClusterRoleAggregatesTheRulesOfOthers(t *testing.T) {
	inCluster(t, func(c cluster) {
		roles := c.admin.RbacV1().ClusterRoles()
		rule := func(resource string) []rbacv1.PolicyRule {
			return []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{resource}}}
		}
		_, err := roles.Create(c.Context(), &rbacv1.ClusterRole{
			ObjectMeta:      metav1.ObjectMeta{Name: "all"},
			AggregationRule: &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{"to": "all"}}}},
		}, metav1.CreateOptions{})
		must(c, err)
		for name, to := range map[string]string{"pods": "all", "secrets": "all", "nodes": "none"} {
			_, err := roles.Create(c.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"to": to}}, Rules: rule(name)}, metav1.CreateOptions{})
			must(c, err)
		}
		resources := func() (got []string) {
			c.settle()
			role, err := roles.Get(c.Context(), "all", metav1.GetOptions{})
			must(c, err)
			for _, rule := range role.Rules {
				got = append(got, rule.Resources...)
			}
			return got
		}
		if got := resources(); !slices.Equal(got, []string{"pods", "secrets"}) {
			t.Errorf("it has the rules of %q", got)
		}
		must(c, roles.Delete(c.Context(), "pods", metav1.DeleteOptions{}))
		if got := resources(); !slices.Equal(got, []string{"secrets"}) {
			t.Errorf("after a deletion it has the rules of %q", got)
		}
	})
}
