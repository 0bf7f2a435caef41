// Command soak writes docs/soak.md and docs/soak-tried.txt from the reports of the long tests, and checks the reports of a sample.
// hack/test-long.sh runs it:
//
//	go run ./hack/soak -facts FILE -command COMMAND       before the tests: write the facts about the run
//	go run ./hack/soak -check -reports FOLDER             after a sample: fail if a class of the sample has not run
//	go run ./hack/soak -facts FILE -reports FOLDER -tried FILE
//	                                                      after the tests: write the documents
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openshift/platform-operators/test/provenance"
	"github.com/openshift/platform-operators/test/report"
)

const document = "docs/soak.md"

type options struct {
	facts, command, reports, tried string
	check                          bool
}

func main() {
	var o options
	flag.StringVar(&o.facts, "facts", "", "file with the facts about the run: commit, machine, command")
	flag.StringVar(&o.command, "command", "", "the command of the run; writes the file of -facts")
	flag.StringVar(&o.reports, "reports", "", "folder of the long tests' reports")
	flag.StringVar(&o.tried, "tried", "", "file that the tests have written with their flag -tried; it is merged into "+triedDocument)
	flag.BoolVar(&o.check, "check", false, "check that every class of the sample has run, and write nothing")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.command != "" {
		return writeFacts(o)
	}
	tests, err := report.Read(o.reports)
	if err != nil {
		return err
	}
	if o.check {
		return write(io.Discard, nil, sampled, tests)
	}
	content, err := os.ReadFile(o.facts)
	if err != nil {
		return fmt.Errorf("reading the facts about the run: %w", err)
	}
	var facts []provenance.Fact
	if err := json.Unmarshal(content, &facts); err != nil {
		return fmt.Errorf("reading the facts about the run from %q: %w", o.facts, err)
	}
	var text strings.Builder
	if err := write(&text, facts, classes, tests); err != nil {
		return err
	}
	if err := addTried(&text, o.tried); err != nil {
		return err
	}
	if err := os.WriteFile(document, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	fmt.Println("wrote", document)
	return nil
}

// writeFacts writes the facts before the tests run, because the checkout may change during the tests.
func writeFacts(o options) error {
	facts, err := provenance.Describe(document, o.command, time.Now())
	if err != nil {
		return err
	}
	content, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("writing the facts about the run: %w", err)
	}
	if err := os.WriteFile(o.facts, content, 0o644); err != nil {
		return fmt.Errorf("writing the facts about the run: %w", err)
	}
	return nil
}

const preamble = `# Soak

` + "`make test-long`" + ` writes this page if all tests pass; do not edit it. CI runs a sample of the same tests
(` + "`make test-sample`" + `).

| | |
|---|---|
`

// class is a group of long tests, which has a table on the page. The names of a group's report files begin with prefix. least is the minimum
// number of tests that must pass.
type class struct {
	prefix, title, text string
	least               int
	// isCounted is true if the page shows only the number of passed tests, and a row for each parent test that reports figures. It is false
	// if each test has a row.
	isCounted bool
}

// sampled are the classes that make test-sample runs, too.
var sampled = []class{
	{"killed", "Kill points and bad specs", "The manager is killed before and after its writes during an install, upgrade, repair, rollback and removal. Invalid specs are followed by a valid one.", 4, false},
	{"faults", "API and registry faults", "The API server and the registry fail during an install, upgrade, repair and removal.", 7, false},
	{"leadership", "Leadership", "Leaders are killed, are stopped, and lose their lease.", 2, false},
	{"raced", "Stories with the race detector", "The seed chooses the stories.", 2, false},
	{"invariants", "Mutants that stories detect", "A mutant for each invariant and for each pattern of perturbations, and some for generated stories. A story must fail.", 2, false},
	{"extension", "Mutants that specs detect", "For each spec of openshift-tests, a manager that lacks the rule that the spec tests. The spec must fail.", 3, false},
}

// classes are all classes.
var classes = append(slices.Clone(sampled),
	class{"requests", "Failed requests", "Each fault is injected into each request of the engine while it applies and removes objects.", 100, true},
	class{"steady", "Idle", "The manager has nothing to do and must send no requests.", 3, false},
	class{"perturbed", "Perturbed stories", "Each test repeats one step of a story with one perturbation, or continues an operation after the manager was killed. " +
		"The seed chooses the perturbations.", 2, true},
	class{"generated", "Generated stories", "Each story uses three systems: the story, a restart of the manager at its end, and a fresh cluster with the same " +
		"declared state.", 1, true},
	class{"topologies", "Both topologies", "Each story runs on a standalone cluster and on a hosted control plane. The clusters must have the same objects at " +
		"the end, but for listed differences.", 150, true},
	class{"byrounds", "Stories by rounds", "Each story also runs by rounds of apply-configuration instead of the manager's process, and must end in the same state.", 100, true},
	class{"fuzz", "Fuzz targets", "Go's fuzzer runs every target of the main module.", 20, false})

// write writes the content of docs/soak.md for the given classes, except for the table of addTried. It returns an error if a test failed or
// did not finish, if a fuzz target tried no input, or if too few tests of a class passed.
func write(out io.Writer, facts []provenance.Fact, classes []class, tests []report.Test) error {
	fmt.Fprint(out, preamble)
	for _, fact := range facts {
		fmt.Fprintf(out, "| %s | %s |\n", fact[0], fact[1])
	}
	var errs []error
	for _, class := range classes {
		fmt.Fprintf(out, "\n## %s\n\n%s\n\n| test | time | figures |\n|---|---|---|\n", class.title, class.text)
		passed := 0
		for _, test := range tests {
			if !strings.HasPrefix(test.File, class.prefix) || test.Outcome == report.Skipped {
				continue
			}
			if test.Outcome != report.Passed {
				errs = append(errs, fmt.Errorf("%s: %s %s", test.File, cmp.Or(test.Name, test.Package), test.Outcome))
				continue
			}
			if !test.Parent {
				passed++
			} else if passed -= notApplied(test); len(test.Attributes) == 0 {
				continue
			}
			if !class.isCounted || test.Parent {
				fmt.Fprintf(out, "| `%s` | %s | %s |\n", test.Name, test.Elapsed.Round(100*time.Millisecond), figures(test))
			}
			if strings.HasPrefix(test.Name, "Fuzz") && !executions.MatchString(test.Output) {
				errs = append(errs, fmt.Errorf("%s ended before it tried a new input", test.Name))
			}
		}
		if class.isCounted {
			fmt.Fprintf(out, "| %d tests | | |\n", passed)
		}
		if passed < class.least {
			errs = append(errs, fmt.Errorf("%d tests of class %q (%s*.json) passed, want %d at least", passed, class.title, class.prefix, class.least))
		}
	}
	return errors.Join(errs...)
}

// notApplied returns how many subtests of a test passed without their perturbation, which could not be applied.
func notApplied(test report.Test) (count int) {
	for _, each := range test.Attributes {
		if number, err := strconv.Atoi(each.Value); err == nil && strings.HasSuffix(each.Key, "-not-applied") {
			count += number
		}
	}
	return count
}

// executions matches the progress that Go's fuzzer prints when it has executed inputs. The last match contains the total number of
// executions.
var executions = regexp.MustCompile(`execs: ([1-9]\d*) `)

func figures(test report.Test) string {
	var all []string
	for _, each := range test.Attributes {
		all = append(all, strings.ReplaceAll(each.Key, "-", " ")+" "+strings.ReplaceAll(each.Value, "|", `\|`))
	}
	if found := executions.FindAllStringSubmatch(test.Output, -1); len(found) > 0 {
		all = append(all, "executions "+found[len(found)-1][1])
	}
	return strings.Join(all, "; ")
}
