package revision

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// unhealthyPeriod is how long an active revision must be unhealthy before an Event reports it. After a repair, a controller needs time to
// react.
const unhealthyPeriod = 10 * time.Second

// UnhealthyPeriod tracks how long the active revision of one BundleDeployment has been unhealthy, and permits one Event for each period.
// The zero value is ready for use.
type UnhealthyPeriod struct{ sent bool }

// Event returns an Event if, according to a status, the active revision has been unhealthy for unhealthyPeriod, and no Event has reported
// that yet. If it has been unhealthy for less time, Event returns the time that is left; otherwise 0. It returns no Event during a rollout,
// because objects are unhealthy at first.
func (p *UnhealthyPeriod) Event(m *Machine, status corev1alpha2.BundleDeploymentStatus, now time.Time) (*Event, time.Duration) {
	healthy := meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionHealthy)
	if healthy == nil || healthy.Status != isFalse || m.Active() == nil || m.IsRollingOut() {
		p.sent = false
		return nil, 0
	}
	if p.sent {
		return nil, 0
	}
	if wait := unhealthyPeriod - now.Sub(healthy.LastTransitionTime.Time); wait > 0 {
		return nil, wait
	}
	p.sent = true
	return &Event{Reason: corev1alpha2.EventUnhealthy, Message: healthy.Message, Warning: true}, 0
}

// DifferInProgressOnly reports whether two statuses are equal except for object counts, unready objects and messages.
func DifferInProgressOnly(before, after corev1alpha2.BundleDeploymentStatus) bool {
	return equality.Semantic.DeepEqual(withoutProgress(before), withoutProgress(after))
}

func withoutProgress(status corev1alpha2.BundleDeploymentStatus) corev1alpha2.BundleDeploymentStatus {
	status = *status.DeepCopy()
	status.Objects, status.Unready = nil, nil
	for i := range status.Conditions {
		status.Conditions[i].Message = ""
	}
	return status
}
