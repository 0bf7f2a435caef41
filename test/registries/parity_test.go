package registries

import (
	"os"
	"slices"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/parity"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

func TestOM_9_KubernetesOwnRegistriesInMemoryAnswerAsARealServer(t *testing.T) {
	differences, err := parity.Differences()
	if err != nil {
		t.Fatal(err)
	}
	differences = slices.DeleteFunc(differences, func(each parity.Difference) bool { return !each.WithKubernetesRegistries })
	parity.CompareInMemory(t, scenario.Options{Registries: Kubernetes{}}, differences)
}
