package health

import (
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
)

// StatusInterval is the minimum time between two writes of a status that differs only in counts, messages or the progress of an
// installation. It applies to the ClusterOperator, PlatformOperators and BundleDeployments. Users read only the last of these states.
// Without an interval, each of thousands of objects that become ready, or each step of ten installations, would cause a write.
const StatusInterval = 2 * time.Second

// RemovalInterval is used instead of StatusInterval for a PlatformOperator that is being removed, because its BundleDeployment reports each
// step of the removal. A blocked removal is a different status, and is written at once.
const RemovalInterval = 10 * time.Second

// WriteLimiter delays writes of conditions if only messages changed. The zero value is ready for use. It is not safe for concurrent use.
type WriteLimiter struct {
	lastWrite time.Time
}

// Wait returns the time to wait before the wanted conditions are written over the stored ones. It is 0 if they may be written now, or if
// they are equal. New conditions, and conditions with another status or reason, are never delayed.
func (l *WriteLimiter) Wait(now time.Time, stored, wanted []operatorv1.OperatorCondition) time.Duration {
	changed := false
	for _, each := range wanted {
		i := slices.IndexFunc(stored, func(before operatorv1.OperatorCondition) bool { return before.Type == each.Type })
		if i < 0 || stored[i].Status != each.Status || stored[i].Reason != each.Reason {
			return 0
		}
		changed = changed || stored[i].Message != each.Message
	}
	if !changed {
		return 0
	}
	return max(l.lastWrite.Add(StatusInterval).Sub(now), 0)
}

// Written records that conditions were written.
func (l *WriteLimiter) Written(now time.Time) { l.lastWrite = now }
