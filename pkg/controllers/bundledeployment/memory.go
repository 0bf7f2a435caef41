package bundledeployment

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/lastwrite"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// memory is the cache for one BundleDeployment between syncs. After a restart it is read again from the cluster, or not needed.
type memory struct {
	uid types.UID
	// loaded is true after history was read from the cluster.
	loaded  bool
	history revision.History
	// sets are the objects of loaded revisions, by number.
	sets revisions.Sets
	// lastWrite is our own last write to the BundleDeployment.
	lastWrite lastwrite.Write
	// storeAttempt is the last attempt to store a revision that failed.
	storeAttempt revisions.Attempt[unpack.Request]
	// events are sent when a status was written.
	events []revision.Event
	// removal is the cache of a removal in progress.
	removal removalMemory
	// pruneFailures are consecutive failures to prune.
	pruneFailures revision.Failures
	// class is the last one that was seen of the name className.
	class     corev1alpha2.ProvisionerClassSpec
	className string
	// polls is when the source is polled.
	polls revision.PollSchedule
	// rerendered is true after the active revision was compared with what this manager renders, once in a process.
	rerendered bool
	// pollEvent is the message of the last Event of a poll.
	pollEvent string
	// drift has changes by others, warnings those of the API server.
	drift    revision.DriftLog
	warnings revision.WarningLog
	// unhealthy is the period in which the active revision is unhealthy.
	unhealthy revision.UnhealthyPeriod
}

func (c *controller) memoryOf(deployment *corev1alpha2.BundleDeployment) *memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.memories[deployment.Name]
	if found == nil || found.uid != deployment.UID {
		if found != nil {
			c.watcher.Release(deployment.Name)
			c.fetches.Cancel(deployment.Name) // what was requested for another one of this name is not for this one
			c.metrics.Forget(deployment.Name)
		}
		found = &memory{uid: deployment.UID, sets: revisions.Sets{}}
		c.memories[deployment.Name] = found
	}
	return found
}

// maxEvents limits the Events that wait while no status can be written.
const maxEvents = 50

// addEvent has an Event sent after a status was written, however many syncs that takes.
func (m *memory) addEvent(event revision.Event) {
	if len(m.events) < maxEvents && !slices.Contains(m.events, event) {
		m.events = append(m.events, event)
	}
}

func (s *reconciliation) addEvents(events []revision.Event) {
	for _, each := range events {
		s.memory.addEvent(each)
	}
}
