package parity

import (
	"os"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

// Promise OM-9: The API server in memory answers at least 150 requests as a real kube-apiserver does, but for listed differences. So does
// a second one on Kubernetes' own storage for REST.
func TestOM_9_AServerInMemoryAnswersAsARealOne(t *testing.T) {
	differences, err := Differences()
	if err != nil {
		t.Fatal(err)
	}
	CompareInMemory(t, scenario.Options{}, differences)
}
