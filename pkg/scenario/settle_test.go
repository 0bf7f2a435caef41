package scenario

import (
	"strings"
	"testing"
	"testing/synctest"

	etcdclient "go.etcd.io/etcd/client/v3/kubernetes"

	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

func TestAClusterWhoseControllersHaveEndedDoesNotSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, err := Start(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		const key = "/registry/no-object"
		if _, err := etcd.NewClient(t.Context(), cluster.store).Kubernetes.OptimisticPut(t.Context(), key, []byte("nothing"), 0, etcdclient.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := cluster.Settle(); err == nil || !strings.Contains(err.Error(), "controllers have ended") || !strings.Contains(err.Error(), key) {
			t.Errorf("got %v, want an error that says why the controllers have ended", err)
		}
	})
}
