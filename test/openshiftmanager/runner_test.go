// Package openshiftmanager runs multi-operator-manager's own test runner, unmodified, on the manager's binary.
package openshiftmanager

import (
	"bytes"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root     = "../.."
	testData = "testdata/apply-configuration"
	runner   = "github.com/openshift/multi-operator-manager/cmd/multi-operator-manager"
)

var update = flag.Bool("update", false, "write the expected output of all tests in testdata anew")

// build compiles a program of the module in folder.
func build(t *testing.T, folder, program, output string) {
	t.Helper()
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", output, program)
	command.Dir = folder
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", program, err, text)
	}
}

// testRun is a folder with the programs, in which the runner runs the manager.
type testRun struct{ folder, runner string }

func newTestRun(t *testing.T) testRun {
	t.Helper()
	run := testRun{folder: t.TempDir()}
	run.runner = filepath.Join(run.folder, "multi-operator-manager")
	build(t, ".", runner, run.runner)
	build(t, root, "./cmd/platform-operators", filepath.Join(run.folder, "platform-operators"))
	return run
}

// on runs the runner on a folder of tests. It returns the names of the tests that passed and those that failed, and what the runner said.
func (r testRun) on(t *testing.T, data string, args ...string) (passed, failed []string, said string) {
	t.Helper()
	data, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(t.TempDir(), "output")
	command := exec.Command(r.runner, append([]string{"test", "apply-configuration", "--test-dir", data, "--output-dir", output, "--preserve-policy=KeepAlways"}, args...)...)
	command.Dir = r.folder
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	runErr := command.Run()
	content, err := os.ReadFile(filepath.Join(output, "junit.xml"))
	if err != nil {
		t.Fatalf("the runner wrote no report: %v\n%s", err, &text)
	}
	var report struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(content, &report); err != nil {
		t.Fatal(err)
	}
	for _, each := range report.Cases {
		name, _, isTest := strings.Cut(each.Name, " [")
		switch {
		case !isTest: // a step of the runner
		case each.Failure != nil:
			failed = append(failed, name)
		default:
			passed = append(passed, name)
		}
	}
	if (runErr != nil) != (len(failed) > 0) {
		t.Errorf("the runner ended with %v, but %d tests failed", runErr, len(failed))
	}
	return passed, failed, text.String()
}

// Promise OM-2: multi-operator-manager's own test runner runs our test data with the manager's binary, unmodified.
func TestOM_2_TheRunnerOfMultiOperatorManagerPasses(t *testing.T) {
	run := newTestRun(t)
	if *update {
		run.on(t, testData, "--replace-expected-output=true")
	}
	cases, err := os.ReadDir(testData)
	if err != nil {
		t.Fatal(err)
	}
	passed, failed, said := run.on(t, testData)
	if len(failed) > 0 || len(passed) != len(cases) {
		t.Errorf("passed %q, failed %q, of %d; if that is meant, run the test with -update\n%s", passed, failed, len(cases), said)
	}

	t.Run("another expectation fails", func(t *testing.T) {
		planted := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(planted, os.DirFS(testData)); err != nil {
			t.Fatal(err)
		}
		bodies, err := filepath.Glob(filepath.Join(planted, "*", "expected-output", "Configuration", "Create", "cluster-scoped-resources", "*", "*", "*-body-*.yaml"))
		if err != nil || len(bodies) == 0 {
			t.Fatalf("no expected body: %v", err)
		}
		if err := os.WriteFile(bodies[0], []byte("apiVersion: v1\nkind: ConfigMap\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, failed, said := run.on(t, planted); len(failed) != 1 {
			t.Errorf("failed %q, want one\n%s", failed, said)
		}
	})
}
