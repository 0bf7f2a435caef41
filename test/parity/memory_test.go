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

func TestOM_9_AServerInMemoryAnswersAsARealOne(t *testing.T) {
	differences, err := Differences()
	if err != nil {
		t.Fatal(err)
	}
	CompareInMemory(t, scenario.Options{}, differences)
}
