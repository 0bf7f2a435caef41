package extension

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/environment"
)

// samplePackage is the package that specs install.
const samplePackage = "ote-sample"

// program is the extension's program and the environment variables to run it with.
type program struct {
	binary string
	env    []string
}

// build compiles the extension as a static binary, as in the image.
func build(t *testing.T) program {
	t.Helper()
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	p := program{binary: filepath.Join(t.TempDir(), "platform-operators-tests-ext")}
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", p.binary, "./cmd/platform-operators-tests-ext")
	command.Dir = root
	command.Env = append(command.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building the extension: %v\n%s", err, output)
	}
	return p
}

// withCluster returns a program with a cluster's kubeconfig and the timeout of each wait and of the cleanup.
func (p program) withCluster(env *environment.Environment, timeout time.Duration) program {
	p.env = []string{
		"KUBECONFIG=" + env.Kubeconfig, "PLATFORM_OPERATORS_TESTS_PACKAGE=" + samplePackage,
		"PLATFORM_OPERATORS_TESTS_TIMEOUT=" + timeout.String(), "PLATFORM_OPERATORS_TESTS_CLEANUP=" + timeout.String(),
	}
	return p
}

// run runs a command and decodes its standard output, which must be a single JSON value, into the value that into points to.
func (p program) run(ctx context.Context, into any, args ...string) error {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, p.binary, args...)
	// Only PATH, HOME and the program's variables.
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env...)
	command.Stdout, command.Stderr = &stdout, &stderr
	// On SIGTERM the program restores what it changed.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = time.Minute
	if err := command.Run(); err != nil {
		return fmt.Errorf("running %q: %w\n%s\n%s", args, err, &stdout, &stderr)
	}
	decoder := json.NewDecoder(&stdout)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading the output of %q: %w\n%s", args, err, &stderr)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%q printed more than one JSON value", args)
	}
	return nil
}

// information, suite, spec and result have the fields of the extension's output that the tests check, with openshift-tests' names.
type (
	information struct {
		APIVersion string
		Component  struct{ Product, Type, Name string }
		Suites     []suite
	}
	suite struct {
		Name       string
		Parents    []string
		Qualifiers []string
	}
	spec struct {
		Name, Lifecycle, Source string
		Labels                  map[string]struct{}
	}
	result struct {
		Name, Lifecycle, Result, Output, Error string
		Duration                               int64
	}
)

// logFolder returns a temporary folder that is kept after a failure, because it has the logs.
func logFolder() (string, error) { return os.MkdirTemp("", "platform-operators-extension-") }

// start starts a cluster with catalogs and the manager, and stops it when the test ends. It removes the folder unless the test failed.
func start(t *testing.T) *environment.Environment {
	t.Helper()
	dir, err := logFolder()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	// The test's context ends before its cleanup.
	env, err := environment.Start(context.WithoutCancel(t.Context()), options(dir, &log))
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("logs are in %q", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return env
}
