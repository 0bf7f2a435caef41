package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostileName is a name that a shell would run without quotes.
const hostileName = `a b'; : "$HOME"; echo $(id) #`

// argumentsOf returns the arguments that a shell passes to kubectl by a command.
func argumentsOf(t *testing.T, command string) []string {
	t.Helper()
	script := `kubectl() { for word in "$@"; do printf '%s\000' "$word"; done; }` + "\n" + command
	output, err := exec.CommandContext(t.Context(), "sh", "-c", script).Output()
	if err != nil {
		t.Fatalf("a shell cannot run %s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(output), "\000"), "\000")
}

// commandsIn returns the commands of the remedies in a report as JSON.
func commandsIn(value any) (commands []string) {
	switch typed := value.(type) {
	case map[string]any:
		for name, each := range typed {
			if text, isText := each.(string); isText && name == "command" {
				commands = append(commands, text)
				continue
			}
			commands = append(commands, commandsIn(each)...)
		}
	case []any:
		for _, each := range typed {
			commands = append(commands, commandsIn(each)...)
		}
	}
	return commands
}

// TestCLI_12_HostileNamesAreQuotedInCommands runs the commands of the remedies for objects with a hostile name in a shell.
func TestCLI_12_HostileNamesAreQuotedInCommands(t *testing.T) {
	server := newAPIServer(t, "mixed.yaml")
	addObjects(t, server, "stuck.yaml")
	addObjects(t, server, "updates.yaml")
	for _, kind := range []string{"PlatformOperator", "BundleDeployment"} {
		for _, object := range server.objects[paths[kind]] {
			object["metadata"].(map[string]any)["name"] = hostileName
		}
	}
	arguments, number := server.start(t), 0
	for _, verb := range [][]string{{"explain", "upgrade"}, {"explain", hostileName}, {"updates", hostileName}} {
		got := run(t, 0, append(append(slices.Clone(arguments), verb...), "-o", "json")...)
		var report any
		if err := json.Unmarshal([]byte(got.out), &report); err != nil {
			t.Fatalf("%v: %v: %s", verb, err, got.errOut)
		}
		for _, command := range commandsIn(report) {
			words := argumentsOf(t, command)
			if isAboutOne := len(words) > 2 && words[0] != "get" && !strings.Contains(words[1], "manager"); isAboutOne && !slices.Contains(words, hostileName) {
				t.Errorf("%v: the words of %s are %q, without the name", verb, command, words)
			}
			number++
		}
	}
	if number < 5 {
		t.Errorf("found only %d commands", number)
	}
}

// TestCLI_12_AHostileDirectoryIsQuotedInAWarning checks the command in the warning about a package with many problems.
func TestCLI_12_AHostileDirectoryIsQuotedInAWarning(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "a b; c")
	if err := os.Mkdir(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	content := `{"schema": "olm.package", "name": "evil", "defaultChannel": "stable"}` + "\n"
	var entries []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		content += `{"schema": "olm.bundle", "package": "evil", "name": "` + name + `", "image": "registry.example.com/evil:1"}` + "\n"
		entries = append(entries, `{"name": "`+name+`"}`)
	}
	content += `{"schema": "olm.channel", "package": "evil", "name": "stable", "entries": [` + strings.Join(entries, ",") + "]}\n"
	if err := os.WriteFile(filepath.Join(directory, "catalog.json"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(t, 0, "catalog", "simulate", directory); !strings.Contains(got.errOut, "catalog lint '"+directory+"' --package evil") {
		t.Errorf("got exit code %d and %s", got.code, got.errOut)
	}
}
