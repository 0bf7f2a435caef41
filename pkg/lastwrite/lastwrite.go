// Package lastwrite tells whether a cached object is older than the last write of this process, so that a decision upon it would undo that
// write. It knows nothing of the object; the bundledeployment controller calls it.
package lastwrite

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// staleCachePeriod is how long our own last write is trusted more than the cache. A cache that is still behind after that is not
// behind: the API server may have been restored from a backup, whose versions begin again at an earlier one.
const staleCachePeriod = 30 * time.Second

// Write is the last write of this process to an object. The zero value is none.
type Write struct {
	// ResourceVersion is the object's version after the write, and Time when that was.
	ResourceVersion string
	Time            time.Time
}

// Of returns the write that stored an object.
func Of(stored metav1.Object, now time.Time) Write {
	return Write{ResourceVersion: stored.GetResourceVersion(), Time: now}
}

// IsBehind reports whether a cached object is older than the write, and for how long that counts.
func (w Write) IsBehind(cached metav1.Object, now time.Time) (time.Duration, bool) {
	order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), w.ResourceVersion)
	left := w.Time.Add(staleCachePeriod).Sub(now)
	return left, w.ResourceVersion != "" && err == nil && order < 0 && left > 0
}
