// Package lastwrite reports whether a cached object is older than the last write of this process. A decision based on such an object could
// undo that write. The package uses only the object's resourceVersion. The bundledeployment controller calls it.
package lastwrite

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// StaleCachePeriod is the time for which the process trusts its own last write more than the cache. After that, the caller must read the
// object from the API server: either the cache is still behind, or the API server was restored from a backup, in which resourceVersions are
// lower.
const StaleCachePeriod = 30 * time.Second

// Write is the last write of this process to an object. The zero value means that there was none.
type Write struct {
	// ResourceVersion is the object's resourceVersion after the write, and Time is the time of the write.
	ResourceVersion string
	Time            time.Time
}

// Of returns the Write for an object that this process has just written. stored is the API server's response.
func Of(stored metav1.Object, now time.Time) Write {
	return Write{ResourceVersion: stored.GetResourceVersion(), Time: now}
}

// IsBehind reports whether a cached object is older than the write, and StaleCachePeriod has not passed since the write. The duration is
// the rest of StaleCachePeriod. It is meaningful only if the result is true.
func (w Write) IsBehind(cached metav1.Object, now time.Time) (time.Duration, bool) {
	order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), w.ResourceVersion)
	left := w.Time.Add(StaleCachePeriod).Sub(now)
	return left, w.ResourceVersion != "" && err == nil && order < 0 && left > 0
}
