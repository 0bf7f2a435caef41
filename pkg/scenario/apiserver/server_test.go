package apiserver

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// inCluster runs a test in a bubble, beside an API server on an empty store.
func inCluster(t *testing.T, test func(t *testing.T, server *Server, admin kubernetes.Interface)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server, err := Start(t.Context(), Options{Store: etcd.New(), Version: "v1.36.3"})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Stop()
		admin, err := kubernetes.NewForConfig(server.ClientConfig("system:admin"))
		if err != nil {
			t.Fatal(err)
		}
		test(t, server, admin)
	})
}

func TestObjectsAreStoredAndWatched(t *testing.T) {
	inCluster(t, func(t *testing.T, _ *Server, admin kubernetes.Interface) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		space, err := admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if space.Status.Phase != corev1.NamespaceActive || space.Labels[corev1.LabelMetadataName] != "a" {
			t.Errorf("created %+v", space)
		}
		watch, err := admin.CoreV1().ConfigMaps("a").Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Stop()
		created, err := admin.CoreV1().ConfigMaps("a").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		event := <-watch.ResultChan()
		if seen := event.Object.(*corev1.ConfigMap); seen.ResourceVersion != created.ResourceVersion {
			t.Errorf("watched %s of %+v, created %+v", event.Type, seen, created)
		}
		created.ResourceVersion = space.ResourceVersion
		if _, err := admin.CoreV1().ConfigMaps("a").Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("updating what has changed: %v", err)
		}
	})
}

func TestAUserMayDoWhatRolesAllow(t *testing.T) {
	inCluster(t, func(t *testing.T, server *Server, admin kubernetes.Interface) {
		user, err := kubernetes.NewForConfig(server.ClientConfig("system:serviceaccount:a:b"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := user.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("listing without any right: %v", err)
		}
	})
}
