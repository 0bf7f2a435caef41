package bundledeployment

import (
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/revision"
)

const (
	// maxUnwrittenDrift limits the changes that are kept while no status can be written.
	maxUnwrittenDrift = 5 * drift.MaxRecords
	// maxDriftEvents limits the Events of one sync; one more counts the rest.
	maxDriftEvents = 5
)

// recordDrift takes over what the engine reports of changes by others: what it repaired once, what stands in each call.
func (s *reconciliation) recordDrift(report apply.Report) {
	s.c.meters.repaired(s.deployment.Name, report.Repaired)
	sent := 0
	for _, each := range report.Drift {
		if each.Outcome != corev1alpha2.DriftRepaired && (drift.Contains(s.before.Status.Drift, each) || drift.Contains(s.memory.standing, each)) {
			continue // reported before, even if status has no space for it any more
		}
		if sent++; sent <= maxDriftEvents {
			s.memory.addEvent(driftEvent(each))
		}
	}
	if sent > maxDriftEvents {
		s.memory.addEvent(revision.Event{
			Reason:  corev1alpha2.EventDriftSeen,
			Message: fmt.Sprintf("%d more changes by others; status.drift has the latest", sent-maxDriftEvents),
		})
	}
	s.memory.drift = append(s.memory.drift, report.Drift...)
	s.memory.drift = s.memory.drift[max(0, len(s.memory.drift)-maxUnwrittenDrift):]
	s.standing = append(s.standing, report.Drift...)
	s.driftLeft = s.driftLeft || report.Drifted
}

func driftEvent(record corev1alpha2.DriftRecord) revision.Event {
	text := drift.Describe(record)
	switch record.Outcome {
	case corev1alpha2.DriftRepaired:
		return revision.Event{Reason: corev1alpha2.EventDriftRepaired, Message: text + "; put back as declared"}
	case corev1alpha2.DriftContested:
		return revision.Event{Reason: corev1alpha2.EventDriftContested, Message: text + ", each time that it is put back", Warning: true}
	}
	return revision.Event{Reason: corev1alpha2.EventDriftReported, Message: text + "; left so", Warning: record.Change != corev1alpha2.DriftAdded}
}
