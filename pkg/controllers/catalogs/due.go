package catalogs

import (
	"slices"
	"time"

	"github.com/openshift/platform-operators/pkg/catalogsource"
)

// leastPause bounds how often a catalog is read again of which nothing says what it serves, however often it is connected
// to anew or its registryPoll asks for it.
const leastPause = time.Minute

// reading is the last good reading of a catalog: of what, when, and what it cost.
type reading struct {
	serves, content, connection string
	// names are the packages that were read, sorted; modified is the server's word for when its content changed last.
	names    []string
	modified string
	began    time.Time
	took     time.Duration
}

// plan is what to read of a catalog, and when.
type plan struct {
	at    time.Time
	names []string
	// since makes the reading conditional: nothing is sent when nothing has changed after it.
	since string
	// more says that names are read in addition to what is kept, which is of the same content.
	more bool
}

// next plans the reading that follows this one; false when none is needed as long as things are as they are described.
// wanted are the packages that are asked for now, sorted, kept is what is known of the catalog. A reading that is only
// needed for packages that nobody asked for before waits as long as the last one took, so that a big catalog is not sent
// without a pause while operators are created one by one; those that come meanwhile are read together.
func (r reading) next(d description, wanted []string, kept catalogsource.Snapshot, now time.Time) (plan, bool) {
	var missing []string
	for _, name := range wanted {
		if !kept.Wanted[name] {
			missing = append(missing, name)
		}
	}
	same := r.serves == d.serves && r.content == d.content && d.content != ""
	all := plan{at: now, names: wanted}
	if len(missing) == 0 && r.serves == d.serves && r.content == d.content && slices.Equal(r.names, wanted) {
		all.since = r.modified
	}
	again, due := r.again(d, now)
	switch {
	case due && !again.After(now):
		return all, true
	case len(missing) > 0:
		pause := r.began.Add(2 * r.took)
		if same {
			return plan{at: pause, names: missing, more: true}, true
		}
		all.at = pause
		return all, true
	case kept.Err != nil && all.since != "":
		return all, true // it was away, and to ask whether it is still the same costs next to nothing
	}
	all.at = again
	return all, due
}

// again says when the content has to be looked at again, whatever is wanted of it; false for never.
func (r reading) again(d description, now time.Time) (at time.Time, due bool) {
	if r.serves != d.serves {
		return now, true
	}
	if d.content != "" { // also where nothing named what was read: that may have been from the pod before
		return now, r.content != d.content
	}
	if r.connection != d.connection {
		return r.began.Add(leastPause), true
	}
	if d.poll > 0 {
		return r.began.Add(max(d.poll, leastPause)), true
	}
	return time.Time{}, false
}

// failure is a reading that failed: of what, and when.
type failure struct {
	serves, content, connection string
	at                          time.Time
}

// retry says when to try again after a failure for which back-off waits so long. Back-off is for what failed: somebody who
// has put the catalog right does not wait for it. A new connection alone may be the same trouble again.
func (f failure) retry(d description, backoff time.Duration) time.Time {
	switch {
	case f.serves != d.serves || f.content != d.content:
		return f.at
	case f.connection != d.connection:
		return f.at.Add(min(backoff, firstRetry))
	}
	return f.at.Add(backoff)
}
