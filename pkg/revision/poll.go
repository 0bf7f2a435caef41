package revision

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// PollSchedule decides when the source of one BundleDeployment is polled. The times depend only on the clock and the deployment's UID. As a
// result, they do not change when the manager restarts, and deployments do not all poll at the same time. The zero value is ready for use.
type PollSchedule struct {
	interval time.Duration
	// slot is the number of the interval in which the source was last polled, or in which the schedule began.
	slot int64
}

// Due reports whether a source should be polled now, and the time until the next interval. At the first call, and after the interval was
// changed, no poll is due in the current interval: the stored content was just resolved or is valid until the next poll.
func (p *PollSchedule) Due(uid types.UID, interval time.Duration, now time.Time) (due bool, next time.Duration) {
	slot, next := slotAt(uid, interval, now)
	if p.interval != interval {
		p.interval, p.slot = interval, slot
	}
	return slot != p.slot, next
}

// Polled records a poll. The next poll is due in the next interval, even if this one took a long time.
func (p *PollSchedule) Polled(uid types.UID, now time.Time) {
	p.slot, _ = slotAt(uid, p.interval, now)
}

// Stop records that the source is no longer polled. The next call of Due starts like the first one.
func (p *PollSchedule) Stop() { p.interval = 0 }

// slotAt returns the number of a deployment's current interval, and the time until the next one begins. An interval is at least one minute
// long. The UID determines when the intervals begin.
func slotAt(uid types.UID, interval time.Duration, now time.Time) (slot int64, next time.Duration) {
	interval = max(interval, time.Minute)
	hash := fnv.New64a()
	hash.Write([]byte(uid))
	since := time.Duration(now.UnixNano()) + time.Duration(hash.Sum64()%uint64(interval))
	return int64(since / interval), interval - since%interval
}
