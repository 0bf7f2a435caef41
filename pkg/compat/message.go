package compat

import (
	"fmt"
	"slices"
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
	maxNote    = 300
	// maxOverridden bounds what an override says that it is for, as the API does.
	maxOverridden = 16
)

// text is a message in the making: what must be said, a line for each blocker, then groups that are left out where there is no room.
type text struct {
	head   string
	lines  []string
	groups []group
}

// group is a heading, and lines under it; there may be none.
type group struct {
	heading string
	lines   []string
}

func (t *text) add(g group) {
	if g.heading != "" {
		t.groups = append(t.groups, g)
	}
}

// render gives the message with these notes at its end. The notes' room is taken from the lines', because they are what is new.
func (t text) render(notes ...string) string {
	message := []string{t.head}
	room := MaxMessage - cost(t.head)
	var noted []string
	for _, note := range notes {
		if note = cut(note, maxNote); cost(note) <= room {
			noted = append(noted, note)
			room -= cost(note)
		}
	}
	lines, room := fill(t.lines, room)
	message = append(message, lines...)
	for _, g := range t.groups {
		shown, left := fill(g.lines, room-cost(g.heading))
		if left < 0 || len(g.lines) > 0 && shown[0] != g.lines[0] { // a heading needs a line that tells something
			continue
		}
		message = append(append(message, g.heading), shown...)
		room = left
	}
	return strings.Join(append(message, noted...), "\n")
}

// fill takes lines as far as there is room for them, then how many more there are, and says how much room is left.
func fill(lines []string, room int) (shown []string, left int) {
	for i, line := range lines {
		rest := len(lines) - i
		need := cost(line)
		if rest > 1 {
			need += cost(andMore(rest))
		}
		if need > room {
			return append(shown, andMore(rest)), room - cost(andMore(rest))
		}
		shown = append(shown, line)
		room -= cost(line)
	}
	return shown, room
}

// permits is the message when nothing blocks.
func permits(next Minor, operators tally, verdict Verdict) text {
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

// warns names what is applied as a ServiceAccount and may not run on the next minor version; nothing where nothing is.
func warns(scoped []Blocker) group {
	if len(scoped) == 0 {
		return group{}
	}
	return group{
		heading: fmt.Sprintf("Does not permit that version, but does not block it, because a ServiceAccount applies it: %s:", distinct(scoped)),
		lines:   linesOf(scoped, Blocker.subject),
	}
}

// later says what would be in the way of the minor version after the next, and what to do about it; nothing where nothing would.
func later(far Minor, blockers []Blocker) group {
	if len(blockers) == 0 {
		return group{}
	}
	return group{
		heading: fmt.Sprintf("After that, upgrades to %s will be blocked by %s:", far.Names(), distinct(blockers)),
		lines:   linesOf(blockers, Blocker.line),
	}
}

// blocks is the message when something does. after is how far updates of all operators would let the cluster go.
func blocks(next Minor, verdict Verdict, after Minor) text {
	t := text{
		head:  fmt.Sprintf("Cluster upgrades to %s are blocked by %s:", next.Names(), distinct(verdict.Blockers)),
		lines: linesOf(verdict.Blockers, Blocker.line),
	}
	if slices.ContainsFunc(verdict.Blockers, func(b Blocker) bool { return b.cornered }) {
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

// line names the operator, its version, its maximum and the remedy.
func (b Blocker) line() string { return b.subject() + ": " + b.Remedy }

// riskLine names the override in the place of the remedy.
func (b Blocker) riskLine() string { return b.subject() + ": " + b.Risk.words() }

// subject names the operator, its version and its maximum.
func (b Blocker) subject() string {
	name := cut(b.Operator, maxName)
	if b.Kind == KindBundleDeployment {
		name = b.Kind + " " + name
	}
	if b.Package != b.Operator && b.Package != "" {
		name += " (package " + cut(b.Package, maxName) + ")"
	}
	if b.Version != "" { // a bundle without metadata has none
		name += " " + cut(b.Version, maxVersion)
	}
	if b.Fault != nil {
		return fmt.Sprintf("- %s %s", name, cut(b.Fault.Error(), maxWhy))
	}
	return fmt.Sprintf("- %s allows at most %s", name, b.Max.Names())
}

// cost is what a line takes of MaxMessage: itself, its end and what is written before it.
func cost(line string) int {
	return LinePrefix + len(line) + 1
}

func andMore(n int) string {
	return fmt.Sprintf("and %d more", n)
}

// tally counts operators by the kind of object that they are installed by.
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

// String is "2 platform operators and 1 BundleDeployment".
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

// tallyOf counts each operator once: one that is between two versions is there with both. They are sorted by kind and name.
func tallyOf(operators []Operator) (t tally) {
	for i, each := range operators {
		if i == 0 || each.Kind != operators[i-1].Kind || each.Name != operators[i-1].Name {
			t.add(each.Kind)
		}
	}
	return t
}

// distinct counts operators: one that is between two versions may block with both.
func distinct(blockers []Blocker) (t tally) {
	for i, blocker := range blockers {
		if i == 0 || blocker.Kind != blockers[i-1].Kind || blocker.Operator != blockers[i-1].Operator {
			t.add(blocker.Kind)
		}
	}
	return t
}
