package scenarios

import (
	"os"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

func TestMain(m *testing.M) {
	scenario.PrepareProcess()
	os.Exit(m.Run())
}

func TestAnOperatorIsInstalledUpgradedAndRemoved(t *testing.T) {
	first, second := samples.Operator{Package: "memo", Version: "1.0.0"}, samples.Operator{Package: "memo", Version: "1.1.0"}
	Run(t, []samples.Operator{first}, func(s *Story) {
		s.must(s.Create(s.Context(), "memo", ""))
		s.Settle()
		s.must(s.Installed(s.Context(), "memo", "1.0.0"))
		s.must(s.Publish(s.Context(), first, second))
		s.Settle()
		s.must(s.Installed(s.Context(), "memo", "1.1.0"))
		time.Sleep(24 * time.Hour)
	})
}
