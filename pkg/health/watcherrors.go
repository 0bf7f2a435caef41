package health

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Reasons why the manager's caches may be out of date: the API server rejects lists or watches of kinds.
const (
	// ReasonInstalledNotListed: the affected kinds include those in installedFrom.
	ReasonInstalledNotListed = "InstalledOperatorsNotListed"
	// ReasonObjectsNotListed: no kind in installedFrom is affected.
	ReasonObjectsNotListed = "ObjectsNotListed"
)

// installedFrom are the resources that hold the installed operators and the cluster's version. The resource of the operator CR that has the
// condition is not among them: a manager that cannot read the CR cannot update the condition either.
var installedFrom = []string{"platformoperators", "bundledeployments", "clusterversions"}

// WatchErrorExpiry is the time after which a kind without further errors counts as listed again. client-go retries after 30 seconds at
// most, plus jitter up to a minute.
const WatchErrorExpiry = 90 * time.Second

const (
	// watchErrorDelay is the minimum time between the first and the last error of a kind before WatchCondition reports the kind. A starting
	// API server rejects requests for a moment.
	watchErrorDelay = 30 * time.Second
	// maxWatchError is the maximum size of the message of one kind, in bytes.
	maxWatchError = 300
)

// WatchError is a kind for which the API server rejects lists or watches.
type WatchError struct {
	// Resource is the plural resource name.
	Resource string
	// Message is the API server's message for the first error.
	Message string
	// NotServed means that the last error was that the API server does not serve the kind.
	NotServed bool
	// First and Last are the times of the first and the last error.
	First, Last time.Time
}

// Next returns the WatchError that results from one more error. It continues the series of errors, or starts a new one if e is zero or has
// expired.
func (e WatchError) Next(message string, now time.Time) WatchError {
	if e.First.IsZero() || now.Sub(e.Last) > WatchErrorExpiry {
		return WatchError{Resource: e.Resource, Message: message, First: now, Last: now}
	}
	e.Last = now
	return e
}

// WatchCondition returns the Degraded condition for watch errors, and the time after which it may change for the same errors; 0 if only a
// new error can change it. The result does not depend on the order of the errors.
func WatchCondition(watchErrors []WatchError, now time.Time) (Condition, time.Duration) {
	watchErrors = slices.Clone(watchErrors)
	slices.SortFunc(watchErrors, func(a, b WatchError) int { return cmp.Compare(a.Resource, b.Resource) })
	var kinds, notServed, details []string
	var next time.Duration
	for _, r := range watchErrors {
		if now.Sub(r.Last) > WatchErrorExpiry {
			continue
		}
		if wait := r.Last.Add(WatchErrorExpiry).Sub(now) + time.Second; next == 0 || wait < next {
			next = wait
		}
		if r.Last.Sub(r.First) >= watchErrorDelay {
			if kinds = append(kinds, r.Resource); r.NotServed {
				notServed = append(notServed, r.Resource)
			}
			details = append(details, fmt.Sprintf("%s: %s", r.Resource, strings.ToValidUTF8(r.Message[:min(len(r.Message), maxWatchError)], "")))
		}
	}
	if len(kinds) == 0 {
		return Condition{TypeDegraded, conditionFalse, ReasonAsExpected, ""}, next
	}
	message := watchMessage(kinds, notServed)
	message = strings.ToValidUTF8(message[:min(len(message), maxAggregate)], "")
	for _, detail := range details { // as many as fit; the line above has all kinds
		if len(message)+len("\n")+len(detail) <= maxAggregate {
			message += "\n" + detail
		}
	}
	if slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(installedFrom, kind) }) {
		return Condition{TypeDegraded, conditionTrue, ReasonInstalledNotListed, message}, next
	}
	return Condition{TypeDegraded, conditionTrue, ReasonObjectsNotListed, message}, next
}

// watchMessage returns the message without the individual errors: what the manager cannot list, where to look for the cause, and all kinds.
// notServed are the kinds without a CustomResourceDefinition.
func watchMessage(kinds, notServed []string) string {
	var sentences []string
	if len(notServed) > 0 {
		sentences = append(sentences, "CustomResourceDefinitions are missing, so that the API server does not serve "+strings.Join(notServed, ", ")+
			". The cluster-version operator (CVO) restores them; if they are still missing after ten minutes, look at the CVO's log "+
			`("kubectl logs -n openshift-cluster-version deployment/cluster-version-operator").`)
	}
	if len(notServed) < len(kinds) {
		sentences = append(sentences, "The API server does not let the manager list what it works from: check the roles of its ServiceAccount, and the API server's own health.")
	}
	return strings.Join(append(sentences, "The manager continues with what it listed last."), " ") + "\nRefused: " + strings.Join(kinds, ", ")
}
