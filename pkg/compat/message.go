package compat

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// MaxMessage is the maximum size of a verdict's message in the ClusterOperator, in bytes, including LinePrefix for each line.
	MaxMessage = 1500
	// LinePrefix is the number of bytes of each line that are reserved for the name of the operator resource's condition. library-go adds the
	// name to each line when it merges conditions.
	LinePrefix = 48

	maxName    = 63
	maxVersion = 64
	maxWhy     = 160
	maxCause   = 300
	maxNote    = 300
	// maxOverridden is the maximum size of the version of an override in a message, in bytes; the API has the same limit.
	maxOverridden = 16
)

// text is the draft of a message: a mandatory head, one line for each blocker, and groups. Lines and groups are omitted if they do not fit.
type text struct {
	head   string
	lines  []string
	groups []group
}

// group is a heading with lines below it, possibly none.
type group struct {
	heading string
	lines   []string
}

func (t *text) add(g group) {
	if g.heading != "" {
		t.groups = append(t.groups, g)
	}
}

// render formats the message with notes at its end, in at most MaxMessage bytes. The notes take precedence over the other lines, because
// they are new.
func (t text) render(notes ...string) string {
	message := []string{t.head}
	space := MaxMessage - cost(t.head)
	var noted []string
	for _, note := range notes {
		if note = cut(note, maxNote); cost(note) <= space {
			noted = append(noted, note)
			space -= cost(note)
		}
	}
	lines, space := fill(t.lines, space)
	message = append(message, lines...)
	for _, g := range t.groups {
		shown, left := fill(g.lines, space-cost(g.heading))
		if left < 0 || len(g.lines) > 0 && shown[0] != g.lines[0] { // a heading needs at least one line with content
			continue
		}
		message = append(append(message, g.heading), shown...)
		space = left
	}
	return strings.Join(append(message, noted...), "\n")
}

// fill returns the lines that fit into space, in bytes, and then a line with the number of the others. left is the remaining space; it is
// negative if not even that line fits.
func fill(lines []string, space int) (shown []string, left int) {
	for i, line := range lines {
		rest := len(lines) - i
		need := cost(line)
		if rest > 1 {
			need += cost(andMore(rest))
		}
		if need > space {
			return append(shown, andMore(rest)), space - cost(andMore(rest))
		}
		shown = append(shown, line)
		space -= cost(line)
	}
	return shown, space
}

// permittedText returns the message of a verdict without blockers.
func permittedText(next Minor, operators tally, verdict Verdict) text {
	if operators.total() == 0 {
		return text{head: fmt.Sprintf("No platform operator is installed that could block cluster upgrades to %s", next.Names())}
	}
	risks := verdict.Acknowledged
	head := fmt.Sprintf("Cluster upgrades to %s are permitted by %s", next.Names(), operators.without(distinct(risks)))
	if verdict.Undeclared > 0 {
		verb := "declare"
		if verdict.Undeclared == 1 {
			verb = "declares"
		}
		head += fmt.Sprintf(", of which %d %s no olm.maxOpenShiftVersion", verdict.Undeclared, verb)
	}
	switch {
	case len(risks) > 0 && distinct(risks) == operators:
		head = fmt.Sprintf("Cluster upgrades to %s are permitted at an acknowledged risk in spite of %s:", next.Names(), operators)
	case len(risks) > 0:
		head += fmt.Sprintf(", and at an acknowledged risk in spite of %s:", distinct(risks))
	}
	return text{head: head, lines: linesOf(risks, Blocker.riskLine)}
}

// scopedGroup returns the group of the bundles in scoped, which a ServiceAccount applies and which do not permit the next minor version. It
// is empty if there are none.
func scopedGroup(scoped []Blocker) group {
	if len(scoped) == 0 {
		return group{}
	}
	return group{
		heading: fmt.Sprintf("Does not permit that version, but does not block it, because a ServiceAccount applies it: %s:", distinct(scoped)),
		lines:   linesOf(scoped, Blocker.subject),
	}
}

// laterGroup returns the group of the bundles that do not permit far, the minor version after the next, with remedies. It is empty if there
// are none.
func laterGroup(far Minor, blockers []Blocker) group {
	if len(blockers) == 0 {
		return group{}
	}
	return group{
		heading: fmt.Sprintf("After that, upgrades to %s will be blocked by %s:", far.Names(), distinct(blockers)),
		lines:   linesOf(blockers, Blocker.line),
	}
}

// blockedText returns the message of a verdict with blockers. after is the highest minor version that all operators permit after their
// updates.
func blockedText(next Minor, verdict Verdict, after Minor) text {
	t := text{
		head:  fmt.Sprintf("Cluster upgrades to %s are blocked by %s:", next.Names(), distinct(verdict.Blockers)),
		lines: linesOf(verdict.Blockers, Blocker.line),
	}
	if slices.ContainsFunc(verdict.Blockers, func(b Blocker) bool { return b.hasNoRemedy }) {
		t.add(group{heading: "Where no version allows it, spec.compatibilityOverrides of the PlatformOperator takes the risk for a time"})
	}
	if len(verdict.Acknowledged) > 0 {
		t.add(group{"At an acknowledged risk not blocked by:", linesOf(verdict.Acknowledged, Blocker.riskLine)})
	}
	if after.Compare(next) > 0 {
		t.add(group{heading: fmt.Sprintf("Updates of platform operators that can be made would permit upgrades up to %s", after.Names())})
	}
	return t
}

func linesOf(blockers []Blocker, line func(Blocker) string) []string {
	lines := make([]string, 0, len(blockers))
	for _, blocker := range blockers {
		lines = append(lines, line(blocker))
	}
	return lines
}

// line returns the line for a blocker, with the operator, its version, its maximum and the remedy.
func (b Blocker) line() string { return b.subject() + ": " + b.Remedy }

// riskLine returns the line for a blocker with an override, which has the override in place of the remedy.
func (b Blocker) riskLine() string { return b.subject() + ": " + b.Risk.describe() }

// subject returns the beginning of a blocker's line: the operator, its version, and its maximum or the error.
func (b Blocker) subject() string {
	name := cut(b.Operator, maxName)
	if b.Kind == KindBundleDeployment {
		name = b.Kind + " " + name
	}
	if b.Package != b.Operator && b.Package != "" {
		name += " (package " + cut(b.Package, maxName) + ")"
	}
	if b.Version != "" { // a bundle without metadata has no version
		name += " " + cut(b.Version, maxVersion)
	}
	if b.Fault != nil {
		return fmt.Sprintf("- %s %s", name, cut(b.Fault.Error(), maxWhy))
	}
	return fmt.Sprintf("- %s allows at most %s", name, b.Max.Names())
}

// cost returns the number of bytes of MaxMessage that a line takes, including LinePrefix and the line feed.
func cost(line string) int {
	return LinePrefix + len(line) + 1
}

func andMore(n int) string {
	return fmt.Sprintf("and %d more", n)
}

// tally has the number of operators for each kind of object that installs them.
type tally struct{ operators, deployments int }

func (t *tally) add(kind string) {
	if kind == KindBundleDeployment {
		t.deployments++
		return
	}
	t.operators++
}

func (t tally) total() int { return t.operators + t.deployments }

func (t tally) without(other tally) tally {
	return tally{t.operators - other.operators, t.deployments - other.deployments}
}

// String returns the numbers with their nouns, for example "2 platform operators and 1 BundleDeployment".
func (t tally) String() string {
	operators, deployments := plural(t.operators, "platform operator"), plural(t.deployments, KindBundleDeployment)
	switch {
	case t.deployments == 0:
		return operators
	case t.operators == 0:
		return deployments
	}
	return operators + " and " + deployments
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// tallyOf returns the number of operators in a list that is sorted by kind and name. An operator between two versions is in the list twice,
// and adds one to the number.
func tallyOf(operators []Operator) (t tally) {
	for i, each := range operators {
		if i == 0 || each.Kind != operators[i-1].Kind || each.Name != operators[i-1].Name {
			t.add(each.Kind)
		}
	}
	return t
}

// distinct returns the number of operators among blockers, which are sorted by kind and name. An operator between two versions may have two
// blockers, and adds one to the number.
func distinct(blockers []Blocker) (t tally) {
	for i, blocker := range blockers {
		if i == 0 || blocker.Kind != blockers[i-1].Kind || blocker.Operator != blockers[i-1].Operator {
			t.add(blocker.Kind)
		}
	}
	return t
}
