package revision

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// PollSchedule is when the source of one BundleDeployment is polled. The times follow from the clock and the deployment's UID alone: a
// manager that restarts keeps to them although nothing is recorded, and many deployments do not poll at the same moment. The zero value is
// ready for use.
type PollSchedule struct {
	interval time.Duration
	// slot is the last interval in which the source was polled.
	slot int64
}

// Due reports whether a source is to be polled now, and the time until that changes. It is not due when an interval is used for the first
// time: what is stored was just resolved, or is good until the next poll.
func (p *PollSchedule) Due(uid types.UID, interval time.Duration, now time.Time) (due bool, next time.Duration) {
	slot, next := slotAt(uid, interval, now)
	if p.interval != interval {
		p.interval, p.slot = interval, slot
	}
	return slot != p.slot, next
}

// Polled records a poll. The next one is due in the next interval, however long this one took.
func (p *PollSchedule) Polled(uid types.UID, now time.Time) {
	p.slot, _ = slotAt(uid, p.interval, now)
}

// Stop records that the source is not polled any more.
func (p *PollSchedule) Stop() { p.interval = 0 }

// slotAt numbers the intervals of a deployment's own clock, and returns the time until the next one begins.
func slotAt(uid types.UID, interval time.Duration, now time.Time) (slot int64, next time.Duration) {
	interval = max(interval, time.Minute)
	hash := fnv.New64a()
	hash.Write([]byte(uid))
	since := time.Duration(now.UnixNano()) + time.Duration(hash.Sum64()%uint64(interval))
	return int64(since / interval), interval - since%interval
}
