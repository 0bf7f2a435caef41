package manifestserver_test

import (
	"os"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
)

func TestMain(m *testing.M) {
	apiserver.PrepareProcess()
	os.Exit(m.Run())
}
