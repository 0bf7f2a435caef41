package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ocplatform"
)

// Types of the conditions that Aggregate returns.
const (
	TypeAvailable   = "Available"
	TypeProgressing = "Progressing"
	TypeDegraded    = "Degraded"
)

// Reasons of the conditions that Aggregate returns.
const (
	// ReasonAsExpected: no operator has a problem.
	ReasonAsExpected = "AsExpected"
	// ReasonWaitingForOperators: the cluster is being installed, and platform operators that the installation waits for are not ready.
	ReasonWaitingForOperators = "WaitingForOperators"
	// ReasonOperatorsChanging: platform operators are being installed, upgraded or removed.
	ReasonOperatorsChanging = "OperatorsChanging"
	// ReasonOperatorsUnhealthy: installed platform operators have been unhealthy for longer than the limit.
	ReasonOperatorsUnhealthy = "OperatorsUnhealthy"
)

const (
	conditionTrue  = "True"
	conditionFalse = "False"
)

// maxAggregate and maxPart are the maximum sizes of a message and of one operator's part, in bytes. maxNamed is the maximum number of
// operators that a recommended command has as arguments, and maxFirst the maximum number that the message of Available names.
const (
	maxAggregate = 1024
	maxPart      = 200
	maxNamed     = 5
	maxFirst     = 3
)

// ConditionView is the part of an operator's condition that Contribute uses. The zero value is a condition that is not written yet.
type ConditionView struct {
	Status, Reason, Message string
	// Since is when Status last changed.
	Since time.Time
}

// OperatorState is the part of a PlatformOperator that Contribute uses.
type OperatorState struct {
	Name                            string
	Installed, Progressing, Healthy ConditionView
	// Paused means that the operator is not reconciled, and the cluster's installation does not wait for it. Removing means that it was
	// deleted, whether or not the removal makes progress.
	Paused, Removing bool
	// EverInstalled means that a version of the operator was installed and healthy at least once. If it is false, the operator never
	// degrades the ClusterOperator, because nothing that worked has failed.
	EverInstalled bool
}

// Contribution is what one operator adds to the conditions that Aggregate returns. If only Name is set, it adds nothing.
type Contribution struct {
	Name string
	// Waiting is why the cluster's installation waits for the operator; empty if it does not wait.
	Waiting string
	// Verb is the operation in progress, such as "Installing"; empty if there is none.
	Verb string
	// HasProblem is true if the operator cannot be installed, or a version has missed its deadline.
	HasProblem bool
	// Unhealthy is why an operator that once worked has been unhealthy for longer than the limit; empty if that is not the case.
	Unhealthy string
}

// hasSameState reports whether two contributions have the same effect on the status and the reason of every condition. They may differ in
// what only changes messages: the texts, and HasProblem.
func (c Contribution) hasSameState(other Contribution) bool {
	return (c.Waiting == "") == (other.Waiting == "") && (c.Unhealthy == "") == (other.Unhealthy == "") && c.Verb == other.Verb
}

// Contribute returns one operator's contribution to the conditions of the ClusterOperator.
//
//   - Waiting, for Available, is set only while the cluster is being installed (clusterInstalled is false) and the operator is not ready.
//     After that, no operator makes the platform unavailable.
//   - Verb, for Progressing, is set while the operator is being installed, upgraded or removed, but not while drift is reverted.
//   - Unhealthy, for Degraded, is set if the operator once worked, has been unhealthy for degradedAfter, and was not upgraded in that time.
//     A user's mistake on day 2 (a name, a range, a registry) does not affect the installed operator, so it does not set Unhealthy.
func Contribute(s OperatorState, clusterInstalled bool, now time.Time, degradedAfter time.Duration) Contribution {
	c := Contribution{Name: s.Name}
	if !clusterInstalled && s.isAwaited() {
		c.Waiting = s.missing()
	}
	if s.Progressing.Status == conditionTrue {
		c.Verb = verbs[s.Progressing.Reason]
	}
	c.HasProblem = s.hasProblem()
	if since, ok := s.unhealthySince(); ok && now.Sub(since) >= degradedAfter {
		c.Unhealthy = s.Healthy.text()
	}
	return c
}

// Condition is one condition of the operator CR, which the StatusSyncer copies to the ClusterOperator.
type Condition struct{ Type, Status, Reason, Message string }

// Aggregate returns Available, Progressing and Degraded, in this order, from the contributions of all operators, which may be in any order.
// degradedAfter must have the value that was passed to Contribute.
func Aggregate(all []Contribution, degradedAfter time.Duration) []Condition {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Contribution) int { return cmp.Compare(a.Name, b.Name) })
	return []Condition{available(all), progressing(all), degraded(all, degradedAfter)}
}

// NextChange returns the time until Contribute may return a different result for one of the states although none of them has changed. It
// returns false if only a change of a state can change the result.
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
		return Condition{TypeAvailable, conditionTrue, ReasonAsExpected, problems(all)}
	}
	subject := "it"
	if len(waiting) > 1 {
		subject = "one"
	}
	// The remedy comes first, because an installer shows only the beginning of the message.
	head := fmt.Sprintf("Cluster installation waits for %d platform %s. If %s cannot become ready, correct its spec, "+
		"or set its spec.paused to true to continue without it. ", len(waiting), plural("operator", len(waiting)), subject)
	return Condition{TypeAvailable, conditionFalse, ReasonWaitingForOperators, joinLimited(head, waiting, nextCommands(names))}
}

// problems returns a message with the number and the first names of the operators that have a problem; empty if there are none. Such
// operators do not make the platform unavailable. The ClusterOperator shows them only in this message, until an operator that once worked
// makes it degraded.
func problems(all []Contribution) string {
	var names []string
	for _, c := range all {
		if c.HasProblem {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	verb := "need"
	if len(names) == 1 {
		verb = "needs"
	}
	return fmt.Sprintf("%d platform %s %s attention: %s%s", len(names), plural("operator", len(names)), verb, firstNames(names, maxFirst), nextCommands(names))
}

// hasProblem reports whether the operator cannot be installed, or a version has missed its deadline. A version that is not available, or
// that waits for approval, is not a problem while the installed one works. Degraded reports the operator's health.
func (s OperatorState) hasProblem() bool {
	if s.Paused || s.Removing || s.Progressing.Status == conditionTrue {
		return false
	}
	switch s.Installed.Reason {
	case platformv1alpha1.ReasonSourceFailed, platformv1alpha1.ReasonValidationFailed, platformv1alpha1.ReasonUnpackFailed, platformv1alpha1.ReasonInstallFailed:
		return true
	}
	return s.Progressing.Reason == platformv1alpha1.ReasonDeadlineExceeded
}

// isAwaited reports whether a cluster installation waits for the operator. It does not wait for an operator that was ready before, is being
// removed, or needs an approval, because during an installation there may be no admin to give it.
func (s OperatorState) isAwaited() bool {
	if s.Paused || s.Removing || s.EverInstalled || s.Progressing.Reason == platformv1alpha1.ReasonAwaitingApproval {
		return false
	}
	return s.Installed.Status != conditionTrue || s.Healthy.Status != conditionTrue
}

// missing returns the reason why an operator is not ready, from its own conditions.
func (s OperatorState) missing() string {
	c := s.Installed
	if c.Status == conditionTrue {
		c = s.Healthy
	}
	if c.Reason == "" {
		return "not evaluated yet"
	}
	return c.text()
}

func (c ConditionView) text() string {
	if c.Message == "" {
		return c.Reason
	}
	return c.Reason + ": " + c.Message
}

// verbs are the operations, keyed by the reason of Progressing. Each is one word, because the number of words in the message of progressing
// is limited.
var verbs = map[string]string{
	platformv1alpha1.ReasonInstalling:  "Installing",
	platformv1alpha1.ReasonUpgrading:   "Upgrading",
	platformv1alpha1.ReasonRemoving:    "Removing",
	platformv1alpha1.ReasonRollingBack: "Reverting",
}

// progressing returns the Progressing condition. The message of a True condition has five to nine words: consumers of the ClusterOperator
// expect five to ten, and library-go adds the condition's type as the first word.
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
	message := fmt.Sprintf("%s %d platform %s: %s", verb, len(names), plural("operator", len(names)), firstNames(names, 2))
	return Condition{TypeProgressing, conditionTrue, ReasonOperatorsChanging, message}
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func firstNames(names []string, limit int) string {
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
	return Condition{TypeDegraded, conditionTrue, ReasonOperatorsUnhealthy, joinLimited(head, unhealthy, nextCommands(names))}
}

// unhealthySince returns the time at which an operator that once worked became unhealthy. If an upgrade has ended since then, even at its
// deadline, it returns the end of the upgrade. unhealthySince returns false for an operator that is healthy, was never installed, or is
// being upgraded or removed.
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

// nextCommands returns the end of a message. It names the command that describes the first of the named operators, and the command of the
// plugin that shows all operators. It omits the names if they are too long.
func nextCommands(names []string) string {
	const command = "kubectl describe plop"
	some := command + " " + strings.Join(names[:min(len(names), maxNamed)], " ")
	if len(some) > maxPart {
		some = command
	}
	return fmt.Sprintf(". To see why, run %q or, %s.", some, ocplatform.Status.WithPlugin())
}

// joinLimited returns head, as many parts as fit, the number of the other parts, and tail. It truncates each part to one line.
func joinLimited(head string, parts []string, tail string) string {
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
