package catalogsource

import (
	"regexp"
	"time"
)

// GracePeriod is how long reads must fail before users of the catalog's last content are notified. Replaced pods and short connection
// failures take less, and would otherwise write the status of every operator.
const GracePeriod = 30 * time.Second

// Disable records that an admin has disabled a catalog: its content does not count until it is enabled again. The content is kept for then.
func (s *Snapshots) Disable(info Info, why error) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		next := old.withInfo(info)
		next.Disabled = true
		return next.withError(why, info.At)
	})
}

// enabled returns a copy that is not disabled. The time in which it was disabled does not count as failing.
func (s *Snapshot) enabled(now time.Time) *Snapshot {
	if s.Disabled {
		s.Disabled, s.Failing = false, now
	}
	return s
}

// withError returns a copy with the error of a read. If errors only differ in addresses, ports and durations, it keeps the first one, so
// that a repeated failure is no change.
func (s *Snapshot) withError(why error, at time.Time) *Snapshot {
	if s.Err == nil {
		s.Failing = at
	}
	if s.Err == nil || normalizeError(s.Err) != normalizeError(why) {
		s.Err = why
	}
	return s.atTime(at)
}

// atTime returns a copy for a point in time: a catalog that has been failing for GracePeriod is unavailable.
func (s *Snapshot) atTime(now time.Time) *Snapshot {
	s.Unavailable = s.Err != nil && !s.Disabled && now.Sub(s.Failing) >= GracePeriod
	return s
}

var volatile = regexp.MustCompile(`\[[0-9a-fA-F:]+\]|\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b|:[0-9]+\b|\b([0-9]+(\.[0-9]+)?(ns|µs|ms|s|m|h))+\b`)

// normalizeError returns an error's text without the addresses, ports and durations that differ between attempts.
func normalizeError(err error) string { return volatile.ReplaceAllString(err.Error(), "#") }
