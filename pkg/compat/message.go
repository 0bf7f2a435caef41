package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/ocplatform"
)

const (
	// MaxMessage is the maximum size of a verdict's message in the ClusterOperator, in bytes, including LinePrefix for each line.
	MaxMessage = 1500
	// LinePrefix is the number of bytes that are reserved in each line for the name of the operator resource's condition. library-go adds
	// the name to each line when it merges conditions.
	LinePrefix = 48

	// maxName, maxVersion, maxWhy, maxCause and maxNote are the maximum sizes of parts of a message, in bytes.
	maxName    = 63
	maxVersion = 64
	maxWhy     = 160
	maxCause   = 300
	maxNote    = 300
	// maxOverridden is the maximum size of an override's version in a message, in bytes; the API has the same limit.
	maxOverridden = 16
)

// text is the draft of a message: a mandatory head, one line for each blocker, groups, and the next step. Lines and groups are omitted if
// they do not fit.
type text struct {
	head   string
	lines  []string
	groups []group
	// more is the line before the next step, with a command that shows the other next steps; empty if there is none. It is omitted if the
	// notes leave no space.
	more string
	// nextStep is the last line; empty if there is none.
	nextStep string
}

// group is a heading and the lines below it, of which there may be none.
type group struct {
	heading string
	lines   []string
}

func (t *text) add(g group) {
	if g.heading != "" {
		t.groups = append(t.groups, g)
	}
}

// render formats the message in at most MaxMessage bytes. The notes precede the lines about the next step. The next step takes precedence
// over the notes, and both take precedence over the other lines.
func (t text) render(notes ...string) string {
	message := []string{t.head}
	space := MaxMessage - cost(t.head)
	if t.nextStep != "" {
		space -= cost(t.nextStep)
	}
	var last []string
	for _, note := range notes {
		if note = cut(note, maxNote); cost(note) <= space {
			last = append(last, note)
			space -= cost(note)
		}
	}
	if t.more != "" && cost(t.more) <= space {
		last = append(last, t.more)
		space -= cost(t.more)
	}
	if t.nextStep != "" {
		last = append(last, t.nextStep)
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
	return strings.Join(append(message, last...), "\n")
}

// fill returns the lines that fit into space, in bytes. If some do not fit, it adds a line with their number. left is the remaining space;
// it is negative if not even that line fits.
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

// component begins each message, because the CVO shows the message without the name of the ClusterOperator.
const component = "platform-operators: "

// permittedText returns the message for a verdict without blockers.
func permittedText(next Minor, operators tally, verdict Verdict) text {
	if operators.total() == 0 {
		return text{head: component + fmt.Sprintf("no installed PlatformOperator can block an upgrade to OpenShift %s.", next.Names())}
	}
	risks := distinct(verdict.Acknowledged)
	permitting := operators.without(risks)
	head := fmt.Sprintf("%s OpenShift %s", permitting.with("permits", "permit"), next.Names())
	switch n := verdict.Undeclared; {
	case n == 0:
	case permitting.total() == 1:
		head += "; it declares no olm.maxOpenShiftVersion"
	default:
		head += fmt.Sprintf("; %d of them %s no olm.maxOpenShiftVersion", n, agree(n, "declares", "declare"))
	}
	switch {
	case permitting.total() == 0:
		head = fmt.Sprintf("OpenShift %s is permitted because the %s overridden:", next.Names(), limitsOf(risks))
	case risks.total() > 0:
		head += fmt.Sprintf("; the %s overridden:", limitsOf(risks))
	default:
		head += "."
	}
	return text{head: component + head, lines: linesOf(verdict.Acknowledged, Blocker.riskLine)}
}

// limitsOf returns the beginning of a clause about the limits of operators, such as "limits of 2 PlatformOperators are".
func limitsOf(operators tally) string {
	return fmt.Sprintf("%s of %s %s", agree(operators.total(), "limit", "limits"), operators, agree(operators.total(), "is", "are"))
}

// scopedGroup returns the group for the bundles in scoped, which a ServiceAccount applies and which do not permit the next minor version.
// It is empty if there are none.
func scopedGroup(scoped []Blocker) group {
	if len(scoped) == 0 {
		return group{}
	}
	return group{
		heading: fmt.Sprintf("%s not permit that version, but cannot block it, because a ServiceAccount applies the objects:", distinct(scoped).with("does", "do")),
		lines:   linesOf(scoped, Blocker.limitLine),
	}
}

// laterGroup returns the group of the bundles that do not permit far, the minor version after the next one, together with their remedies.
// The group is empty if every bundle permits far.
func laterGroup(far Minor, blockers []Blocker) group {
	if len(blockers) == 0 {
		return group{}
	}
	return group{
		heading: fmt.Sprintf("After that, %s OpenShift %s:", distinct(blockers).with("will block", "will block"), far.Names()),
		lines:   linesOf(blockers, Blocker.line),
	}
}

// blockedText returns the message for a verdict with blockers. after is the highest minor version that all operators permit after their
// updates.
func blockedText(next Minor, verdict Verdict, after Minor) text {
	t := text{
		head:  component + fmt.Sprintf("%s OpenShift %s:", distinct(verdict.Blockers).with("blocks", "block"), next.Names()),
		lines: linesOf(verdict.Blockers, Blocker.line),
	}
	if slices.ContainsFunc(verdict.Blockers, func(b Blocker) bool { return b.hasNoRemedy }) {
		t.add(group{heading: "Where no version allows it, acknowledge the risk for a limited time in spec.compatibilityOverrides."})
	}
	if len(verdict.Acknowledged) > 0 {
		t.add(group{"Overridden:", linesOf(verdict.Acknowledged, Blocker.riskLine)})
	}
	if after.Compare(next) > 0 {
		t.add(group{heading: fmt.Sprintf("After the available updates, the operators permit OpenShift up to %s.", after.Names())})
	}
	if first := slices.IndexFunc(verdict.Blockers, func(b Blocker) bool { return b.nextStep != "" }); first >= 0 {
		t.nextStep = fmt.Sprintf("Next step for %s: %s", cut(verdict.Blockers[first].Operator, maxName), verdict.Blockers[first].nextStep)
	}
	if distinct(verdict.Blockers).total() > 1 { // the last line is for one of them
		t.more = "W" + strings.TrimPrefix(ocplatform.ExplainUpgrade.WithPlugin(), "w") + " shows the next step for each operator."
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
func (b Blocker) line() string { return withFullStop(b.subject() + ": " + b.Remedy) }

// riskLine returns the line for a blocker with an override. It describes the override instead of a remedy.
func (b Blocker) riskLine() string { return withFullStop(b.subject() + ": " + b.Risk.describe()) }

// limitLine returns the line for a blocker without a remedy.
func (b Blocker) limitLine() string { return withFullStop(b.subject()) }

// withFullStop returns a text with exactly one full stop at its end.
func withFullStop(text string) string { return strings.TrimRight(strings.TrimSpace(text), ".") + "." }

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
