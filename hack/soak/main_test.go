package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/provenance"
	"github.com/openshift/platform-operators/test/report"
)

// enough returns the smallest permitted number of tests of each class.
func enough() (tests []report.Test) {
	for _, class := range classes {
		for i := range class.least {
			test := report.Test{File: class.prefix, Name: fmt.Sprintf("Test%s/%d", class.prefix, i), Outcome: report.Passed}
			if class.prefix == "fuzz" {
				test.Name, test.Output = fmt.Sprintf("Fuzz%d", i), "fuzz: elapsed: 3s, execs: 12 (4/sec)\nfuzz: elapsed: 30s, execs: 3456 (11/sec)\n"
			}
			tests = append(tests, test)
		}
	}
	return tests
}

func TestWriteListsOrCountsPassedTests(t *testing.T) {
	tests := append([]report.Test{
		{File: "killed", Name: "TestKilled", Outcome: report.Passed, Elapsed: 90 * time.Second, Parent: true,
			Attributes: []report.Attribute{{Key: "kill-points", Value: "40 of 178"}}},
		{File: "steady", Name: "TestParent", Outcome: report.Passed, Parent: true},
		{File: "perturbed", Name: "TestPerturbed", Outcome: report.Passed, Parent: true,
			Attributes: []report.Attribute{{Key: "merged-events", Value: "7"}, {Key: "merged-events-not-applied", Value: "3"}}},
		{File: "perturbed", Name: "TestPerturbed/1", Outcome: report.Passed},
		{File: "perturbed", Name: "TestPerturbed/2", Outcome: report.Passed},
		{File: "perturbed", Name: "TestPerturbed/3", Outcome: report.Passed},
		{File: "steady", Name: "TestElsewhere", Outcome: report.Skipped},
	}, enough()...)
	var out strings.Builder
	if err := write(&out, []provenance.Fact{{"commit", "0123abc"}}, classes, tests); err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "| `") || strings.HasPrefix(line, "| commit") || strings.Contains(line, " tests |") {
			rows[strings.TrimSpace(line)] = true
		}
	}
	want := map[string]bool{
		"| commit | 0123abc |": true, "| `TestKilled` | 1m30s | kill points 40 of 178 |": true,
		"| 2 tests | | |": true, "| 1 tests | | |": true, "| 100 tests | | |": true, "| 150 tests | | |": true, // of the classes that are only counted
		"| `TestPerturbed` | 0s | merged events 7; merged events not applied 3 |": true,
	}
	for _, test := range enough() {
		if slices.Contains([]string{"perturbed", "generated", "requests", "topologies", "byrounds"}, test.File) {
			continue
		}
		row := "| `" + test.Name + "` | 0s |  |"
		if test.Output != "" {
			row = "| `" + test.Name + "` | 0s | executions 3456 |"
		}
		want[row] = true
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteRejectsFailedAndMissingTests(t *testing.T) {
	failed, idle, missing := enough(), enough(), enough()
	failed[0].Outcome = report.Failed
	idle[len(idle)-1].Output = "fuzz: elapsed: 0s, gathering baseline coverage: 3/9 completed\n"
	missing = missing[1:]
	for want, tests := range map[string][]report.Test{
		"Testkilled/0 failed":                      failed,
		"Fuzz19 ended before it tried a new input": idle,
		`3 tests of class "Kill points and bad specs" (killed*.json) passed, want 4`: missing,
	} {
		if err := write(&strings.Builder{}, nil, classes, tests); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
