package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/component-base/logs"

	"github.com/openshift/platform-operators/pkg/cli"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

const root = "../.."

var (
	inBackQuotes = regexp.MustCompile("`(--[a-z][^`]*)`")
	started      = regexp.MustCompile(`platform-operators start(?:[^\n]*\\\n)*[^\n]*`)
	argument     = regexp.MustCompile(`(?m)^ +- (--[a-z-]+)`)
	flagName     = regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
)

// TestHRD_C8_FlagsOnPagesAndInTheDeploymentAreOnesThatTheManagerHas checks the flags of the manager and of the plugin that pages mention in back quotes or in a command that
// starts the manager. test/docs checks everything else.
func TestHRD_C8_FlagsOnPagesAndInTheDeploymentAreOnesThatTheManagerHas(t *testing.T) {
	command := newCommand()
	logs.AddFlags(command.PersistentFlags()) // as cli.Run and cobra do
	if _, _, err := command.Find(nil); err != nil {
		t.Fatal(err)
	}
	command.InitDefaultVersionFlag()
	found, ofPlugin := 0, pluginFlags()
	ofOthers := map[string]string{"remove-signatures": "oc-mirror", "new-bundle-format": "cosign"}
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
				if !hasFlag(command, name) && !ofPlugin[name] && ofOthers[name] == "" {
					t.Errorf("%s: neither the manager nor the plugin has flag --%s", path, name)
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("found %d flags; pages and the Deployment must look otherwise now", found)
	}
	if ofPlugin["nothing"] || hasFlag(command, "nothing") || !hasFlag(command, "version") {
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

// pluginFlags returns the names of the flags of all verbs of the plugin.
func pluginFlags() map[string]bool {
	names := map[string]bool{}
	var add func(command *cobra.Command)
	add = func(command *cobra.Command) {
		for _, flags := range []*pflag.FlagSet{command.Flags(), command.PersistentFlags()} {
			flags.VisitAll(func(flag *pflag.Flag) { names[flag.Name] = true })
		}
		for _, verb := range command.Commands() {
			add(verb)
		}
	}
	add(cli.NewCommand(invocation.New("kubectl platform", genericiooptions.NewTestIOStreamsDiscard())))
	return names
}

// hasFlag reports whether --help of the program or of one of its commands lists a flag.
func hasFlag(command *cobra.Command, name string) bool {
	usage := command.UsageString()
	for _, each := range command.Commands() {
		usage += each.UsageString()
	}
	return strings.Contains(usage, "--"+name+" ")
}
