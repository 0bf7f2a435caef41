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

// samplePackage is what the specifications install that install something.
const samplePackage = "ote-sample"

// program is the extension's binary, and the environment that it is called in.
type program struct {
	binary string
	env    []string
}

// build compiles the extension as the image has it: static.
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

// on gives the program a cluster, on which nothing takes longer than that.
func (p program) on(env *environment.Environment, patience time.Duration) program {
	p.env = []string{
		"KUBECONFIG=" + env.Kubeconfig, "PLATFORM_OPERATORS_TESTS_PACKAGE=" + samplePackage,
		"PLATFORM_OPERATORS_TESTS_PATIENCE=" + patience.String(), "PLATFORM_OPERATORS_TESTS_CLEANUP=" + patience.String(),
	}
	return p
}

// run runs a command and reads what it printed, which must be one JSON value and nothing else.
func (p program) run(ctx context.Context, into any, args ...string) error {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, p.binary, args...)
	// Nothing of ours: only PATH, HOME and what is said here.
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env...)
	command.Stdout, command.Stderr = &stdout, &stderr
	// What it changed is put back when it is asked to end.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = time.Minute
	if err := command.Run(); err != nil {
		return fmt.Errorf("running %q: %w\n%s\n%s", args, err, &stdout, &stderr)
	}
	decoder := json.NewDecoder(&stdout)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading what %q printed: %w\n%s", args, err, &stderr)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%q printed more than one JSON value", args)
	}
	return nil
}

// What the extension prints, as far as it is looked at here; by openshift-tests' own names.
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
	listed struct {
		Name, Lifecycle, Source string
		Labels                  map[string]struct{}
	}
	result struct {
		Name, Lifecycle, Result, Output, Error string
		Duration                               int64
	}
)

// folder makes one that is there after a failure, unlike a test's own: the logs in it are what one wants to read then.
func folder() (string, error) { return os.MkdirTemp("", "platform-operators-extension-") }

// start starts a cluster with catalogs and the manager, and stops it when the test ends.
func start(t *testing.T) *environment.Environment {
	t.Helper()
	dir, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	// The test's own context ends before its clean-ups.
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
