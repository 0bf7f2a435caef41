package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

const (
	// onceOperators is the number of operators in the captured cluster. The larger input has onceCopies copies of each.
	onceOperators, onceCopies = 100, 10
	// oncePrefix begins the names of the operators. A copy has another digit.
	oncePrefix = "once0-"
	// onceLater is the time between the capture and the time of a round.
	onceLater = time.Hour
)

// measureOnce installs operators, captures the cluster, and measures a round on the capture and on one with ten times the operators.
func measureOnce(ctx context.Context, dir string, n int, logf func(string, ...any)) (part, error) {
	var offered []samples.Operator
	for i := range onceOperators {
		offered = append(offered, samples.Operator{Package: fmt.Sprintf("%s%02d", oncePrefix, i), Version: sampleVersion})
	}
	return withCluster(ctx, dir, environment.Options{Samples: offered}, logf, func(ctx context.Context, l *live) (part, error) {
		step := installStep(offered)
		step.Within = waitLimit
		if err := step.Run(ctx, l.admin); err != nil {
			return part{}, err
		}
		manager, err := readResidentMemory(l.Manager.PID())
		if err != nil {
			return part{}, err
		}
		return l.measureRounds(ctx, dir, manager, n)
	})
}

// measureRounds captures the cluster, and measures rounds. manager is the memory of the running manager.
func (l *live) measureRounds(ctx context.Context, dir string, manager residentMemory, n int) (part, error) {
	binary, err := l.ManagerBinary()
	if err != nil {
		return part{}, err
	}
	captured, copied := filepath.Join(dir, "captured"), filepath.Join(dir, "copied")
	capture := invocation{path: binary, args: []string{"capture", "--kubeconfig", l.Kubeconfig, "--output-dir", captured}}
	took, err := capture.run(ctx)
	if err != nil {
		return part{}, err
	}
	l.logf("captured %d operators in %s", onceOperators, took.took)
	version, err := l.admin.Kubernetes.Discovery().ServerVersion()
	if err != nil {
		return part{}, err
	}
	if err := copyOperators(ctx, captured, copied, version.GitVersion); err != nil {
		return part{}, fmt.Errorf("copying the capture: %w", err)
	}
	var measured [2]onceRound
	for i, input := range []string{captured, copied} {
		if measured[i], err = l.measureRound(ctx, input, filepath.Join(dir, fmt.Sprintf("output-%d", i)), version.GitVersion, n); err != nil {
			return part{}, err
		}
		l.logf("a round on %s: %s, peak anonymous RSS %s, %d mutations", filepath.Base(input), seconds.format(measured[i].took), size.format(measured[i].memory), measured[i].mutations)
	}
	return oncePart(measured, took, manager, n), nil
}

// onceRound is a measured round: its time in seconds, its peak anonymous RSS in bytes, and its mutations.
type onceRound struct {
	took, memory float64
	mutations    int
}

// measureRound runs a round n times after one that is not measured, and returns the medians.
func (l *live) measureRound(ctx context.Context, input, output, kubernetesVersion string, n int) (onceRound, error) {
	binary, err := l.ManagerBinary()
	if err != nil {
		return onceRound{}, err
	}
	var times, memory []float64
	var last onceRound
	for i := range n + 1 {
		out := fmt.Sprintf("%s-%d", output, i)
		round := invocation{path: binary, args: []string{"apply-configuration", "--input-dir", input, "--output-dir", out,
			"--now", time.Now().Add(onceLater).UTC().Format(time.RFC3339), "--kubernetes-version", kubernetesVersion}}
		used, err := round.run(ctx)
		if err != nil {
			return onceRound{}, err
		}
		if i > 0 {
			times, memory = append(times, used.took.Seconds()), append(memory, used.memory)
		}
		bodies, err := filepath.Glob(filepath.Join(out, "Configuration", "*", "*", "*", "*", "*-body-*"))
		if err != nil {
			return onceRound{}, err
		}
		namespaced, err := filepath.Glob(filepath.Join(out, "Configuration", "*", "*", "*", "*", "*", "*-body-*"))
		if err != nil {
			return onceRound{}, err
		}
		last.mutations = len(bodies) + len(namespaced)
	}
	last.took, last.memory = median(times), median(memory)
	return last, nil
}

func oncePart(measured [2]onceRound, capture usage, manager residentMemory, n int) part {
	return part{
		title: "Reconciling once",
		text: fmt.Sprintf("`platform-operators capture` copies a cluster with %[1]d installed operators to a directory, in %[2]s. `platform-operators apply-configuration` then runs one round on the directory, without the content of catalogs. "+
			"The figures are those of the whole process. The larger input has ten copies of each operator, under other names. Both inputs are at rest: their rounds had %[3]d and %[4]d mutations. "+
			"Memory is the peak anonymous RSS, sampled every 5 ms. The targets for %[1]d operators are 2 s, and less memory than the running manager. The target for %[5]d operators is 12 times the time of %[1]d.\n\n"+
			"For the smaller input, the baseline of the memory is the running manager after it has installed the same operators. For the larger input, the baseline is the smaller one.",
			onceOperators, seconds.format(capture.took.Seconds()), measured[0].mutations, measured[1].mutations, onceOperators*onceCopies),
		ours: "round", baseline: "baseline",
		figures: []figure{
			{name: fmt.Sprintf("%d operators: memory", onceOperators), unit: size, ours: measured[0].memory, baseline: manager.anonymous, n: n},
			{name: fmt.Sprintf("%d operators: time", onceOperators*onceCopies), unit: seconds, ours: measured[1].took, baseline: measured[0].took, n: n},
			{name: fmt.Sprintf("%d operators: memory", onceOperators*onceCopies), unit: size, ours: measured[1].memory, baseline: measured[0].memory, n: n},
		},
	}
}
