package cli

import (
	"path/filepath"
	"testing"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// TestCLI_17_SimulateFailsWhereLintFails compares the exit codes of both commands for each catalog in testdata.
func TestCLI_17_SimulateFailsWhereLintFails(t *testing.T) {
	directories, err := filepath.Glob(filepath.Join("testdata", "catalogs", "*"))
	if err != nil || len(directories) < 5 {
		t.Fatalf("found %d catalogs: %v", len(directories), err)
	}
	invalid := 0
	for _, directory := range directories {
		linted, simulated := run(t, 0, "catalog", "lint", directory), run(t, 0, "catalog", "simulate", directory)
		if linted.code != simulated.code {
			t.Errorf("%s: lint ends with %d, and simulate with %d", directory, linted.code, simulated.code)
		}
		if linted.code == exit.Invalid && linted.out != "" {
			invalid++
			if simulated.out == "" || simulated.errOut == "" {
				t.Errorf("%s: simulate prints no table, or not why it fails: %s", directory, simulated.errOut)
			}
		}
	}
	if invalid < 2 {
		t.Errorf("found only %d catalogs with an error", invalid)
	}
}
