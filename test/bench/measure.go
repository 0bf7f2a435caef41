package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

const (
	// shortestSample is the minimum duration of a sample. A shorter run is repeated within one sample, so that clock resolution and
	// scheduling hardly affect the result.
	shortestSample = 10 * time.Millisecond
	// maxRepeats is the maximum number of repetitions in one sample.
	maxRepeats = 100_000
	// maxLongSamples is the maximum number of samples of a subject that takes seconds.
	maxLongSamples = 3
)

// cost is the cost of one run of a subject.
type cost struct {
	time time.Duration
	// bytes and allocations are the total size and the number of heap allocations, including those that have been freed since.
	bytes, allocations float64
}

// subject is one side of a comparison.
type subject struct {
	name string
	run  func() error
}

// measureAlternately measures the subjects n times each, in the order A B A B …, after one run of each that is not measured. It returns the
// median costs in the order of the subjects. Nothing else may run in the process, because memory is counted process-wide.
func measureAlternately(n int, subjects ...subject) ([]cost, error) {
	repeats := make([]int, len(subjects))
	for i, s := range subjects {
		start := time.Now()
		if err := s.run(); err != nil {
			return nil, fmt.Errorf("running %s: %w", s.name, err)
		}
		repeats[i] = repeatsFor(time.Since(start))
	}
	samples := make([][]cost, len(subjects))
	for range n {
		for i, s := range subjects {
			c, err := sample(s.run, repeats[i])
			if err != nil {
				return nil, fmt.Errorf("running %s: %w", s.name, err)
			}
			samples[i] = append(samples[i], c)
		}
	}
	medians := make([]cost, len(subjects))
	for i := range samples {
		medians[i] = medianCost(samples[i])
	}
	return medians, nil
}

// repeatsFor returns how many runs make up one sample if a single run takes this long: 1 to maxRepeats.
func repeatsFor(once time.Duration) int {
	if once <= 0 {
		return maxRepeats
	}
	return int(min(max((shortestSample+once-1)/once, 1), maxRepeats))
}

// sample runs a subject the given number of times and returns the mean cost of one run.
func sample(run func() error, repeats int) (cost, error) {
	var before, after runtime.MemStats
	runtime.GC() // collects the other side's garbage
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range repeats {
		if err := run(); err != nil {
			return cost{}, err
		}
	}
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	return cost{
		time:        elapsed / time.Duration(repeats),
		bytes:       float64(after.TotalAlloc-before.TotalAlloc) / float64(repeats),
		allocations: float64(after.Mallocs-before.Mallocs) / float64(repeats),
	}, nil
}

// measureLiveAlternately calls the functions alternately, n times each, and measures how many bytes of heap their results keep alive. It
// returns the medians.
func measureLiveAlternately[T any](n int, makers ...func() (T, error)) ([]float64, error) {
	samples := make([][]float64, len(makers))
	for range n {
		for i, make := range makers {
			live, err := liveHeap(make)
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], live)
		}
	}
	medians := make([]float64, len(makers))
	for i := range samples {
		medians[i] = median(samples[i])
	}
	return medians, nil
}

// liveHeap returns the number of bytes of heap that the result of make keeps alive, measured after garbage collection. It returns 0 if the
// heap has shrunk.
func liveHeap[T any](make func() (T, error)) (float64, error) {
	before := collectedHeap()
	result, err := make()
	if err != nil {
		return 0, err
	}
	after := collectedHeap()
	runtime.KeepAlive(&result)
	return max(float64(after)-float64(before), 0), nil
}

func collectedHeap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // a sync.Pool keeps objects through one collection
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func medianCost(samples []cost) cost {
	var times, bytes, allocations []float64
	for _, s := range samples {
		times = append(times, float64(s.time))
		bytes = append(bytes, s.bytes)
		allocations = append(allocations, s.allocations)
	}
	return cost{time: time.Duration(median(times)), bytes: median(bytes), allocations: median(allocations)}
}

// median returns the middle value, or the mean of the two middle values. It returns 0 if there are no values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// add adds the other cost to c.
func (c *cost) add(other cost) {
	c.time += other.time
	c.bytes += other.bytes
	c.allocations += other.allocations
}
