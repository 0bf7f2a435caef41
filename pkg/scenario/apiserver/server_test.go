package apiserver

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// cluster is an API server under test, with an admin's client. inCluster also creates namespace "a" in it; start does not.
type cluster struct {
	*testing.T
	*Server
	admin kubernetes.Interface
}

func inCluster(t *testing.T, test func(c cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := etcd.New()
		defer store.Close()
		c := start(t, store)
		defer c.Stop()
		_, err := c.admin.CoreV1().Namespaces().Create(c.Context(), &corev1.Namespace{ObjectMeta: named("a")}, metav1.CreateOptions{})
		c.must(err)
		test(c)
	})
}

func start(t *testing.T, store *etcd.Store) cluster {
	t.Helper()
	server, err := Start(t.Context(), Options{Store: store, Version: "v1.36.3"})
	if err != nil {
		t.Fatal(err)
	}
	c := cluster{T: t, Server: server}
	c.admin = c.client(server.ClientConfig(AdminUser))
	return c
}

func (c cluster) client(config *rest.Config) kubernetes.Interface {
	c.Helper()
	client, err := kubernetes.NewForConfig(config)
	c.must(err)
	return client
}

func (c cluster) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

func TestObjectsAreStoredAndWatched(t *testing.T) {
	inCluster(t, func(c cluster) {
		ctx, cancel := context.WithTimeout(c.Context(), time.Hour)
		defer cancel()
		namespace, err := c.admin.CoreV1().Namespaces().Get(ctx, "a", metav1.GetOptions{})
		c.must(err)
		if namespace.Status.Phase != corev1.NamespaceActive || namespace.Labels[corev1.LabelMetadataName] != "a" {
			c.Errorf("created %+v", namespace)
		}
		watch, err := c.admin.CoreV1().ConfigMaps("a").Watch(ctx, metav1.ListOptions{})
		c.must(err)
		defer watch.Stop()
		created, err := c.admin.CoreV1().ConfigMaps("a").Create(ctx, &corev1.ConfigMap{ObjectMeta: named("b")}, metav1.CreateOptions{})
		c.must(err)
		event := <-watch.ResultChan()
		if watched := event.Object.(*corev1.ConfigMap); watched.ResourceVersion != created.ResourceVersion {
			c.Errorf("watched %s of %+v, created %+v", event.Type, watched, created)
		}
		created.ResourceVersion = namespace.ResourceVersion
		if _, err := c.admin.CoreV1().ConfigMaps("a").Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			c.Errorf("updating with an old resourceVersion: %v", err)
		}
		if _, err := c.admin.CoreV1().ConfigMaps("none").Create(ctx, &corev1.ConfigMap{ObjectMeta: named("b")}, metav1.CreateOptions{}); !apierrors.IsNotFound(err) {
			c.Errorf("creating in a Namespace that does not exist: %v", err)
		}
	})
}

func TestAServerContinuesWithTheObjectsInItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := etcd.New()
		defer store.Close()
		first := start(t, store)
		created, err := first.admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: named("a")}, metav1.CreateOptions{})
		first.must(err)
		first.Stop()
		if _, err := first.admin.CoreV1().Namespaces().Get(t.Context(), "a", metav1.GetOptions{}); err == nil {
			t.Error("a stopped server answered a request")
		}
		second := start(t, store)
		defer second.Stop()
		found, err := second.admin.CoreV1().Namespaces().Get(t.Context(), "a", metav1.GetOptions{})
		second.must(err)
		if found.UID != created.UID || found.ResourceVersion != created.ResourceVersion {
			t.Errorf("found %+v, created %+v", found, created)
		}
	})
}

func TestAllGroupsAreListedWhicheverServerHasThem(t *testing.T) {
	inCluster(t, func(c cluster) {
		content, err := c.admin.Discovery().RESTClient().Get().AbsPath("/apis").SetHeader("Accept", "application/json").Do(c.Context()).Raw()
		c.must(err)
		var list metav1.APIGroupList
		c.must(json.Unmarshal(content, &list))
		if list.Kind != "APIGroupList" {
			c.Errorf("kind %q", list.Kind)
		}
		for _, want := range []string{"apiextensions.k8s.io", "apps"} {
			if !slices.ContainsFunc(list.Groups, func(group metav1.APIGroup) bool {
				return group.Name == want && group.PreferredVersion.GroupVersion == want+"/v1"
			}) {
				c.Errorf("group %s is not listed: %+v", want, list.Groups)
			}
		}
	})
}
