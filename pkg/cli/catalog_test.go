package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

var yard = filepath.Join("testdata", "catalogs", "yard")

func rulesFile(name string) string { return filepath.Join("testdata", "rules", name+".yaml") }

// Promise CLI-17: catalog lint finds stranded versions, broken rules and the upgrades that a rule forbids, with what it leaves over, in one
// table. catalog simulate shows for each version the target, the path and what blocks it, and what planned rules change. They read a
// directory or a catalog image, need no cluster, and end with exit code 5 if something is invalid.
//
// TestCLI_17_GoldenOutputOfEachCommandAndFormat compares what a command prints with a file.
func TestCLI_17_GoldenOutputOfEachCommandAndFormat(t *testing.T) {
	for name, test := range map[string]struct {
		width int
		args  []string
	}{
		"lint":                      {0, []string{"lint"}},
		"lint-wide":                 {0, []string{"lint", "-o", "wide"}},
		"lint-json":                 {0, []string{"lint", "-o", "json"}},
		"lint-yaml":                 {0, []string{"lint", "-o", "yaml", "--package", "crane"}},
		"lint-name":                 {0, []string{"lint", "-o", "name"}},
		"lint-no-headers":           {0, []string{"lint", "--no-headers"}},
		"lint-40-columns":           {40, []string{"lint"}},
		"lint-100-columns":          {100, []string{"lint"}},
		"lint-one-package":          {0, []string{"lint", "--package", "crane"}},
		"lint-all-semantics":        {0, []string{"lint", "--package", "dock", "--semantics", "all", "-o", "wide"}},
		"simulate":                  {0, []string{"simulate"}},
		"simulate-wide":             {0, []string{"simulate", "-o", "wide"}},
		"simulate-json":             {0, []string{"simulate", "-o", "json", "--package", "dock"}},
		"simulate-yaml":             {0, []string{"simulate", "-o", "yaml", "--package", "crane", "--rules", rulesFile("crane")}},
		"simulate-name":             {0, []string{"simulate", "-o", "name"}},
		"simulate-40-columns":       {40, []string{"simulate", "--package", "dock"}},
		"simulate-100-columns":      {100, []string{"simulate", "--package", "dock"}},
		"simulate-from":             {0, []string{"simulate", "--from", "1.2.0"}},
		"simulate-cluster":          {0, []string{"simulate", "--package", "crane", "--cluster", "4.21"}},
		"simulate-semver":           {0, []string{"simulate", "--package", "dock", "--semantics", "semver"}},
		"simulate-all-semantics":    {0, []string{"simulate", "--package", "crane", "--semantics", "all"}},
		"simulate-all-json":         {0, []string{"simulate", "--package", "crane", "--semantics", "all", "--from", "1.4.0", "-o", "json"}},
		"simulate-all-name":         {0, []string{"simulate", "--package", "dock", "--semantics", "all", "-o", "name"}},
		"simulate-rules-all":        {0, []string{"simulate", "--rules", rulesFile("crane"), "--semantics", "all"}},
		"simulate-rules":            {0, []string{"simulate", "--rules", rulesFile("crane")}},
		"simulate-rules-wide":       {0, []string{"simulate", "--rules", rulesFile("crane"), "--semantics", "all", "-o", "wide"}},
		"simulate-rules-name":       {0, []string{"simulate", "--rules", rulesFile("crane"), "-o", "name"}},
		"simulate-rules-40-columns": {40, []string{"simulate", "--rules", rulesFile("crane"), "--from", "1.2.0"}},
		"simulate-rules-of-one-package": {0, []string{
			"simulate", "--rules", rulesFile("without-package"), "--package", "gantry",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"catalog", test.args[0], yard}, test.args[1:]...)
			compareGolden(t, "catalog-"+name, run(t, test.width, args...))
		})
	}
}

func TestCLI_17_StrictFailsForWarnings(t *testing.T) {
	for _, test := range []struct {
		args []string
		want exit.Code
	}{
		{[]string{yard}, exit.Invalid},
		{[]string{yard, "--package", "crane"}, exit.OK},
		{[]string{yard, "--package", "crane", "--strict"}, exit.OK}, // a finding of severity Info
		{[]string{harbor, "--package", "anchor", "--semantics", "semver"}, exit.OK},
		{[]string{harbor, "--package", "anchor", "--semantics", "semver", "--strict"}, exit.Invalid},
		{[]string{yard, "--package", "dock", "--strict"}, exit.Invalid},
	} {
		if got := run(t, 0, append([]string{"catalog", "lint"}, test.args...)...); got.code != test.want {
			t.Errorf("%q: got exit code %d, want %d; %s%s", test.args, got.code, test.want, got.out, got.errOut)
		}
	}
}

// TestCLI_17_BadInput checks exit codes and errors about catalogs, rules and flags that cannot be used.
func TestCLI_17_BadInput(t *testing.T) {
	directory := func(name string) string { return filepath.Join("testdata", "catalogs", name) }
	withRules := func(name string) []string { return []string{"simulate", yard, "--rules", rulesFile(name)} }
	for name, test := range map[string]struct {
		args   []string
		code   exit.Code
		errOut string // a part of standard error
	}{
		"NoArgument":     {[]string{"lint"}, exit.Usage, "see: kubectl platform catalog lint --help"},
		"UnknownCommand": {[]string{"lin"}, exit.Usage, `unknown command "lin"; did you mean lint?; see: kubectl platform catalog --help`},
		"Missing":        {[]string{"lint", directory("nothing")}, exit.Usage, "is neither a directory nor a reference of an image"},
		"File":           {[]string{"lint", "catalog_test.go"}, exit.Usage, "is a file: name the directory"},
		"Empty":          {[]string{"lint", t.TempDir()}, exit.Invalid, "no file in the directory has a package"},
		"OtherFiles":     {[]string{"lint", directory("empty")}, exit.Invalid, "no file in the directory has a package"},
		"NoPackages":     {[]string{"simulate", directory("no-packages")}, exit.Invalid, "no file in the directory has a package"},
		"NoYAML":         {[]string{"lint", directory("no-yaml")}, exit.Invalid, `file "catalog.yaml": blob 1`},
		"Truncated":      {[]string{"simulate", directory("broken")}, exit.Invalid, `file "catalog.json"`},
		"UnknownPackage": {[]string{"lint", yard, "--package", "barge"}, exit.Usage, "correct --package; it has crane, dock, gantry, slip"},
		"UnknownVersion": {[]string{"simulate", yard, "--from", "9.0.0"}, exit.Usage, "has version 9.0.0: correct --from"},
		"NoVersion":      {[]string{"simulate", yard, "--from", "newest"}, exit.Usage, "write it like 1.2.3"},
		"NoCluster":      {[]string{"simulate", yard, "--cluster", "four"}, exit.Usage, "write it like 4.21"},
		"NoSemantics":    {[]string{"lint", yard, "--semantics", "none"}, exit.Usage, "use one of package, channel, semver, both, all"},
		"NoFormat":       {[]string{"simulate", yard, "-o", "dot"}, exit.Usage, "use one of table, wide, json, yaml, name"},
		"NoRulesFile":    {withRules("nothing"), exit.Usage, "reading --rules: "},
		"EmptyRules":     {withRules("empty"), exit.Invalid, "it has no rules"},
		"RulesNoYAML":    {withRules("no-yaml"), exit.Invalid, "document 1: it is not YAML"},
		"UnknownField":   {withRules("unknown-field"), exit.Invalid, `package "crane" cannot be used: reading it: json: unknown field "soak"`},
		"Unquoted":       {withRules("unquoted"), exit.Invalid, `steps.through is a number, and text is wanted`},
		"UnquotedRange":  {withRules("unquoted-range"), exit.Invalid, `a value that begins with > or | must be quoted, like ">=1.4.0"`},
		"RulesOfNone":    {withRules("unknown-package"), exit.Invalid, `its package "barge" is not in the catalog`},
		"WithoutPackage": {withRules("without-package"), exit.Invalid, "set package, or select one with --package"},
		"Twice":          {withRules("twice"), exit.Invalid, `document 2: the file has the rules of package "crane" already`},
		"Deadline":       {[]string{"lint", yard, "--timeout", "1ns"}, exit.Timeout, "raise --timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, 0, append([]string{"catalog"}, test.args...)...)
			if got.code != test.code || !strings.Contains(got.errOut, test.errOut) || got.out != "" {
				t.Errorf("got exit code %d, standard error %q and output %q, want %d and %q", got.code, got.errOut, got.out, test.code, test.errOut)
			}
			if strings.Count(got.errOut, "\n") != 1 || !strings.HasPrefix(got.errOut, "error: ") {
				t.Errorf("got standard error %q, want one line", got.errOut)
			}
		})
	}
}

func TestCLI_12_AClosedPipeEndsTheCatalogCommandsQuietly(t *testing.T) {
	for _, verb := range []string{"lint", "simulate"} {
		for _, format := range []string{"table", "wide", "json", "yaml", "name"} {
			var errOut bytes.Buffer
			streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: closedPipe{}, ErrOut: &errOut}
			args := []string{"catalog", verb, yard, "--package", "crane", "-o", format}
			if code := runWith(t.Context(), "kubectl-platform", 0, streams, args...); code != exit.OK || errOut.Len() > 0 {
				t.Errorf("%v: got exit code %d and standard error %q, want 0 and nothing", args, code, errOut.String())
			}
		}
	}
}

func TestCLI_12_CatalogFlagsAreCompleted(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"catalog", "l"}, "lint\t"},
		{[]string{"catalog", "lint", "-o", "j"}, "json\n:4\n"},
		{[]string{"catalog", "simulate", "--semantics", "s"}, "package\nchannel\nsemver\nboth\nall\n:4\n"},
		{[]string{"catalog", "lint", ""}, ":16\n"}, // directories
		{[]string{"catalog", "lint", yard, ""}, ":4\n"},
	} {
		var out bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}}
		if runWith(t.Context(), "kubectl_complete-platform", 0, streams, test.args...); !strings.HasPrefix(out.String(), test.want) {
			t.Errorf("%q: got %q, want %q", test.args, out.String(), test.want)
		}
	}
}
