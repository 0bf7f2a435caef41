package harness_test

import (
	"os"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}
