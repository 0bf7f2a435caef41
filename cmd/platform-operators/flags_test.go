package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/component-base/logs"
)

const root = "../.."

var (
	inBackQuotes = regexp.MustCompile("`(--[a-z][^`]*)`")
	started      = regexp.MustCompile(`platform-operators start(?:[^\n]*\\\n)*[^\n]*`)
	argument     = regexp.MustCompile(`(?m)^ +- (--[a-z-]+)`)
	flagName     = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
)

// TestHRD_C8_FlagsOnPagesAndInTheDeploymentAreOnesThatTheManagerHas checks the flags that pages mention in back quotes or in a command that
// starts the manager. test/docs checks everything else.
func TestHRD_C8_FlagsOnPagesAndInTheDeploymentAreOnesThatTheManagerHas(t *testing.T) {
	command := newCommand()
	logs.AddFlags(command.PersistentFlags()) // as cli.Run and cobra do
	if _, _, err := command.Find(nil); err != nil {
		t.Fatal(err)
	}
	command.InitDefaultVersionFlag()
	found := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "manifests/*deployment.yaml"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range flagsIn(string(content)) {
				found++
				if !hasFlag(command, name) {
					t.Errorf("%s: the manager has no flag --%s", path, name)
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("found %d flags; pages and the Deployment must look otherwise now", found)
	}
	if hasFlag(command, "nothing") || !hasFlag(command, "version") {
		t.Error("flags are not looked up")
	}
	planted := "`--nothing`\n$ platform-operators start --kubeconfig FILE \\\n    --something\n    args:\n    - --anything=x\n"
	if got := strings.Join(flagsIn(planted), " "); got != "nothing kubeconfig something anything" {
		t.Errorf("found %q in %s", got, planted)
	}
}

// flagsIn returns the names of the manager's flags that a text mentions, in any order and with duplicates.
func flagsIn(text string) []string {
	var mentions, names []string
	for _, match := range inBackQuotes.FindAllStringSubmatch(text, -1) {
		mentions = append(mentions, match[1])
	}
	mentions = append(mentions, started.FindAllString(text, -1)...)
	for _, match := range argument.FindAllStringSubmatch(text, -1) {
		mentions = append(mentions, match[1])
	}
	for _, mention := range mentions {
		for _, match := range flagName.FindAllStringSubmatch(mention, -1) {
			names = append(names, match[1])
		}
	}
	return names
}

// hasFlag reports whether --help of the program or of its start command lists a flag.
func hasFlag(command *cobra.Command, name string) bool {
	start, _, err := command.Find([]string{"start"})
	if err != nil {
		return false
	}
	return strings.Contains(command.UsageString()+start.UsageString(), "--"+name+" ")
}
