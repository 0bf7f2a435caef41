package revision

import (
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

const (
	// maxUnwrittenDrift limits the changes that are kept while no status can be written.
	maxUnwrittenDrift = 5 * drift.MaxRecords
	// maxDriftEvents limits the Events of one call of Add; one more counts the rest.
	maxDriftEvents = 5
)

// DriftLog has the changes by others of one BundleDeployment until they are in its status. The zero value is ready for use.
type DriftLog struct {
	// unwritten are changes since the last status, oldest first; reported are those that stood when it was written.
	unwritten, reported []corev1alpha2.DriftRecord
	// standing are the changes that this sync left; left is true if one is of something declared.
	standing []corev1alpha2.DriftRecord
	left     bool
}

// Begin begins a sync: what stands is found anew.
func (l *DriftLog) Begin() { l.standing, l.left = nil, false }

// Add adds what was found: repaired changes once, standing ones in each sync. It returns the Events of those that are neither in the
// written status nor were reported before. Left is true if something declared is left as others changed it.
func (l *DriftLog) Add(found []corev1alpha2.DriftRecord, left bool, written []corev1alpha2.DriftRecord) []Event {
	var events []Event
	sent := 0
	for _, each := range found {
		if each.Outcome != corev1alpha2.DriftRepaired && (drift.Contains(written, each) || drift.Contains(l.reported, each)) {
			continue // reported before, even if status has no space for it any more
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

// Drift returns what is to be reported in status.
func (l *DriftLog) Drift() Drift {
	return Drift{Standing: l.standing, Unwritten: l.unwritten, Left: l.left}
}

// Written records that a status with Drift was written, or had it already.
func (l *DriftLog) Written() { l.unwritten, l.reported = nil, l.standing }

func driftEvent(record corev1alpha2.DriftRecord) Event {
	text := drift.Describe(record)
	switch record.Outcome {
	case corev1alpha2.DriftRepaired:
		return Event{Reason: corev1alpha2.EventDriftRepaired, Message: text + "; put back as declared"}
	case corev1alpha2.DriftContested:
		return Event{Reason: corev1alpha2.EventDriftContested, Message: text + ", each time that it is put back", Warning: true}
	}
	return Event{Reason: corev1alpha2.EventDriftReported, Message: text + "; left so", Warning: record.Change != corev1alpha2.DriftAdded}
}
