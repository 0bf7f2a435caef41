package catalogsource

import (
	"regexp"
	"time"
)

// GracePeriod is how long the reads of a catalog must fail before the operators that use its last content report the failure. Restarts of
// pods and short connection failures take less time, and would otherwise change the status of every operator.
const GracePeriod = 30 * time.Second

// Disable records that an admin has disabled a catalog. why is the error that is returned for its packages. The content stays stored, but
// is ignored until Set, SetPending, SetError or SetUnchanged enables the catalog again.
func (s *Snapshots) Disable(info Info, why error) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		next := old.withInfo(info)
		next.Disabled = true
		return next.withError(why, info.At)
	})
}

// enabled marks s as not disabled, and returns s. If s was disabled, enabled sets Failing to now, so that the time while it was disabled
// does not count toward GracePeriod. s must be a copy that no other goroutine has.
func (s *Snapshot) enabled(now time.Time) *Snapshot {
	if s.Disabled {
		s.Disabled, s.Failing = false, now
	}
	return s
}

// withError sets the error of a read, and returns s. If the new error differs from the current one only in addresses, ports and durations,
// withError keeps the current one, so that a repeated failure is not a change. s must be a copy that no other goroutine has.
func (s *Snapshot) withError(why error, at time.Time) *Snapshot {
	if s.Err == nil {
		s.Failing = at
	}
	if s.Err == nil || normalizeError(s.Err) != normalizeError(why) {
		s.Err = why
	}
	return s.atTime(at)
}

// atTime sets Unavailable and returns s. Unavailable is true if, at the given time, an enabled catalog has been failing for at least
// GracePeriod. s must be a copy that no other goroutine has.
func (s *Snapshot) atTime(now time.Time) *Snapshot {
	s.Unavailable = s.Err != nil && !s.Disabled && now.Sub(s.Failing) >= GracePeriod
	return s
}

var volatile = regexp.MustCompile(`\[[0-9a-fA-F:]+\]|\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b|:[0-9]+\b|\b([0-9]+(\.[0-9]+)?(ns|µs|ms|s|m|h))+\b`)

// normalizeError returns an error's text with a placeholder for the addresses, ports and durations that differ between attempts.
func normalizeError(err error) string { return volatile.ReplaceAllString(err.Error(), "#") }
