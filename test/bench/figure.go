package main

import (
	"fmt"
	"math"
	"time"

	"github.com/openshift/platform-operators/test/memorybudget"
)

// unit is the unit of a figure, which determines its format.
type unit int

const (
	seconds unit = iota // wall clock, in seconds
	size                // bytes
	count               // a number, for example of allocations
)

// figure is a measured value with its baseline. Lower is better.
type figure struct {
	name string
	unit unit
	ours float64
	// baseline is 0 if there is none.
	baseline float64
	// n is the number of samples. ours and baseline are the medians of the samples, except that numbers of requests are maxima, and that a
	// figure that is named after a percentile or the mean is that.
	n int
}

// ratio returns baseline ÷ ours. The bool is false if there is no baseline or ours is zero.
func (f figure) ratio() (float64, bool) {
	if f.ours <= 0 || f.baseline <= 0 {
		return 0, false
	}
	return f.baseline / f.ours, true
}

// part is a section of the document.
type part struct {
	title string
	// text describes what is measured and how, in Markdown.
	text string
	// ours and baseline are the names of the two sides in the table header.
	ours, baseline string
	figures        []figure
	// details is an additional table below the figures and notes. It is left out if it has no rows.
	details table
	// memory holds the figures for the Deployment's memory request. It is nil except in part "memory".
	memory *memorybudget.Figures
	// notes are paragraphs between the figures and the details.
	notes []string
}

type table struct {
	caption string
	head    []string
	rows    [][]string
}

// costFigures returns figures for the time, the bytes and the allocations of two costs that were measured alternately.
func costFigures(name string, ours, baseline cost, n int) []figure {
	return []figure{
		{name: name + ": time", unit: seconds, ours: ours.time.Seconds(), baseline: baseline.time.Seconds(), n: n},
		{name: name + ": allocated", unit: size, ours: ours.bytes, baseline: baseline.bytes, n: n},
		{name: name + ": allocations", unit: count, ours: ours.allocations, baseline: baseline.allocations, n: n},
	}
}

// format formats a value with three significant digits, in a suitable unit. A whole number of the smallest unit has no decimals.
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
	// 999.5 and above round to the first value of the next unit.
	for i < len(suffixes)-1 && value >= step-step/2000 {
		value /= step
		i++
	}
	digits := 2
	switch {
	case value >= 99.95 || i == 0 && math.Abs(value-math.Round(value)) < 1e-6: // whole numbers have no decimals
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
