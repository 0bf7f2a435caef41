package remedy

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// hostile is a name that a shell would run without quotes.
const hostile = `a b'; : "$HOME"; echo $(id) #`

// words returns the arguments that a shell passes to the command of a remedy.
func words(t *testing.T, command string) []string {
	t.Helper()
	script := `oc() { for word in "$@"; do printf '%s\000' "$word"; done; }` + "\n" + command
	output, err := exec.CommandContext(t.Context(), "sh", "-c", script).Output()
	if err != nil {
		t.Fatalf("a shell cannot run %s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(output), "\000"), "\000")
}

// TestCLI_7_AHostileNameIsOneWord runs each command of a remedy in a shell, with a function in the place of oc.
func TestCLI_7_AHostileNameIsOneWord(t *testing.T) {
	named := operator()
	named.Name = hostile
	commands := map[string]string{
		"patch": tools.PatchOperator(hostile, map[string]any{"paused": false}), "show": tools.Show("bundledeployment", hostile),
		"explain": tools.Explain(hostile),
	}
	for reason := range updateRemedies {
		update := platformv1alpha1.AvailableUpdate{Version: "1.2.0", Channels: []string{"fast"}, BlockedReason: reason}
		if command := ForUpdate(tools, named, update).Command; !strings.HasSuffix(command, " search") && !strings.HasSuffix(command, " list") &&
			reason != platformv1alpha1.BlockedNotAllowed && reason != platformv1alpha1.BlockedClusterUpdating {
			commands[string(reason)] = command
		}
	}
	for name, command := range commands {
		if got := words(t, command); !slices.Contains(got, hostile) {
			t.Errorf("%s: the words of %s are %q, without the name", name, command, got)
		}
	}
}
