package revision

import (
	"fmt"
	"strconv"
	"strings"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// PruneEvent reports which objects of an earlier revision were deleted, and which were left to their owners on purpose; of names the
// earlier revision.
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

// RemovedEvent reports that the objects of a deleted BundleDeployment are gone, and which were kept on purpose.
func RemovedEvent(kept []string) Event {
	message := "Removed what was applied"
	if len(kept) > 0 {
		message += "; kept " + strings.Join(kept, ", ")
	}
	return Event{Reason: corev1alpha2.EventRemoved, Message: message}
}

// LostEvent reports that a revision was lost, and why.
func LostEvent(lost *Revision, cause error) Event {
	return Event{
		Reason: corev1alpha2.EventRevisionLost, Message: fmt.Sprintf("Revision %d cannot be used any more: %v", lost.Number, cause), Warning: true,
	}
}

// LeftoversEvent reports how far objects of lost revisions were looked for, and how to find the rest: their format is not known.
func LeftoversEvent(deployment string, history *History) Event {
	numbers := make([]string, len(history.Lost))
	for i, each := range history.Lost {
		numbers[i] = strconv.FormatInt(each.Number, 10)
	}
	return Event{Reason: corev1alpha2.EventRevisionLost, Warning: true, Message: fmt.Sprintf(
		"What only revision %s had, which cannot be used any more, was looked for among the kinds that a registry+v1 bundle may hold, and removed. "+
			"Of other kinds, and namespaces, something may be left: \"kubectl get KIND -A -l %s=%s\" shows it, for each kind that the bundle had",
		strings.Join(numbers, ", "), corev1alpha2.LabelOwnerName, deployment)}
}
