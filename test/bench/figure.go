package main

import (
	"fmt"
	"math"
	"time"

	"github.com/openshift/platform-operators/test/memorybudget"
)

// unit is what a figure counts, and how it is written.
type unit int

const (
	seconds unit = iota // wall clock, in seconds
	size                // bytes
	count               // things, for example allocations
)

// figure is one number beside its baseline. Less is better, for all of them.
type figure struct {
	name string
	unit unit
	ours float64
	// baseline is zero when nothing else does the same.
	baseline float64
	// n is the number of samples of which ours and baseline are the medians.
	n int
}

// ratio tells how many times as much the baseline needs; above one, ours is the cheaper one.
func (f figure) ratio() (float64, bool) {
	if f.ours <= 0 || f.baseline <= 0 {
		return 0, false
	}
	return f.baseline / f.ours, true
}

// part is one section of the document: a subject, what it is held against, and the figures.
type part struct {
	title string
	// text says what is measured and how, in Markdown.
	text string
	// ours and baseline name the two sides, for the head of the table.
	ours, baseline string
	figures        []figure
	// details is a longer table below the figures, empty when there is none.
	details table
	// memory is what the manager's Deployment follows from, of the part that measures it.
	memory *memorybudget.Figures
	// notes are sentences about what the figures do not show.
	notes []string
}

type table struct {
	caption string
	head    []string
	rows    [][]string
}

// costFigures are the figures of two costs that were measured in turns.
func costFigures(name string, ours, baseline cost, n int) []figure {
	return []figure{
		{name: name + ": time", unit: seconds, ours: ours.time.Seconds(), baseline: baseline.time.Seconds(), n: n},
		{name: name + ": allocated", unit: size, ours: ours.bytes, baseline: baseline.bytes, n: n},
		{name: name + ": allocations", unit: count, ours: ours.allocations, baseline: baseline.allocations, n: n},
	}
}

// format writes a value with three digits that mean something, in the unit of its magnitude.
func (u unit) format(value float64) string {
	switch u {
	case seconds:
		return formatScaled(value*float64(time.Second), 1000, "ns", "µs", "ms", "s")
	case size:
		return formatScaled(value, 1024, "B", "KiB", "MiB", "GiB")
	default:
		return formatScaled(value, 1000, "", "k", "M", "G")
	}
}

func formatScaled(value, step float64, suffixes ...string) string {
	i := 0
	// From 999.5 on, three digits round up to the next unit's first value.
	for i < len(suffixes)-1 && value >= step-step/2000 {
		value /= step
		i++
	}
	digits := 2
	switch {
	case value >= 99.95 || i == 0 && math.Abs(value-math.Round(value)) < 1e-6: // whole things have no decimals
		digits = 0
	case value >= 9.995:
		digits = 1
	}
	text := fmt.Sprintf("%.*f", digits, value)
	if suffixes[i] == "" {
		return text
	}
	return text + " " + suffixes[i]
}
