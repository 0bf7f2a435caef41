package extension

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// timeout is the maximum duration of each wait of a spec, on a busy machine with two cores. A wait usually takes seconds.
	timeout = 90 * time.Second
	// minSpecs is the smallest permitted number of specs that run on any cluster.
	minSpecs = 15

	allSuite      = "openshift/platform-operators/all"
	parallelSuite = "openshift/platform-operators/conformance/parallel"
	serialSuite   = "openshift/platform-operators/conformance/serial"
)

func options(dir string, log *bytes.Buffer) environment.Options {
	return environment.Options{
		Dir: dir, Log: log, OpenShiftVersion: story.ClusterVersion,
		Samples: []samples.Operator{{Package: samplePackage, Version: "1.0.0"}},
	}
}

// TestExtensionPrintsJSONAndSpecsPassAndRestoreTheCluster runs all specs against the manager. They must pass and restore what
// they change.
func TestExtensionPrintsJSONAndSpecsPassAndRestoreTheCluster(t *testing.T) {
	extension := build(t)
	checkDescription(t, extension)
	checkSuites(t, extension, start(t))
}

// checkDescription checks the extension's description of itself and its specs, which needs no cluster.
func checkDescription(t *testing.T, extension program) {
	t.Helper()
	var info information
	if err := extension.run(t.Context(), &info, "info"); err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string][2]string{
		"apiVersion": {info.APIVersion, "v1.1"}, "component.product": {info.Component.Product, "openshift"},
		"component.type": {info.Component.Type, "payload"}, "component.name": {info.Component.Name, "platform-operators"},
	} {
		if value[0] != value[1] {
			t.Errorf("%s is %q, want %q", field, value[0], value[1])
		}
	}
	parents := map[string][]string{}
	for _, each := range info.Suites {
		parents[each.Name] = each.Parents
		for _, qualifier := range each.Qualifiers { // otherwise the suite would include tests of all components
			if !strings.Contains(qualifier, `source == "openshift:payload:platform-operators"`) {
				t.Errorf("suite %q includes tests of other components: %q", each.Name, qualifier)
			}
		}
	}
	want := map[string][]string{
		allSuite: nil, parallelSuite: {"openshift/conformance/parallel"}, serialSuite: {"openshift/conformance/serial"},
	}
	if diff := cmp.Diff(want, parents); diff != "" {
		t.Errorf("suites and their parents (-want +got):\n%s", diff)
	}

	var all, parallel, serial []spec
	for to, args := range map[*[]spec][]string{
		&all: {"list"}, &parallel: {"list", "tests", "--suite", parallelSuite}, &serial: {"list", "tests", "--suite", serialSuite},
	} {
		if err := extension.run(t.Context(), to, args...); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < minSpecs {
		t.Errorf("got %d specs, want at least %d", len(all), minSpecs)
	}
	if len(parallel)+len(serial) != len(all) {
		t.Errorf("%d specs are listed, %d parallel and %d serial; each must be in exactly one of the two suites", len(all), len(parallel), len(serial))
	}
	names := map[string]bool{}
	for _, each := range all {
		if names[each.Name] {
			t.Errorf("two specs have the name %q", each.Name)
		}
		names[each.Name] = true
		if !strings.HasPrefix(each.Name, namePrefix) {
			t.Errorf("the name %q does not begin with %q", each.Name, namePrefix)
		}
		if strings.ContainsAny(each.Name, "0123456789") {
			t.Errorf("the name %q has a number, which would break dashboards if it changes", each.Name)
		}
		if each.Lifecycle != "informing" {
			t.Errorf("%q has lifecycle %q, want informing", each.Name, each.Lifecycle)
		}
		if want := "openshift:payload:platform-operators"; each.Source != want {
			t.Errorf("%q has source %q, want %q", each.Name, each.Source, want)
		}
		if _, isSerial := each.Labels["Serial"]; isSerial != strings.HasSuffix(each.Name, "[Serial]") {
			t.Errorf("[Serial] in the name %q differs from the labels %v", each.Name, each.Labels)
		}
	}
}

// checkSuites runs both suites as their parent suites do, and checks that the specs restore the cluster's state.
func checkSuites(t *testing.T, extension program, env *environment.Environment) {
	t.Helper()
	waitUntilReady(t, extension, env)
	before := settledState(t, env)
	extension = extension.withCluster(env, timeout)
	var ran []string
	for _, suite := range []string{parallelSuite, serialSuite} {
		var results []result
		if err := extension.run(t.Context(), &results, "run-suite", suite); err != nil {
			t.Fatal(err)
		}
		for _, each := range results {
			ran = append(ran, each.Name)
			if each.Result != "passed" {
				t.Errorf("%q %s:\n%s\n%s", each.Name, each.Result, each.Error, each.Output)
			}
			if each.Lifecycle != "informing" {
				t.Errorf("the result of %q has lifecycle %q, want informing", each.Name, each.Lifecycle)
			}
			t.Logf("%5d ms  %s", each.Duration, each.Name)
		}
	}
	var all []spec
	if err := extension.run(t.Context(), &all, "list"); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, each := range all {
		names = append(names, each.Name)
	}
	slices.Sort(names)
	slices.Sort(ran)
	if diff := cmp.Diff(names, ran); diff != "" {
		t.Errorf("the listed and the run specs differ (-listed +run):\n%s", diff)
	}
	expectRestored(t, env, before)
}

// waitUntilReady waits until the specs pass that only need a running manager. It fails the test after timeout.
func waitUntilReady(t *testing.T, extension program, env *environment.Environment) {
	t.Helper()
	for _, name := range []string{conditionsSpec, clusterOperatorSpec} {
		var results []result
		deadline := time.Now().Add(timeout)
		for len(results) != 1 || results[0].Result != "passed" {
			if time.Now().After(deadline) {
				t.Fatalf("the manager is not ready: %+v", results)
			}
			results = nil
			if err := extension.withCluster(env, timeout).run(t.Context(), &results, "run-test", "-n", name); err != nil {
				t.Fatal(err)
			}
		}
	}
}
