package revision

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// PruneEvent returns the Event about a pruned revision, which says which objects were deleted and which were deliberately kept. of names
// the revision.
func PruneEvent(of string, deleted, kept []string) Event {
	var parts []string
	if len(deleted) > 0 {
		parts = append(parts, fmt.Sprintf("Deleted what only %s had: %s", of, strings.Join(deleted, ", ")))
	}
	if len(kept) > 0 {
		parts = append(parts, fmt.Sprintf("Kept of what only %s had: %s", of, strings.Join(kept, ", ")))
	}
	return Event{Reason: corev1alpha2.EventPruned, Message: strings.Join(parts, ". ")}
}

// RemovedEvent returns the Event for the end of a deletion. It names the objects that were deliberately kept.
func RemovedEvent(kept []string) Event {
	message := "Removed the objects"
	if len(kept) > 0 {
		message += "; kept " + strings.Join(kept, ", ")
	}
	return Event{Reason: corev1alpha2.EventRemoved, Message: message}
}

// LostEvent returns the Event about a lost revision. It gives the cause.
func LostEvent(lost *Revision, cause error) Event {
	return Event{
		Reason: corev1alpha2.EventRevisionLost, Message: fmt.Sprintf("Revision %d can no longer be used: %v", lost.Number, cause), Warning: true,
	}
}

// LostEvents returns an Event for each revision that was active or rolling out according to a status, and that was lost while no manager
// ran.
func (h *History) LostEvents(status corev1alpha2.BundleDeploymentStatus) (events []Event) {
	for _, each := range status.Revisions {
		isInUse := each.State == corev1alpha2.RevisionActive || each.State == corev1alpha2.RevisionRollingOut
		if isInUse && h.find(each.Number) == nil {
			events = append(events, LostEvent(New(Header{Number: each.Number}), errors.New("its Secrets are missing. If the spec requests its content, the manager installs that content again as another revision")))
		}
	}
	return events
}

// UnstoredEvent returns the Event for a revision in the history that is no longer completely stored. It gives the cause. The active and the
// newest revision are stored again.
func (h *History) UnstoredEvent(unstored *Revision, cause error) Event {
	const unless = ", unless spec.paused is set or the provisioner class is unknown"
	next := "The manager keeps its objects in memory until it ends"
	switch isUsed := unstored.Stored == corev1alpha2.RevisionActive || unstored == h.Stored[len(h.Stored)-1]; {
	case isUsed && unstored.Loaded:
		next = "The manager continues with the objects in its memory, and stores the revision again from its source" + unless
	case isUsed:
		next = "The manager stores the revision again from its source" + unless
	case !unstored.Loaded:
		next = "The manager stores it again from its source if the spec requests it"
	}
	return Event{Reason: corev1alpha2.EventRevisionLost, Warning: true, Message: fmt.Sprintf(
		"The stored copy of revision %d can no longer be used: %v. %s", unstored.Number, cause, next)}
}

// LeftoversEvent returns the Event about the removal of what lost revisions left behind. The removal covers only kinds that registry+v1
// bundles may contain, so the Event gives a command that finds other objects.
func LeftoversEvent(deployment string, history *History) Event {
	numbers := make([]string, len(history.Lost))
	for i, each := range history.Lost {
		numbers[i] = strconv.FormatInt(each.Number, 10)
	}
	return Event{Reason: corev1alpha2.EventRevisionLost, Warning: true, Message: fmt.Sprintf(
		"Objects that only revision %s had, which can no longer be used, were looked for among the kinds that a registry+v1 bundle may hold, and removed. "+
			"Of other kinds, and namespaces, something may be left: \"kubectl get KIND -A -l %s=%s\" shows it, for each kind that the bundle had",
		strings.Join(numbers, ", "), corev1alpha2.LabelOwnerName, deployment)}
}
