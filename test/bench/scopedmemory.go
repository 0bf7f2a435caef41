package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// restartedAge is the time between a start of the manager and the measurement of its memory. The manager has synced everything by then.
const restartedAge = 20 * time.Second

// memoryOfRestarts restarts the manager some times, and returns its memory each time.
func (l *live) memoryOfRestarts(ctx context.Context, rounds int) ([]residentMemory, error) {
	var all []residentMemory
	for range rounds {
		if err := l.Manager.Stop(); err != nil {
			return nil, err
		}
		if err := l.Manager.Start(); err != nil {
			return nil, err
		}
		if err := sleep(ctx, restartedAge); err != nil {
			return nil, err
		}
		memory, err := readResidentMemory(l.Manager.PID())
		if err != nil {
			return nil, err
		}
		all = append(all, memory)
	}
	return all, nil
}

// heap returns the size of the manager's heap after the last garbage collection, in bytes. The manager asks the API server whether the admin
// may read metrics, so it must not be called during an idle window.
func (l *live) heap(ctx context.Context) (float64, error) {
	scraper, err := l.newScraper()
	if err != nil {
		return 0, err
	}
	series, err := scraper.scrape(ctx)
	if err != nil {
		return 0, err
	}
	value, found := series[heapLive]
	if !found {
		return 0, fmt.Errorf("reading the manager's metrics: %s is missing", heapLive)
	}
	return value, nil
}

// scopedMemoryFigures returns the figures of the manager's memory, and of the part of it that one deployment takes.
func scopedMemoryFigures(name string, scoped, unscoped scopedIdle) []figure {
	n := len(scoped.after)
	before := median(anonymous(slices.Concat(scoped.before, unscoped.before)))
	each := func(after float64) float64 { return max(after-before, 0) / scopedDeployments }
	ours, theirs := median(anonymous(scoped.after)), median(anonymous(unscoped.after))
	return []figure{
		{name: name + ": anonymous RSS", unit: size, ours: ours, baseline: theirs, n: n},
		{name: name + ": total RSS", unit: size, ours: median(total(scoped.after)), baseline: median(total(unscoped.after)), n: n},
		{name: name + ": live heap", unit: size, ours: scoped.heap, baseline: unscoped.heap, n: 1},
		{name: "each deployment: anonymous RSS", unit: size, ours: each(ours), baseline: each(theirs), n: n},
	}
}

func anonymous(all []residentMemory) (values []float64) {
	for _, each := range all {
		values = append(values, each.anonymous)
	}
	return values
}

func total(all []residentMemory) (values []float64) {
	for _, each := range all {
		values = append(values, each.total)
	}
	return values
}
