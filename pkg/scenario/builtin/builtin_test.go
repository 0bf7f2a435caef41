package builtin_test

import (
	"os"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

func TestMain(m *testing.M) {
	apiserver.PrepareProcess()
	os.Exit(m.Run())
}

// cluster is a test with the admin's client of an API server. The API server has namespace "a" and no controllers.
type cluster struct {
	*testing.T
	kubernetes.Interface
}

func inCluster(t *testing.T, test func(c cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := etcd.New()
		defer store.Close()
		server, err := apiserver.Start(t.Context(), apiserver.Options{Store: store, Version: "v1.36.3"})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Stop()
		client, err := kubernetes.NewForConfig(server.ClientConfig(apiserver.AdminUser))
		if err != nil {
			t.Fatal(err)
		}
		c := cluster{t, client}
		_, err = c.CoreV1().Namespaces().Create(c.Context(), &corev1.Namespace{ObjectMeta: named("a")}, metav1.CreateOptions{})
		c.must(err)
		test(c)
	})
}

func (c cluster) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
