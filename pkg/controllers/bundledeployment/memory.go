package bundledeployment

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// memory is what is kept of one BundleDeployment between syncs. All of it can be read again from the cluster, or is not missed.
type memory struct {
	uid types.UID
	// loaded is true after history was read from the cluster.
	loaded  bool
	history revision.History
	// sets are the objects of loaded revisions, by number.
	sets map[int64]*apply.Set
	// resourceVersion is that of our own last write to the BundleDeployment, writeTime when that was.
	resourceVersion string
	writeTime       time.Time
	// storeAttempt is the last attempt to store a revision that failed.
	storeAttempt storeAttempt
	// events are sent when a status was written.
	events []revision.Event
	// removal is what is kept of the removal that is under way.
	removal removalMemory
	// pruneFailures are consecutive failures to prune.
	pruneFailures failures
	// class is the last one that was seen of the name className.
	class     corev1alpha2.ProvisionerClassSpec
	className string
	// pollInterval and pollSlot are the poll interval and the last of them in which the source was polled.
	pollInterval time.Duration
	pollSlot     int64
	// rerendered is true after the active revision was compared with what this manager renders, once in a process.
	rerendered bool
	// pollEvent is the message of the last Event of a poll.
	pollEvent string
	// drift and warnings came from the engine and are not in status yet.
	drift    []corev1alpha2.DriftRecord
	warnings []string
	// isUnhealthySent is true if an Event of the current unhealthy period was sent.
	isUnhealthySent bool
	// standing are the changes by others that stood when the status was written last.
	standing []corev1alpha2.DriftRecord
}

// failures are consecutive failures of one thing, such as because of a webhook that does not answer.
type failures struct {
	count int
	since time.Time
}

// add counts one more.
func (f *failures) add(now time.Time) {
	if f.count++; f.count == 1 {
		f.since = now
	}
}

// transientPeriod is how long attempts may fail until that counts as something that does not end by itself.
const transientPeriod = 10 * time.Minute

func (f *failures) isLasting(now time.Time) bool {
	return f.count > 0 && now.Sub(f.since) > transientPeriod
}

func (c *controller) memoryOf(deployment *corev1alpha2.BundleDeployment) *memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.memories[deployment.Name]
	if found == nil || found.uid != deployment.UID {
		if found != nil {
			c.watcher.Release(deployment.Name)
			c.fetches.cancel(deployment.Name) // what was requested for another one of this name is not for this one
			c.meters.forget(deployment.Name)
		}
		found = &memory{uid: deployment.UID, sets: map[int64]*apply.Set{}}
		c.memories[deployment.Name] = found
	}
	return found
}

// staleCachePeriod is how long our own last write is trusted more than the cache. A cache that is still behind after that is not
// behind: the API server may have been restored from a backup, whose versions begin again at an earlier one.
const staleCachePeriod = 30 * time.Second

// isBehind reports whether a cached object is older than our own last write, so that a decision upon it would undo that, and for how
// long that counts.
func (m *memory) isBehind(cached *corev1alpha2.BundleDeployment, now time.Time) (time.Duration, bool) {
	order, err := resourceversion.CompareResourceVersion(cached.ResourceVersion, m.resourceVersion)
	left := m.writeTime.Add(staleCachePeriod).Sub(now)
	return left, m.resourceVersion != "" && err == nil && order < 0 && left > 0
}

// wrote records a write.
func (m *memory) wrote(stored *corev1alpha2.BundleDeployment, now time.Time) {
	m.resourceVersion, m.writeTime = stored.ResourceVersion, now
}

// setsOf returns the objects of loaded revisions.
func (m *memory) setsOf(revisions []*revision.Revision) []*apply.Set {
	var sets []*apply.Set
	for _, each := range revisions {
		sets = append(sets, m.sets[each.Number])
	}
	return sets
}

// unload forgets the objects of a revision. They can be loaded again.
func (m *memory) unload(of *revision.Revision) {
	of.Loaded = false
	delete(m.sets, of.Number)
}

// maxEvents limits the Events that wait while no status can be written.
const maxEvents = 50

// addEvent has an Event sent after a status was written, however many syncs that takes.
func (m *memory) addEvent(event revision.Event) {
	if len(m.events) < maxEvents && !slices.Contains(m.events, event) {
		m.events = append(m.events, event)
	}
}
