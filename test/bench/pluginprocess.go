package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

// The first argument of this program in the baselines' processes.
const (
	loadArgument     = "load-catalogs"
	validateArgument = "validate-catalogs"
)

// invocation is a run of a program. It may end with the exit code permitted, or with 0.
type invocation struct {
	path      string
	args      []string
	permitted int
}

// usage is what an invocation took.
type usage struct {
	took   time.Duration
	memory float64 // the peak, in bytes
}

// run runs the program to its end. It returns an error with the program's standard error if the exit code is not permitted.
func (i invocation) run(ctx context.Context) (usage, error) {
	command := exec.CommandContext(ctx, i.path, i.args...)
	var problems bytes.Buffer
	command.Stderr = &problems
	start := time.Now()
	if err := command.Start(); err != nil {
		return usage{}, err
	}
	memory, err := watchPeak(ctx, command.Process.Pid, command.Wait)
	took := time.Since(start)
	if ended := new(exec.ExitError); errors.As(err, &ended) && ended.ExitCode() == i.permitted {
		err = nil
	}
	if err != nil {
		return usage{}, fmt.Errorf("running %s %q: %w\n%s", i.path, i.args, err, problems.Bytes())
	}
	return usage{took: took, memory: memory.most}, nil
}

// comparison is a command of the plugin and its baseline.
type comparison struct {
	name           string
	ours, baseline invocation
}

// measure runs both n times, in the order A B A B …, after one run of each that is not measured. It returns the median time and memory.
func (c comparison) measure(ctx context.Context, n int) ([]figure, error) {
	var times, memory [2][]float64
	for round := range n + 1 {
		for side, each := range []invocation{c.ours, c.baseline} {
			used, err := each.run(ctx)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[side] = append(times[side], used.took.Seconds())
				memory[side] = append(memory[side], used.memory)
			}
		}
	}
	return []figure{
		{name: c.name + ": time", unit: seconds, ours: median(times[0]), baseline: median(times[1]), n: n},
		{name: c.name + ": memory", unit: size, ours: median(memory[0]), baseline: median(memory[1]), n: n},
	}, nil
}

// loadCatalogs is the main function of a baseline's process: it reads the catalogs in the folders with operator-registry, and validates each
// of them if validate is true.
func loadCatalogs(folders []string, validate bool) error {
	for _, folder := range folders {
		config, err := declcfg.LoadFS(context.Background(), os.DirFS(folder))
		if err != nil {
			return fmt.Errorf("reading catalog %q: %w", folder, err)
		}
		if !validate {
			continue
		}
		if _, err := declcfg.ConvertToModel(*config); err != nil {
			return fmt.Errorf("validating catalog %q: %w", folder, err)
		}
	}
	return nil
}
