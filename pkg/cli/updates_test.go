package cli

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Promise CLI-7: The plugin's command updates lists each newer version of an operator with its path, what blocks it and the command that
// permits it. The command graph shows the upgrade graph of a package of any size: the installed version, edges by kind, steps and blocked
// edges, as text, Mermaid, DOT or JSON.
//
// TestCLI_7_GoldenOutputOfUpdates compares what the command prints with a file.
func TestCLI_7_GoldenOutputOfUpdates(t *testing.T) {
	for name, test := range map[string]struct {
		cluster string
		width   int
		args    []string
	}{
		"updates":               {"mixed.yaml", 0, []string{"compass"}},
		"updates-wide":          {"mixed.yaml", 0, []string{"compass", "-o", "wide"}},
		"updates-json":          {"mixed.yaml", 0, []string{"compass", "-o", "json"}},
		"updates-yaml":          {"mixed.yaml", 0, []string{"compass", "-o", "yaml"}},
		"updates-name":          {"mixed.yaml", 0, []string{"compass", "-o", "name"}},
		"updates-no-headers":    {"mixed.yaml", 0, []string{"compass", "--no-headers"}},
		"updates-40-columns":    {"mixed.yaml", 40, []string{"compass"}},
		"updates-80-columns":    {"updates.yaml", 80, []string{"rigger"}},
		"updates-all-blocked":   {"updates.yaml", 0, []string{"rigger", "-o", "wide"}},
		"updates-none":          {"updates.yaml", 0, []string{"newest"}},
		"updates-not-installed": {"updates.yaml", 0, []string{"absent"}},
		"updates-no-catalog":    {"updates.yaml", 0, []string{"orphan"}},
		"updates-older-manager": {"older.yaml", 0, []string{"installed-by-older-manager", "-o", "json"}},
	} {
		t.Run(name, func(t *testing.T) {
			arguments := newAPIServer(t, test.cluster).start(t)
			compareGolden(t, name, run(t, test.width, append(append(arguments, "updates"), test.args...)...))
		})
	}
}

// TestCLI_7_UpdatesReadsOneObject checks that the command reads no catalog and no list.
func TestCLI_7_UpdatesReadsOneObject(t *testing.T) {
	server := newAPIServer(t, "mixed.yaml")
	if got := run(t, 0, append(server.start(t), "updates", "compass")...); got.code != exit.OK {
		t.Errorf("got exit code %d: %s", got.code, got.errOut)
	}
	if len(server.requests) != 1 {
		t.Errorf("got requests %q, want one", server.requests)
	}
}

func TestCLI_7_UpdatesOfBadInput(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		change func(*apiServer)
		code   exit.Code
		errOut string
	}{
		"NoOperator":      {nil, nil, exit.Usage, "see: kubectl platform updates --help"},
		"TwoOperators":    {[]string{"a", "b"}, nil, exit.Usage, "see: kubectl platform updates --help"},
		"UnknownOperator": {[]string{"nothing"}, nil, exit.Failure, "list them with: kubectl platform list"},
		"UnknownFormat":   {[]string{"compass", "-o", "dot"}, nil, exit.Usage, "use one of table, wide, json, yaml, name"},
		"NoRight": {[]string{"compass"}, func(s *apiServer) { s.forbidden = []string{paths["PlatformOperator"]} }, exit.Failure,
			"kubectl auth can-i get platformoperators.platform.openshift.io"},
		"NoAPI": {[]string{"compass"}, func(s *apiServer) { s.objects = nil }, exit.Failure, "see docs/install.md"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t, "mixed.yaml")
			if test.change != nil {
				test.change(server)
			}
			got := run(t, 0, append(append(server.start(t), "updates"), test.args...)...)
			if got.code != test.code || !strings.Contains(got.errOut, test.errOut) || got.out != "" {
				t.Errorf("got exit code %d, output %q and standard error %q, want %d and %q", got.code, got.out, got.errOut, test.code, test.errOut)
			}
		})
	}
}
