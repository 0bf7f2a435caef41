package compat

import (
	"fmt"
	"strings"
)

const (
	// MaxMessage bounds a verdict's message as the ClusterOperator shows it, in bytes.
	MaxMessage = 1500
	// LinePrefix is how many bytes of MaxMessage are left, on each line, to the name of the operator CR's condition:
	// library-go writes it before every line when it unites conditions.
	LinePrefix = 48

	maxName    = 63
	maxVersion = 64
	maxWhy     = 160
	maxCause   = 300
)

// permits is the message when nothing blocks.
func permits(next Minor, operators, undeclared int) string {
	switch {
	case operators == 0:
		return fmt.Sprintf("No platform operator is installed that could block cluster upgrades to %s", next.names())
	case undeclared == 0:
		return fmt.Sprintf("Cluster upgrades to %s are permitted by %s", next.names(), count(operators))
	}
	return fmt.Sprintf("Cluster upgrades to %s are permitted by %s, of which %d declare no olm.maxOpenShiftVersion", next.names(), count(operators), undeclared)
}

// blocks is the message when something does: a line that says what is blocked, then a line for each blocker as far as
// they fit, then how many more there are.
func blocks(next Minor, blockers []Blocker) string {
	lines := []string{fmt.Sprintf("Cluster upgrades to %s are blocked by %s:", next.names(), count(distinct(blockers)))}
	room := MaxMessage - cost(lines[0])
	for i, blocker := range blockers {
		line, rest := blocker.line(), len(blockers)-i
		need := cost(line)
		if rest > 1 {
			need += cost(andMore(rest))
		}
		if need > room {
			lines = append(lines, andMore(rest))
			break
		}
		lines = append(lines, line)
		room -= cost(line)
	}
	return strings.Join(lines, "\n")
}

// line names the operator, its version, its maximum and the remedy.
func (b Blocker) line() string {
	name := cut(b.Operator, maxName)
	if b.Package != b.Operator && b.Package != "" {
		name += " (package " + cut(b.Package, maxName) + ")"
	}
	var permits string
	if b.Fault != nil {
		permits = cut(b.Fault.Error(), maxWhy)
	} else {
		permits = "allows at most " + b.Max.String()
	}
	return fmt.Sprintf("- %s %s %s: %s", name, cut(b.Version, maxVersion), permits, b.Remedy)
}

// cost is what a line takes of MaxMessage: itself, its end and what is written before it.
func cost(line string) int {
	return LinePrefix + len(line) + 1
}

func andMore(n int) string {
	return fmt.Sprintf("and %d more", n)
}

func count(operators int) string {
	if operators == 1 {
		return "1 platform operator"
	}
	return fmt.Sprintf("%d platform operators", operators)
}

// distinct counts operators: one that is between two versions may block with both.
func distinct(blockers []Blocker) int {
	n := 0
	for i, blocker := range blockers {
		if i == 0 || blocker.Operator != blockers[i-1].Operator {
			n++
		}
	}
	return n
}
