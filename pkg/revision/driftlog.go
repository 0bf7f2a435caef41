package revision

import (
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

const (
	// maxUnwrittenDrift is the maximum number of changes that are kept until a status is written.
	maxUnwrittenDrift = 5 * drift.MaxRecords
	// maxDriftEvents is the maximum number of Events about single changes in one call of Add. One more Event gives the number of the
	// remaining changes.
	maxDriftEvents = 5
)

// DriftLog collects the changes that other clients made to the objects of one BundleDeployment, until they are in its status. The zero
// value is ready for use.
type DriftLog struct {
	// unwritten holds the changes since the status was last written, those of the oldest sync first. reported holds the value of standing
	// at that time.
	unwritten, reported []corev1alpha2.DriftRecord
	// standing holds the changes that this sync found; the outcome of each says whether it was repaired. left is true if one of them is
	// drift that was not reverted, and not just an addition.
	standing []corev1alpha2.DriftRecord
	left     bool
}

// Begin starts a sync and clears the standing changes.
func (l *DriftLog) Begin() { l.standing, l.left = nil, false }

// Add adds changes. Callers add a repaired change once, and a standing change in each sync. left is true if drift is not reverted. written
// is status.drift as it was last written. Add returns an Event for each repaired change. It returns an Event for a standing change only if
// the change is not in written and was not reported before.
func (l *DriftLog) Add(found []corev1alpha2.DriftRecord, left bool, written []corev1alpha2.DriftRecord) []Event {
	var events []Event
	sent := 0
	for _, each := range found {
		if each.Outcome != corev1alpha2.DriftRepaired && (drift.Contains(written, each) || drift.Contains(l.reported, each)) {
			continue // reported before, even if status no longer has space for it
		}
		if sent++; sent <= maxDriftEvents {
			events = append(events, driftEvent(each))
		}
	}
	if sent > maxDriftEvents {
		events = append(events, Event{
			Reason:  corev1alpha2.EventDriftSeen,
			Message: fmt.Sprintf("%d more changes by others; status.drift has the latest", sent-maxDriftEvents),
		})
	}
	l.unwritten = append(l.unwritten, found...)
	l.unwritten = l.unwritten[max(0, len(l.unwritten)-maxUnwrittenDrift):]
	l.standing = append(l.standing, found...)
	l.left = l.left || left
	return events
}

// Drift returns the changes for Machine.SetDrift.
func (l *DriftLog) Drift() Drift {
	return Drift{Standing: l.standing, Unwritten: l.unwritten, Left: l.left}
}

// Written records that the changes that Drift returned are in the status.
func (l *DriftLog) Written() { l.unwritten, l.reported = nil, l.standing }

func driftEvent(record corev1alpha2.DriftRecord) Event {
	text := drift.Describe(record)
	switch record.Outcome {
	case corev1alpha2.DriftRepaired:
		return Event{Reason: corev1alpha2.EventDriftRepaired, Message: text + "; restored as declared"}
	case corev1alpha2.DriftContested:
		return Event{Reason: corev1alpha2.EventDriftContested, Message: text + ", each time that the manager restores it", Warning: true}
	}
	return Event{Reason: corev1alpha2.EventDriftReported, Message: text + "; not reverted", Warning: record.Change != corev1alpha2.DriftAdded}
}
