package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticksPerSecond is USER_HZ: /proc gives processor times in hundredths of a second on all architectures.
const ticksPerSecond = 100

// processorTime returns the user and system time of a process since its start, in seconds.
func processorTime(pid int) (float64, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return parseProcessorTime(string(content))
}

// parseProcessorTime returns the sum of user and system time, in seconds, from the content of /proc/<pid>/stat. The second field is the
// program's name in parentheses, which can contain spaces and parentheses.
func parseProcessorTime(stat string) (float64, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const user, system = 11, 12 // indexes of utime and stime, counted from the state, which follows the name
	if len(fields) <= system {
		return 0, fmt.Errorf("reading the processor time: %.40q has no such field", stat)
	}
	var ticks uint64
	for _, field := range fields[user : system+1] {
		value, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reading the processor time: %w", err)
		}
		ticks += value
	}
	return float64(ticks) / ticksPerSecond, nil
}

// sampleInterval is the time between two samples of memory. A shorter peak may be missed.
const sampleInterval = 5 * time.Millisecond

// peak holds the anonymous memory of a process before a run and its maximum during the run, in bytes.
type peak struct {
	before, most float64
}

// watchPeak calls run, and samples the memory of a process every sampleInterval until run returns. It returns the error from run.
func watchPeak(ctx context.Context, pid int, run func() error) (peak, error) {
	first, err := readResidentMemory(pid)
	if err != nil {
		return peak{}, err
	}
	p := peak{before: first.anonymous, most: first.anonymous}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(sampleInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if now, err := readResidentMemory(pid); err == nil {
					p.most = max(p.most, now.anonymous)
				}
			}
		}
	}()
	err = run()
	cancel()
	<-done
	return p, err
}

// extra returns by how much the maximum exceeds the memory before the run, in bytes.
func (p peak) extra() float64 { return p.most - p.before }
