package payload

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// tag is the build tag without which no image satisfies an image policy.
const tag = "-tags=containers_image_openpgp"

func runMake(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "make", append([]string{"--silent", "--no-print-directory"}, arguments...)...)
	command.Dir = "../.."
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

// TestTheManagerIsBuiltWithThePolicyEngine checks that make builds the manager with the tag on the command line, which the go command of OpenShift's
// builders keeps, and everything else with the tag in GOFLAGS.
func TestTheManagerIsBuiltWithThePolicyEngine(t *testing.T) {
	line := runMake(t, "--dry-run", "build")
	if words := strings.Fields(line); !slices.Contains(words, tag) || !slices.Contains(words, "./cmd/platform-operators") {
		t.Errorf("the manager is built with %s", line)
	}
	if flags := runMake(t, "--eval=flags: ; @printenv GOFLAGS", "flags"); !slices.Contains(strings.Fields(flags), tag) {
		t.Errorf("GOFLAGS is %s", flags)
	}
}
