package catalogsource

import (
	"regexp"
	"time"
)

// Grace is how long a catalog has to be unreadable before those are told who go on with what it last had, or with other
// catalogs. Pods that are replaced and connections that flap are away for less, and would have every operator's status written.
const Grace = 30 * time.Second

// Withhold records that a catalog's admin has taken it out of service: nothing that was read of it counts before it is in
// service again. What was read is kept for then.
func (s *Snapshots) Withhold(info Info, why error) (changed []string) {
	return s.replace(info.ID, info.Wanted, func(old *Snapshot) *Snapshot {
		next := old.described(info)
		next.Withheld = true
		return next.failing(why, info.At)
	})
}

// inService is that it is no longer withheld. How long it was does not count as trouble.
func (s *Snapshot) inService(now time.Time) *Snapshot {
	if s.Withheld {
		s.Withheld, s.Failing = false, now
	}
	return s
}

// failing notes why a catalog cannot be read at this time. Of errors that differ in nothing but addresses, ports and durations
// the first one stays, so that an attempt that fails as the one before is no news.
func (s *Snapshot) failing(why error, at time.Time) *Snapshot {
	if s.Err == nil {
		s.Failing = at
	}
	if s.Err == nil || gist(s.Err) != gist(why) {
		s.Err = why
	}
	return s.at(at)
}

// at notes what time it is: a catalog that has been failing for long enough is away.
func (s *Snapshot) at(now time.Time) *Snapshot {
	s.Away = s.Err != nil && !s.Withheld && now.Sub(s.Failing) >= Grace
	return s
}

var volatile = regexp.MustCompile(`\[[0-9a-fA-F:]+\]|\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b|:[0-9]+\b|\b([0-9]+(\.[0-9]+)?(ns|µs|ms|s|m|h))+\b`)

// gist is what an error says without the addresses, ports and durations that differ from one attempt to the next.
func gist(err error) string { return volatile.ReplaceAllString(err.Error(), "#") }
