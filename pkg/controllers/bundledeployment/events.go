package bundledeployment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

// notice is an Event on the BundleDeployment, to send once the status is written.
type notice struct {
	reason, message string
	warning         bool
}

// maxNotices bounds the Events that wait while no status can be written.
const maxNotices = 50

// notify has an Event sent once a status is written, however many syncs that takes.
func (s *state) notify(each notice) {
	if len(s.record.notices) < maxNotices && !slices.Contains(s.record.notices, each) {
		s.record.notices = append(s.record.notices, each)
	}
}

// tell sends an Event.
func (s *state) tell(each notice) {
	kind := corev1.EventTypeNormal
	if each.warning {
		kind = corev1.EventTypeWarning
	}
	s.events.Event(s.before, kind, each.reason, bounded(each.message))
}

// transitions are the Events of what status says now and did not say before, as far as users care. They are made when it is
// written: what was decided and could not be written down may be decided otherwise the next time.
func (s *state) transitions() []notice {
	var notices []notice
	if s.activated() {
		notices = append(notices, activeNotice(s.active, s.before.Status.ActiveRevision))
	}
	for _, after := range s.deployment.Status.Conditions {
		before := meta.FindStatusCondition(s.before.Status.Conditions, after.Type)
		if before != nil && before.Status == after.Status && before.Reason == after.Reason {
			continue
		}
		switch after.Reason {
		case corev1alpha2.EventUnpackFailed, corev1alpha2.EventBundleLoadFailed, corev1alpha2.EventInstallFailed,
			corev1alpha2.EventUpgradeFailed, corev1alpha2.EventReconcileFailed, corev1alpha2.EventProvisionerNotFound:
			if after.Type == corev1alpha2.ConditionHasValidBundle && after.Status != metav1.ConditionFalse {
				continue // says what Unpacked says
			}
			notices = append(notices, notice{after.Reason, after.Message, true})
		case corev1alpha2.ReasonDeadlineExceeded:
			if s.failed != nil {
				notices = append(notices, notice{corev1alpha2.EventRolledBack, after.Message, true})
			} else {
				notices = append(notices, notice{corev1alpha2.EventDeadlineExceeded, s.failure(), true})
			}
		case corev1alpha2.ReasonRollingBack:
			if before == nil || !missed(before.Reason) {
				notices = append(notices, notice{corev1alpha2.EventDeadlineExceeded, s.failed.failureText(), true})
			}
			notices = append(notices, notice{corev1alpha2.EventRollingBack, fmt.Sprintf("Putting revision %d back: %s", s.active.Number, s.failed.failureText()), true})
		case corev1alpha2.EventHealthy:
			if !s.activated() { // RevisionActive says so
				notices = append(notices, notice{after.Reason, after.Message, false})
			}
		case corev1alpha2.EventInstallationSucceeded:
			notices = append(notices, notice{after.Reason, after.Message, false})
		}
	}
	return notices
}

// unhealthyFor is how long an active revision is unhealthy before there is an Event of it: a repair is mostly followed by a
// moment in which a controller has not looked yet.
const unhealthyFor = 10 * time.Second

// tellUnhealthy sends one Event of an active revision that stays unhealthy.
func (s *state) tellUnhealthy() {
	healthy := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionHealthy)
	if healthy == nil || healthy.Status != metav1.ConditionFalse || s.active == nil || s.rollingOut() { // while rolling out everything is unhealthy at first
		s.record.unhealthy = false
		return
	}
	if s.record.unhealthy {
		return
	}
	if wait := unhealthyFor - s.clock.Since(healthy.LastTransitionTime.Time); wait > 0 {
		s.retry(wait)
		return
	}
	s.record.unhealthy = true
	s.notify(notice{corev1alpha2.EventUnhealthy, healthy.Message, true})
}

func driftNotice(record corev1alpha2.DriftRecord) notice {
	text := describeDrift(record)
	switch record.Outcome {
	case corev1alpha2.DriftRepaired:
		return notice{corev1alpha2.EventDriftRepaired, text + "; put back as declared", false}
	case corev1alpha2.DriftContested:
		return notice{corev1alpha2.EventDriftContested, text + ", each time that it is put back", true}
	}
	return notice{corev1alpha2.EventDriftReported, text + "; left so", record.Change != corev1alpha2.DriftAdded}
}

func activeNotice(now *revision, before int64) notice {
	if before == 0 {
		return notice{corev1alpha2.EventRevisionActive, name(now) + " is complete and healthy", false}
	}
	return notice{corev1alpha2.EventRevisionActive, fmt.Sprintf("%s replaces revision %d", name(now), before), false}
}

// pruneNotice tells what became of objects that only an earlier revision had; what was left deliberately is the users' from now on.
func pruneNotice(whose string, removal apply.Removal) notice {
	var parts []string
	if len(removal.Deleted) > 0 {
		parts = append(parts, fmt.Sprintf("Deleted what only %s had: %s", lower(whose), strings.Join(removal.Deleted, ", ")))
	}
	if len(removal.Kept) > 0 {
		parts = append(parts, fmt.Sprintf("Kept of what only %s had: %s", lower(whose), strings.Join(removal.Kept, ", ")))
	}
	return notice{corev1alpha2.EventPruned, strings.Join(parts, ". "), false}
}

// lostNotice tells how far it was looked for what only lost revisions had, and how to find the rest. Of which format they were nobody
// knows any more.
func (s *state) lostNotice() notice {
	numbers := make([]string, len(s.record.lost))
	for i, each := range s.record.lost {
		numbers[i] = strconv.FormatInt(each.Number, 10)
	}
	return notice{corev1alpha2.EventRevisionLost, fmt.Sprintf(
		"What only revision %s had, which cannot be used any more, was looked for among the kinds that a registry+v1 bundle may hold, and removed. "+
			"Of other kinds, and namespaces, something may be left: \"kubectl get KIND -A -l %s=%s\" shows it, for each kind that the bundle had",
		strings.Join(numbers, ", "), corev1alpha2.LabelOwnerName, s.before.Name), true}
}

func name(of *revision) string {
	if of.Bundle.Version == "" {
		return fmt.Sprintf("Revision %d", of.Number)
	}
	return fmt.Sprintf("Revision %d (version %s)", of.Number, of.Bundle.Version)
}

// lower makes a revision's name fit for the middle of a sentence.
func lower(name string) string { return strings.Replace(name, "Revision", "revision", 1) }
