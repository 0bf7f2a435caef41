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
	// patience is for a busy machine with two cores, on which every state comes within seconds.
	patience = 90 * time.Second
	// fewest is how many specifications there are at least that run on any cluster.
	fewest = 15

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

// Against a manager that is as it should be, every specification passes, and everything is as it was before.
func TestTheExtensionSpeaksJSONAndEverySpecificationPassesAndPutsBackWhatItChanged(t *testing.T) {
	extension := build(t)
	describesItself(t, extension)
	passes(t, extension, start(t))
}

// describesItself looks at what the extension says of itself, for which it needs no cluster.
func describesItself(t *testing.T, extension program) {
	t.Helper()
	var says information
	if err := extension.run(t.Context(), &says, "info"); err != nil {
		t.Fatal(err)
	}
	for field, value := range map[string][2]string{
		"apiVersion": {says.APIVersion, "v1.1"}, "component.product": {says.Component.Product, "openshift"},
		"component.type": {says.Component.Type, "payload"}, "component.name": {says.Component.Name, "platform-operators"},
	} {
		if value[0] != value[1] {
			t.Errorf("%s is %q, want %q", field, value[0], value[1])
		}
	}
	parents := map[string][]string{}
	for _, each := range says.Suites {
		parents[each.Name] = each.Parents
		for _, qualifier := range each.Qualifiers { // else it would take the tests of all components
			if !strings.Contains(qualifier, `source == "openshift:payload:platform-operators"`) {
				t.Errorf("suite %q takes others' tests: %q", each.Name, qualifier)
			}
		}
	}
	want := map[string][]string{
		allSuite: nil, parallelSuite: {"openshift/conformance/parallel"}, serialSuite: {"openshift/conformance/serial"},
	}
	if diff := cmp.Diff(want, parents); diff != "" {
		t.Errorf("suites and their parents (-want +got):\n%s", diff)
	}

	var all, parallel, serial []listed
	for to, args := range map[*[]listed][]string{
		&all: {"list"}, &parallel: {"list", "tests", "--suite", parallelSuite}, &serial: {"list", "tests", "--suite", serialSuite},
	} {
		if err := extension.run(t.Context(), to, args...); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < fewest {
		t.Errorf("got %d specs, want at least %d", len(all), fewest)
	}
	if len(parallel)+len(serial) != len(all) {
		t.Errorf("of %d specs, %d are parallel and %d serial; each has to be in one of the two suites", len(all), len(parallel), len(serial))
	}
	names := map[string]bool{}
	for _, each := range all {
		if names[each.Name] {
			t.Errorf("there are two of %q", each.Name)
		}
		names[each.Name] = true
		if prefix := `[Jira:"Platform Operators"][sig-platform-operators] `; !strings.HasPrefix(each.Name, prefix) {
			t.Errorf("the name %q does not begin with %q", each.Name, prefix)
		}
		if strings.ContainsAny(each.Name, "0123456789") {
			t.Errorf("the name %q has a number, which dashboards would have to follow", each.Name)
		}
		if each.Lifecycle != "informing" {
			t.Errorf("%q has lifecycle %q, want informing", each.Name, each.Lifecycle)
		}
		if want := "openshift:payload:platform-operators"; each.Source != want {
			t.Errorf("%q has source %q, want %q", each.Name, each.Source, want)
		}
		if _, labelled := each.Labels["Serial"]; labelled != strings.HasSuffix(each.Name, "[Serial]") {
			t.Errorf("[Serial] in the name %q differs from the labels %v", each.Name, each.Labels)
		}
	}
}

// passes runs both suites as their parents would, and looks whether what is on the cluster is what was there before.
func passes(t *testing.T, extension program, env *environment.Environment) {
	t.Helper()
	ready(t, extension, env)
	before := look(t, env)
	extension = extension.on(env, patience)
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
	var all []listed
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
		t.Errorf("what was listed and what was run (-listed +run):\n%s", diff)
	}
	isAgain(t, env, before)
}

// ready waits until the manager answers: by the specification that needs nothing but an answer.
func ready(t *testing.T, extension program, env *environment.Environment) {
	t.Helper()
	for _, name := range []string{answers, reports} {
		var results []result
		deadline := time.Now().Add(patience)
		for len(results) != 1 || results[0].Result != "passed" {
			if time.Now().After(deadline) {
				t.Fatalf("the manager does not answer: %+v", results)
			}
			results = nil
			if err := extension.on(env, patience).run(t.Context(), &results, "run-test", "-n", name); err != nil {
				t.Fatal(err)
			}
		}
	}
}
