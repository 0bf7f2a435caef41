package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Types of the conditions that Aggregate gives.
const (
	TypeAvailable   = "Available"
	TypeProgressing = "Progressing"
	TypeDegraded    = "Degraded"
)

// Reasons of the conditions that Aggregate gives.
const (
	// ReasonAsExpected: there is nothing to say.
	ReasonAsExpected = "AsExpected"
	// ReasonWaitingForOperators: the cluster is being installed and platform operators it was given are not ready.
	ReasonWaitingForOperators = "WaitingForOperators"
	// ReasonOperatorsChanging: platform operators are being installed, moved to another version or removed.
	ReasonOperatorsChanging = "OperatorsChanging"
	// ReasonOperatorsUnhealthy: installed platform operators have been unhealthy for too long.
	ReasonOperatorsUnhealthy = "OperatorsUnhealthy"
)

const (
	conditionTrue  = "True"
	conditionFalse = "False"
)

// Bounds of a message: all of it and one operator's part, in bytes, and the operators that a command names.
const (
	maxAggregate = 1024
	maxPart      = 200
	maxNamed     = 5
)

// ConditionView is what Contribute needs of one of an operator's conditions. The zero value is a condition not written yet.
type ConditionView struct {
	Status, Reason, Message string
	// Since is when Status last changed.
	Since time.Time
}

// OperatorState is what Contribute needs of one PlatformOperator.
type OperatorState struct {
	Name                            string
	Installed, Progressing, Healthy ConditionView
	// Paused means that the operator is left as it is, and nobody waits for it. Removing means that it was deleted, whether
	// or not it is being taken down at present.
	Paused, Removing bool
	// EverInstalled means that a version of the operator was installed and healthy at least once. One that never was is not
	// degraded, however long it takes: nothing that worked is gone.
	EverInstalled bool
}

// Contribution is what one operator brings to the conditions of all of them. One of which only Name is set brings nothing.
type Contribution struct {
	Name string
	// Waiting is what the cluster's installation waits for.
	Waiting string
	// Verb is what is done to the operator: "Installing".
	Verb string
	// Unhealthy is what has been wrong for too long with an operator that worked.
	Unhealthy string
}

// sameState says whether two contributions differ in nothing but words.
func (c Contribution) sameState(other Contribution) bool {
	return (c.Waiting == "") == (other.Waiting == "") && (c.Unhealthy == "") == (other.Unhealthy == "") && c.Verb == other.Verb
}

// Contribute tells what an operator brings to the three conditions.
//
//   - It is waited for only while the cluster itself is being installed (clusterInstalled is false) and the operator is not
//     ready. Afterwards nothing that happens to an operator makes the platform unavailable.
//   - It has a verb while it is installed, moved or removed; never for a repair.
//   - It is unhealthy when it worked, has been unhealthy for degradedAfter, and no hop was under way in that time. What a user
//     can spoil on day 2 (a name, a range, a registry) leaves what is installed alone, and this too.
func Contribute(s OperatorState, clusterInstalled bool, now time.Time, degradedAfter time.Duration) Contribution {
	c := Contribution{Name: s.Name}
	if !clusterInstalled && s.waitedFor() {
		c.Waiting = s.lacks()
	}
	if s.Progressing.Status == conditionTrue {
		c.Verb = verbs[s.Progressing.Reason]
	}
	if since, ok := s.unhealthySince(); ok && now.Sub(since) >= degradedAfter {
		c.Unhealthy = s.Healthy.text()
	}
	return c
}

// Condition is one condition of the operator CR, from where it goes to the ClusterOperator.
type Condition struct{ Type, Status, Reason, Message string }

// Aggregate gives Available, Progressing and Degraded, in this order, for what all operators bring to them; the result does not
// depend on the order of those. degradedAfter is the one that they were made with.
func Aggregate(all []Contribution, degradedAfter time.Duration) []Condition {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Contribution) int { return cmp.Compare(a.Name, b.Name) })
	return []Condition{available(all), progressing(all), degraded(all, degradedAfter)}
}

// NextChange tells how long after now Contribute may give something else for one of the same states; false when only a change
// of the states can make a difference.
func NextChange(states []OperatorState, now time.Time, degradedAfter time.Duration) (time.Duration, bool) {
	var next time.Duration
	found := false
	for _, s := range states {
		since, ok := s.unhealthySince()
		wait := since.Add(degradedAfter).Sub(now)
		if ok && wait > 0 && (!found || wait < next) {
			next, found = wait, true
		}
	}
	return next, found
}

func available(all []Contribution) Condition {
	var names, waiting []string
	for _, c := range all {
		if c.Waiting != "" {
			names = append(names, c.Name)
			waiting = append(waiting, c.Name+": "+c.Waiting)
		}
	}
	if len(waiting) == 0 {
		return Condition{TypeAvailable, conditionTrue, ReasonAsExpected, ""}
	}
	head := fmt.Sprintf("Cluster installation waits for %d platform %s: ", len(waiting), plural("operator", len(waiting)))
	return Condition{TypeAvailable, conditionFalse, ReasonWaitingForOperators, joined(head, waiting, look(names))}
}

// waitedFor tells whether a cluster installation waits for the operator: not for one that was ready before, is going away, or
// does nothing before somebody gives a word, which nobody may be there to give.
func (s OperatorState) waitedFor() bool {
	if s.Paused || s.Removing || s.EverInstalled || s.Progressing.Reason == platformv1alpha1.ReasonAwaitingApproval {
		return false
	}
	return s.Installed.Status != conditionTrue || s.Healthy.Status != conditionTrue
}

// lacks says what an operator waits for, in its own words.
func (s OperatorState) lacks() string {
	c := s.Installed
	if c.Status == conditionTrue {
		c = s.Healthy
	}
	if c.Reason == "" {
		return "not looked at yet"
	}
	return c.text()
}

func (c ConditionView) text() string {
	if c.Message == "" {
		return c.Reason
	}
	return c.Reason + ": " + c.Message
}

// verbs are the hops, by the reason of Progressing; one word each, as progressing counts them.
var verbs = map[string]string{
	platformv1alpha1.ReasonInstalling:  "Installing",
	platformv1alpha1.ReasonUpgrading:   "Upgrading",
	platformv1alpha1.ReasonRemoving:    "Removing",
	platformv1alpha1.ReasonRollingBack: "Reverting",
}

// progressing says what is under way in five to nine words. The ClusterOperator's readers expect five to ten, and library-go
// puts the condition's type before them.
func progressing(all []Contribution) Condition {
	var names []string
	verb := ""
	for _, c := range all {
		switch {
		case c.Verb == "":
			continue
		case verb == "":
			verb = c.Verb
		case verb != c.Verb:
			verb = "Changing"
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return Condition{TypeProgressing, conditionFalse, ReasonAsExpected, ""}
	}
	message := fmt.Sprintf("%s %d platform %s: %s", verb, len(names), plural("operator", len(names)), someOf(names, 2))
	return Condition{TypeProgressing, conditionTrue, ReasonOperatorsChanging, message}
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func someOf(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}

func degraded(all []Contribution, after time.Duration) Condition {
	var names, unhealthy []string
	for _, c := range all {
		if c.Unhealthy != "" {
			names = append(names, c.Name)
			unhealthy = append(unhealthy, c.Name+": "+c.Unhealthy)
		}
	}
	if len(unhealthy) == 0 {
		return Condition{TypeDegraded, conditionFalse, ReasonAsExpected, ""}
	}
	head := fmt.Sprintf("%d installed platform %s unhealthy for %s or longer: ", len(unhealthy), plural("operator", len(unhealthy)), after)
	return Condition{TypeDegraded, conditionTrue, ReasonOperatorsUnhealthy, joined(head, unhealthy, look(names))}
}

// unhealthySince tells since when a once healthy operator is not, hops aside: the time in which it was moved does not count,
// and begins anew when the hop ends, also when it ends by its deadline. One that is being removed is not looked after any more.
func (s OperatorState) unhealthySince() (time.Time, bool) {
	since := s.Healthy.Since
	if s.Removing || !s.EverInstalled || s.Installed.Status != conditionTrue || s.Healthy.Status != conditionFalse ||
		s.Progressing.Status == conditionTrue || since.IsZero() {
		return time.Time{}, false
	}
	if s.Progressing.Since.After(since) {
		since = s.Progressing.Since
	}
	return since, true
}

// look says by which command the first operators are looked at; all of them where their names are too long for that.
func look(names []string) string {
	const command = "kubectl describe plop"
	some := command + " " + strings.Join(names[:min(len(names), maxNamed)], " ")
	if len(some) > maxPart {
		some = command
	}
	return fmt.Sprintf(". See %q.", some)
}

// joined lists as many parts as fit, each shortened to one bounded line, and counts the rest; tail is what the text ends with.
func joined(head string, parts []string, tail string) string {
	const reserve = len("; and 1000000 more")
	text := head
	for i, part := range parts {
		separator := "; "
		if i == 0 {
			separator = ""
		}
		part = separator + strings.TrimRight(oneLine(part, maxPart), ".")
		if len(text)+len(part)+reserve+len(tail) > maxAggregate {
			return text + fmt.Sprintf("; and %d more", len(parts)-i) + tail
		}
		text += part
	}
	return text + tail
}
