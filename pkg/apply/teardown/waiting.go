package teardown

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stuckAfter is the time after which the deletion of an object is reported as stuck. Most Pods have terminated gracefully by then, and most
// dependents of an object are deleted.
const stuckAfter = 10 * time.Minute

// waitingFor returns a message with the first remaining object of a phase and the number of the others; empty if none remains. Objects with
// a known reason come first.
func waitingFor(results []removed) string {
	var left []removed
	for _, result := range results {
		if result.left {
			left = append(left, result)
		}
	}
	if len(left) == 0 {
		return ""
	}
	slices.SortFunc(left, func(a, b removed) int {
		if (a.why == "") != (b.why == "") {
			return len(b.why) - len(a.why)
		}
		return strings.Compare(a.key.String(), b.key.String())
	})
	text := "waiting for " + left[0].key.String()
	if len(left) > 1 {
		text += fmt.Sprintf(" and %d more", len(left)-1)
	}
	text += " to be gone"
	if left[0].why != "" {
		text += ": " + left[0].key.String() + " " + left[0].why
	}
	return text
}

// heldUp reports whether every remaining object of a phase waits for an admin. If so, held is true if users have custom resources for at
// least one of them, and stuck is true if not. Otherwise both results are false.
func heldUp(results []removed) (held, stuck bool) {
	for _, result := range results {
		if result.left && !result.inUse && !result.stuck {
			return false, false
		}
		held = held || result.inUse
	}
	return held, !held
}

// onlyChecking reports whether all remaining objects of a phase are namespaces whose check has no result yet.
func onlyChecking(results []removed) bool {
	return !slices.ContainsFunc(results, func(each removed) bool { return each.left && !each.checking })
}

// deletionState returns the reason why the deletion of an object waits, and whether the deletion has taken longer than stuckAfter. why is
// empty if the reason is unknown and the deletion is not stuck.
func (t *teardown) deletionState(live *unstructured.Unstructured) (why string, stuck bool) {
	why = waitReason(live)
	if t.clock.Since(live.GetDeletionTimestamp().Time) <= stuckAfter {
		return why, false
	}
	const long = "was deleted more than %d minutes ago: see what holds it up"
	if why == "" {
		return fmt.Sprintf(long, stuckAfter/time.Minute), true
	}
	return why + fmt.Sprintf(" (it "+long+")", stuckAfter/time.Minute), true
}

// waitReason returns the reason why the deletion of an object waits; empty if the object has no finalizer.
func waitReason(live *unstructured.Unstructured) string {
	var others []string
	for _, each := range live.GetFinalizers() {
		switch each {
		case metav1.FinalizerDeleteDependents:
			return "waits for what depends on it, such as its Pods, to be deleted first"
		case "customresourcecleanup.apiextensions.k8s.io":
			return "waits for its custom resources, which are being deleted"
		}
		others = append(others, fmt.Sprintf("%q", each))
	}
	if len(others) == 0 {
		return ""
	}
	more := ""
	if len(others) > 3 {
		others, more = others[:3], fmt.Sprintf(" and %d more", len(others)-3)
	}
	return "is held by its finalizers " + strings.Join(others, ", ") + more +
		"; the controllers that set them must remove them; if such a controller no longer exists, remove them by hand (metadata.finalizers)"
}
