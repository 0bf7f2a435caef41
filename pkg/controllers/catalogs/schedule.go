package catalogs

import (
	"slices"
	"time"

	"github.com/openshift/platform-operators/pkg/catalogsource"
)

// minPause is the minimum time between two reads of a catalog without a digest, even if it reconnects more often or its registryPoll is
// shorter.
const minPause = time.Minute

// lastRead describes the last successful read of a catalog.
type lastRead struct {
	source, content, connection string
	// names are the packages that were read, sorted. modified is the time at which the content last changed, according to the server; empty
	// if it is unknown.
	names    []string
	modified string
	started  time.Time
	took     time.Duration
}

// plan is the next read of a catalog, and the time at which it is due.
type plan struct {
	at    time.Time
	names []string
	// since makes the read conditional: the server sends no packages if the content has not changed since this time. It is empty for an
	// unconditional read.
	since string
	// additional is true if the read adds names to the stored packages of the same content.
	additional bool
}

// next returns the next read; false if none is needed for this description. wanted are the currently wanted packages, sorted. kept is the
// catalog's snapshot.
//
// If only newly wanted packages must be read, the read waits for as long as the last read took. So a large catalog is not read continuously
// while PlatformOperators are created one by one. Packages that become wanted during the wait are read together.
func (r lastRead) next(d description, wanted []string, kept catalogsource.Snapshot, now time.Time) (plan, bool) {
	var missing []string
	for _, name := range wanted {
		if !kept.Wanted[name] {
			missing = append(missing, name)
		}
	}
	same := r.source == d.source && r.content == d.content && d.content != ""
	all := plan{at: now, names: wanted}
	if len(missing) == 0 && r.source == d.source && r.content == d.content && slices.Equal(r.names, wanted) {
		all.since = r.modified
	}
	again, due := r.nextCheck(d, now)
	switch {
	case due && !again.After(now):
		return all, true
	case len(missing) > 0:
		pause := r.started.Add(2 * r.took)
		if same {
			return plan{at: pause, names: missing, additional: true}, true
		}
		all.at = pause
		return all, true
	case kept.Err != nil && all.since != "":
		return all, true // the catalog could not be read, and a conditional request is cheap
	}
	all.at = again
	return all, due
}

// nextCheck returns when the content must be read again, regardless of which packages are wanted. due is false if no such read is needed.
func (r lastRead) nextCheck(d description, now time.Time) (at time.Time, due bool) {
	if r.source != d.source {
		return now, true
	}
	if d.content != "" { // also if the last read had no digest: it may have been from the previous pod
		return now, r.content != d.content
	}
	if r.connection != d.connection {
		return r.started.Add(minPause), true
	}
	if d.poll > 0 {
		return r.started.Add(max(d.poll, minPause)), true
	}
	return time.Time{}, false
}

// failure describes a failed read: the state of the catalog that was read, and the time of the failure.
type failure struct {
	source, content, connection string
	at                          time.Time
}

// retry returns the time of the next attempt after a failure with this backoff. If the catalog's source or content has changed since the
// failure, the catalog is retried at once, because the change may have fixed it. If only its connection is new, the wait is at most
// firstRetry.
func (f failure) retry(d description, backoff time.Duration) time.Time {
	switch {
	case f.source != d.source || f.content != d.content:
		return f.at
	case f.connection != d.connection:
		return f.at.Add(min(backoff, firstRetry))
	}
	return f.at.Add(backoff)
}
