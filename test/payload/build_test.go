package payload

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTheManagerIsBuiltWithThePolicyEngine checks that make builds with the tag without which no image satisfies a policy for signatures.
func TestTheManagerIsBuiltWithThePolicyEngine(t *testing.T) {
	command := exec.CommandContext(t.Context(), "make", "--silent", "--no-print-directory", "--eval=flags: ; @printenv GOFLAGS", "flags")
	command.Dir = "../.."
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(output)), "-tags=containers_image_openpgp") {
		t.Errorf("GOFLAGS is %s", output)
	}
}
