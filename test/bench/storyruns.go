package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// toldStory is the story of test/scenarios that is carried out on both sides, and toldOperator the operator that it is about.
const toldStory, toldOperator = "install-upgrade-remove", "memo"

// inMemory runs a command whose temporary files are in memory, as "make test-scenarios" does, seen from test/scenarios.
const inMemory = "../../hack/in-memory.sh"

// telling is what one run of the story took: of the story alone, and with the start of its cluster.
type telling struct{ story, all time.Duration }

// measureStories carries out a story in memory, and the same steps on a local cluster of real processes.
func measureStories(ctx context.Context, dir string, rounds int, say func(string, ...any)) (part, error) {
	binary, err := buildStories(ctx, dir)
	if err != nil {
		return part{}, err
	}
	var memory, processes []telling
	for round := range rounds {
		ours, err := tellInMemory(ctx, binary)
		if err != nil {
			return part{}, err
		}
		onProcesses, err := tellOnProcesses(ctx, filepath.Join(dir, fmt.Sprintf("round-%d", round)))
		if err != nil {
			return part{}, err
		}
		memory, processes = append(memory, ours), append(processes, onProcesses)
		say("a story in memory: %s, on real processes: %s", ours.story.Round(time.Millisecond), onProcesses.story.Round(time.Millisecond))
	}
	hundred, err := tellHundred(ctx, binary)
	if err != nil {
		return part{}, err
	}
	say("a hundred stories in memory: %s", hundred.Round(time.Second))
	p := storyPart(memory, processes)
	p.figures = append(p.figures, figure{name: "100 stories of test/scenarios, in one process: time", unit: seconds, ours: hundred.Seconds(), n: 1})
	return p, nil
}

// buildStories builds the stories, and what they need, into a folder.
func buildStories(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "scenarios.test")
	for _, command := range [][]string{{"make", "scenario-objects"}, {"go", "test", "-vet=off", "-c", "-o", binary, "./test/scenarios"}} {
		run := exec.CommandContext(ctx, command[0], command[1:]...)
		run.Stdout, run.Stderr = os.Stderr, os.Stderr
		if err := run.Run(); err != nil {
			return "", fmt.Errorf("building the stories: %w", err)
		}
	}
	return binary, nil
}

// tellInMemory runs the story twice in one process: the first run makes the cluster that the second one copies.
func tellInMemory(ctx context.Context, binary string) (telling, error) {
	run := exec.CommandContext(ctx, inMemory, binary, "-test.v", "-test.count=2", "-test.run=^TestStories$/^"+toldStory+"$")
	run.Dir = filepath.Join("test", "scenarios")
	output, err := run.CombinedOutput()
	if err != nil {
		return telling{}, fmt.Errorf("running story %q: %w\n%s", toldStory, err, failure(output))
	}
	return parseTelling(output)
}

// tellHundred runs a hundred of the stories.
func tellHundred(ctx context.Context, binary string) (time.Duration, error) {
	run := exec.CommandContext(ctx, inMemory, binary, "-sample=100", "-seed=1")
	run.Dir = filepath.Join("test", "scenarios")
	start := time.Now()
	if output, err := run.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("running a hundred stories: %w\n%s", err, failure(output))
	}
	return time.Since(start), nil
}

// failure is what go test's output says from the first test that failed on.
func failure(output []byte) []byte {
	failed := max(0, bytes.Index(output, []byte("--- FAIL: ")))
	return output[failed:min(len(output), failed+2000)]
}

// passed matches what go test says of the story.
var passed = regexp.MustCompile(`(?m)^ +--- PASS: TestStories/` + toldStory + ` \(([0-9.]+s)\)$`)

func parseTelling(output []byte) (telling, error) {
	found := passed.FindAllSubmatch(output, -1)
	if len(found) != 2 {
		return telling{}, fmt.Errorf("reading how long story %q took: it passed %d times, want 2", toldStory, len(found))
	}
	all, err := time.ParseDuration(string(found[0][1]))
	if err != nil {
		return telling{}, err
	}
	alone, err := time.ParseDuration(string(found[1][1]))
	return telling{story: alone, all: all}, err
}

// tellOnProcesses starts a local cluster, carries out the story's steps, and ends the cluster.
func tellOnProcesses(ctx context.Context, dir string) (took telling, err error) {
	start := time.Now()
	env, err := environment.Start(ctx, environment.Options{Dir: dir, Log: os.Stderr, OpenShiftVersion: story.ClusterVersion, Samples: told("1.0.0")})
	if err != nil {
		return telling{}, fmt.Errorf("starting the local cluster and the manager: %w", err)
	}
	defer func() {
		err = errors.Join(err, env.Stop())
		took.all = time.Since(start)
	}()
	admin, err := story.NewAdmin(env)
	if err != nil {
		return telling{}, err
	}
	if err := managerRuns().Run(ctx, admin); err != nil {
		return telling{}, err
	}
	begun := time.Now()
	var log bytes.Buffer
	if err := story.Tell(ctx, admin, toldSteps(), &log); err != nil {
		return telling{}, fmt.Errorf("%w\n%s", err, log.String())
	}
	return telling{story: time.Since(begun)}, nil
}

// told are the versions of the operator that the catalog offers.
func told(versions ...string) (offered []samples.Operator) {
	for _, version := range versions {
		offered = append(offered, samples.Operator{Package: toldOperator, Version: version})
	}
	return offered
}

func storyPart(memory, processes []telling) part {
	p := part{
		title: "A story in memory and on real processes",
		text: "An operator is installed, upgraded and removed, on a cluster of its own: once as story `" + toldStory + "` of test/scenarios, whose cluster is in memory and whose time is virtual, once by the same steps on the local cluster of etcd, kube-apiserver, kube-controller-manager and the manager. " +
			"“With its cluster”: in memory, from the installation of CustomResourceDefinitions and the payload's manifests on, which a process does once for all of its stories; on real processes, from the start of the processes to their end. Both are built beforehand.",
		ours: "in memory", baseline: "real processes",
	}
	for _, row := range []struct {
		name string
		of   func(telling) time.Duration
	}{
		{"the story", func(t telling) time.Duration { return t.story }},
		{"the story with its cluster", func(t telling) time.Duration { return t.all }},
	} {
		medianOf := func(tellings []telling) float64 {
			var all []float64
			for _, each := range tellings {
				all = append(all, row.of(each).Seconds())
			}
			return median(all)
		}
		p.figures = append(p.figures, figure{name: row.name + ": time", unit: seconds, ours: medianOf(memory), baseline: medianOf(processes), n: len(memory)})
	}
	return p
}
