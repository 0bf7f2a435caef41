package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/report"
)

func TestStepsAreSumsByTarget(t *testing.T) {
	steps, err := parseSteps("vet\t10.0\t18.5\t19.0\t0.5\nlint\t4.0\t2.0\t8.0\t0.0\nvet\t2.0\t1.5\t1.5\t0.0\n")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printSteps(&out, steps, 2); err != nil {
		t.Fatal(err)
	}
	want := `wall s processor s others s idle s stolen s step (seconds of 2 cores)
12 20 0 3 0 vet
4 2 6 0 0 lint
16 22 6 3 0 all
`
	if !sameFields(want, out.String()) {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// sameFields reports whether tables are equal except for padding.
func sameFields(want, got string) bool {
	return cmp.Equal(strings.Fields(want), strings.Fields(got))
}

func TestParseStepsNamesTheInvalidLine(t *testing.T) {
	for content, want := range map[string]string{
		"vet\t1.0\n":                    "line 1 of the steps has 2 fields",
		"vet\t1.0\tx\t1.0\t1.0\n":       "line 1 of the steps",
		"a\t1\t1\t1\t1\nvet\t1\t1\t1\n": "line 2 of the steps has 4 fields",
	} {
		if _, err := parseSteps(content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", content, err, want)
		}
	}
}

func TestPrintSlowestCountsSubtests(t *testing.T) {
	tests := []report.Test{
		{File: "unit", Name: "TestA", Outcome: report.Passed, Elapsed: 9 * time.Second, Parent: true},
		{File: "unit", Name: "TestA/slow", Outcome: report.Passed, Elapsed: 8 * time.Second},
		{File: "unit", Name: "TestB", Outcome: report.Failed, Elapsed: 1200 * time.Millisecond},
		{File: "suite", Name: "a spec", Outcome: report.Passed, Elapsed: 3 * time.Second},
		{File: "suite", Name: "another", Outcome: report.Skipped, Elapsed: 7 * time.Second},
	}
	var out strings.Builder
	if err := printSlowest(&out, tests, 2); err != nil {
		t.Fatal(err)
	}
	want := "seconds the slowest of 3 tests\n8.0 unit: TestA/slow\n3.0 suite: a spec\n"
	if !sameFields(want, out.String()) {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestPrintFailedOmitsLogsAndPrintsACrashLast(t *testing.T) {
	tests := []report.Test{
		{File: "unit", Name: "TestA", Outcome: report.Failed, Parent: true, Output: "--- FAIL: TestA\n"},
		{File: "unit", Name: "TestA/first", Outcome: report.Failed,
			Output: "I0101 00:00:23.350000   25333 plugins.go:83] Registered\n[-]poststarthook/start failed: not finished\n    a_test.go:5: got 1, want 2\n--- FAIL: TestA/first\n"},
		{File: "unit", Name: "TestB", Outcome: report.Passed, Output: "--- PASS: TestB\n"},
		{File: "unit", Name: "TestC", Outcome: report.Failed, Parent: true, Output: "    c_test.go:7: no stories\n--- FAIL: TestC\n"},
		{File: "unit", Name: "TestC/second", Outcome: report.Passed, Output: "--- PASS: TestC/second\n"},
		{File: "unit", Package: "d", Outcome: report.Failed, Output: "FAIL\n"},
		{File: "unit", Package: "d", Name: "TestC", Outcome: report.Passed, Output: "fatal error: concurrent map writes\n--- PASS: TestC\n"},
		{File: "unit", Package: "d", Name: "TestD", Outcome: report.Failed, Output: "=== RUN   TestD\npanic: boom\n" + strings.Repeat("goroutine\n", 50)},
		{File: "unit", Package: "e", Name: "TestE", Outcome: report.Unfinished, Output: "=== RUN   TestE\n=== PAUSE TestE\n"},
		{File: "unit", Package: "f", Name: "TestF", Outcome: report.Unfinished, Output: "=== RUN   TestF\nSIGSEGV: segmentation violation\nPC=0x41\n"},
		{File: "unit", Package: "g", Outcome: report.Failed, Output: "g.go:1: undefined: x\n"},
		{File: "unit", Name: "TestH", Outcome: report.Passed, Output: "panic: is what the tested function prints\n"},
	}
	var out strings.Builder
	if err := printFailed(&out, tests); err != nil {
		t.Fatal(err)
	}
	want := "=== unit: TestA/first failed:\n    a_test.go:5: got 1, want 2\n--- FAIL: TestA/first\n" +
		"=== unit: TestC failed:\n    c_test.go:7: no stories\n--- FAIL: TestC\n" +
		"=== unit: g failed:\ng.go:1: undefined: x\n" +
		"=== unit: TestC has the crash of its package in its output:\nfatal error: concurrent map writes\n--- PASS: TestC\n" +
		"=== unit: TestD has the crash of its package in its output:\npanic: boom\n" + strings.Repeat("goroutine\n", mostLines-1) +
		"=== unit: TestF has the crash of its package in its output:\nSIGSEGV: segmentation violation\nPC=0x41\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
