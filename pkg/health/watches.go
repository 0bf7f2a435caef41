package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Reasons for which the manager's caches may be out of date: the API server refuses to list or watch kinds.
const (
	// ReasonInstalledNotListed: the kinds of installed operators, or ClusterVersion, are among the refused kinds.
	ReasonInstalledNotListed = "InstalledOperatorsNotListed"
	// ReasonObjectsNotListed: the API server refuses other kinds only.
	ReasonObjectsNotListed = "ObjectsNotListed"
)

// installedFrom are the resources from which the manager knows the installed operators and the cluster's version. The operator resource, which has the
// condition, is not among them: a manager that cannot read it cannot read the condition either.
var installedFrom = []string{"platformoperators", "bundledeployments", "clusterversions"}

// RefusalForgotten is how long after the last refusal a kind counts as listed again. client-go tries again after 30 seconds at most,
// which it stretches to a minute by chance.
const RefusalForgotten = 90 * time.Second

const (
	// refusedFor is how long a kind is refused before that is said. A server that starts refuses for a moment.
	refusedFor = 30 * time.Second
	// maxRefusal bounds what is told of one kind, in bytes.
	maxRefusal = 300
)

// Refusal is a kind that the API server refuses to have listed or watched.
type Refusal struct {
	// Resource is the kind's, in the plural.
	Resource string
	// Message is what the server said first.
	Message string
	// First and Last are when it refused.
	First, Last time.Time
}

// Next is the refusal with one more at this moment: of the same trouble, or, when the last one is too long ago, of another.
func (r Refusal) Next(message string, now time.Time) Refusal {
	if r.First.IsZero() || now.Sub(r.Last) > RefusalForgotten {
		return Refusal{Resource: r.Resource, Message: message, First: now, Last: now}
	}
	r.Last = now
	return r
}

// Watches gives the Degraded condition that refusals make, and how long after now it may be another one for the same refusals;
// zero when only a new refusal can make a difference. The result does not depend on their order.
func Watches(refusals []Refusal, now time.Time) (Condition, time.Duration) {
	refusals = slices.Clone(refusals)
	slices.SortFunc(refusals, func(a, b Refusal) int { return cmp.Compare(a.Resource, b.Resource) })
	var kinds, answers []string
	var next time.Duration
	for _, r := range refusals {
		if now.Sub(r.Last) > RefusalForgotten {
			continue
		}
		if wait := r.Last.Add(RefusalForgotten).Sub(now) + time.Second; next == 0 || wait < next {
			next = wait
		}
		if r.Last.Sub(r.First) >= refusedFor {
			kinds = append(kinds, r.Resource)
			answers = append(answers, fmt.Sprintf("%s: %s", r.Resource, strings.ToValidUTF8(r.Message[:min(len(r.Message), maxRefusal)], "")))
		}
	}
	if len(kinds) == 0 {
		return Condition{TypeDegraded, conditionFalse, ReasonAsExpected, ""}, next
	}
	message := "The API server does not let the manager see what it works from, which goes on from what it saw last; check the roles of its ServiceAccount and the API server's own health." +
		"\nRefused: " + strings.Join(kinds, ", ")
	message = strings.ToValidUTF8(message[:min(len(message), maxAggregate)], "")
	for _, answer := range answers { // as many as there is room for; that there is one more is in the line of all
		if len(message)+len("\n")+len(answer) <= maxAggregate {
			message += "\n" + answer
		}
	}
	if slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(installedFrom, kind) }) {
		return Condition{TypeDegraded, conditionTrue, ReasonInstalledNotListed, message}, next
	}
	return Condition{TypeDegraded, conditionTrue, ReasonObjectsNotListed, message}, next
}
