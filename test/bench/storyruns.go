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

// comparedStory is the scenario of test/scenarios that runs on both sides, and comparedOperator is its operator.
const comparedStory, comparedOperator = "install-upgrade-remove", "memo"

// inMemory is the path, relative to test/scenarios, of the script that runs a command with temporary files in memory. "make test-scenarios"
// also uses the script.
const inMemory = "../../hack/in-memory.sh"

// storyRun holds two times of one run of a scenario: story excludes the start of the cluster, and all includes it.
type storyRun struct{ story, all time.Duration }

// measureStories measures a scenario in memory, and the same steps on a local cluster with real processes.
func measureStories(ctx context.Context, dir string, rounds int, logf func(string, ...any)) (part, error) {
	binary, err := buildStories(ctx, dir)
	if err != nil {
		return part{}, err
	}
	var memory, processes []storyRun
	for round := range rounds {
		ours, err := runInMemory(ctx, binary)
		if err != nil {
			return part{}, err
		}
		onProcesses, err := runOnProcesses(ctx, filepath.Join(dir, fmt.Sprintf("round-%d", round)))
		if err != nil {
			return part{}, err
		}
		memory, processes = append(memory, ours), append(processes, onProcesses)
		logf("a scenario in memory: %s, on real processes: %s", ours.story.Round(time.Millisecond), onProcesses.story.Round(time.Millisecond))
	}
	hundred, err := runHundred(ctx, binary)
	if err != nil {
		return part{}, err
	}
	logf("a hundred scenarios in memory: %s", hundred.Round(time.Second))
	p := storyPart(memory, processes)
	p.figures = append(p.figures, figure{name: "100 scenarios of test/scenarios, in one process: time", unit: seconds, ours: hundred.Seconds(), n: 1})
	return p, nil
}

// buildStories builds the scenarios' test binary in a folder, and the objects that it reads. It returns the path of the binary.
func buildStories(ctx context.Context, dir string) (binary string, err error) {
	binary = filepath.Join(dir, "scenarios.test")
	for _, command := range [][]string{{"make", "scenario-objects"}, {"go", "test", "-vet=off", "-c", "-o", binary, "./test/scenarios"}} {
		run := exec.CommandContext(ctx, command[0], command[1:]...)
		run.Stdout, run.Stderr = os.Stderr, os.Stderr
		if err := run.Run(); err != nil {
			return "", fmt.Errorf("building the scenarios: %w", err)
		}
	}
	return binary, nil
}

// runInMemory runs the scenario twice in one process. The first run also creates the cluster, which the second run copies.
func runInMemory(ctx context.Context, binary string) (storyRun, error) {
	run := exec.CommandContext(ctx, inMemory, binary, "-test.v", "-test.count=2", "-test.run=^TestStories$/^"+comparedStory+"$")
	run.Dir = filepath.Join("test", "scenarios")
	output, err := run.CombinedOutput()
	if err != nil {
		return storyRun{}, fmt.Errorf("running scenario %q: %w\n%s", comparedStory, err, failure(output))
	}
	return parseStoryRun(output)
}

// runHundred runs a hundred scenarios in one process and returns the time.
func runHundred(ctx context.Context, binary string) (time.Duration, error) {
	run := exec.CommandContext(ctx, inMemory, binary, "-sample=100", "-seed=1")
	run.Dir = filepath.Join("test", "scenarios")
	start := time.Now()
	if output, err := run.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("running a hundred scenarios: %w\n%s", err, failure(output))
	}
	return time.Since(start), nil
}

// failure returns the part of the output of go test that begins at the first failed test, or at the start if no test failed. It returns at
// most 2000 bytes.
func failure(output []byte) []byte {
	failed := max(0, bytes.Index(output, []byte("--- FAIL: ")))
	return output[failed:min(len(output), failed+2000)]
}

// passed matches the line in which go test reports that the scenario passed. Its submatch is the duration.
var passed = regexp.MustCompile(`(?m)^ +--- PASS: TestStories/` + comparedStory + ` \(([0-9.]+s)\)$`)

func parseStoryRun(output []byte) (storyRun, error) {
	found := passed.FindAllSubmatch(output, -1)
	if len(found) != 2 {
		return storyRun{}, fmt.Errorf("reading the time of scenario %q: it passed %d times, want 2", comparedStory, len(found))
	}
	all, err := time.ParseDuration(string(found[0][1]))
	if err != nil {
		return storyRun{}, err
	}
	alone, err := time.ParseDuration(string(found[1][1]))
	return storyRun{story: alone, all: all}, err
}

// runOnProcesses starts a local cluster, runs the scenario's steps, and stops the cluster. took.all includes the stop.
func runOnProcesses(ctx context.Context, dir string) (took storyRun, err error) {
	start := time.Now()
	env, err := environment.Start(ctx, environment.Options{Dir: dir, Log: os.Stderr, OpenShiftVersion: story.ClusterVersion, Samples: offeredVersions("1.0.0")})
	if err != nil {
		return storyRun{}, fmt.Errorf("starting the local cluster and the manager: %w", err)
	}
	defer func() {
		err = errors.Join(err, env.Stop())
		took.all = time.Since(start)
	}()
	admin, err := story.NewAdmin(env)
	if err != nil {
		return storyRun{}, err
	}
	if err := managerIsRunning().Run(ctx, admin); err != nil {
		return storyRun{}, err
	}
	begun := time.Now()
	var log bytes.Buffer
	if err := story.Tell(ctx, admin, comparedSteps(), &log); err != nil {
		return storyRun{}, fmt.Errorf("%w\n%s", err, log.String())
	}
	return storyRun{story: time.Since(begun)}, nil
}

// offeredVersions returns a sample operator for each version of comparedOperator.
func offeredVersions(versions ...string) (offered []samples.Operator) {
	for _, version := range versions {
		offered = append(offered, samples.Operator{Package: comparedOperator, Version: version})
	}
	return offered
}

func storyPart(memory, processes []storyRun) part {
	p := part{
		title: "A scenario in memory and on real processes",
		text: "A scenario installs, upgrades and removes one operator on its own cluster. In memory, it is scenario `" + comparedStory + "` of test/scenarios, in virtual time. On real processes, the same steps run against the local cluster of etcd, kube-apiserver, kube-controller-manager and the manager. " +
			"“With its cluster” adds the start of the cluster. In memory, that is the installation of CustomResourceDefinitions and of the payload's manifests, once per process. On real processes, it is their start and stop. All programs are built before.",
		ours: "in memory", baseline: "real processes",
	}
	for _, row := range []struct {
		name string
		of   func(storyRun) time.Duration
	}{
		{"the scenario", func(t storyRun) time.Duration { return t.story }},
		{"the scenario with its cluster", func(t storyRun) time.Duration { return t.all }},
	} {
		medianOf := func(runs []storyRun) float64 {
			var all []float64
			for _, each := range runs {
				all = append(all, row.of(each).Seconds())
			}
			return median(all)
		}
		p.figures = append(p.figures, figure{name: row.name + ": time", unit: seconds, ours: medianOf(memory), baseline: medianOf(processes), n: len(memory)})
	}
	return p
}
