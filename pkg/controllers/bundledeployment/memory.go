package bundledeployment

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/lastwrite"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// memory is the cache for one BundleDeployment between syncs. After a restart it is read from the cluster again, or starts empty.
type memory struct {
	uid types.UID
	// loaded is true once history has been read from the cluster.
	loaded  bool
	history revision.History
	// sets holds the objects of loaded revisions, keyed by revision number.
	sets revisions.Sets
	// lastWrite is the controller's last write to the BundleDeployment, or its last read that showed that the informer is behind. version
	// is the newest resourceVersion that a sync has seen or written. behind is true from such a read until the informer has received this
	// version.
	lastWrite lastwrite.Write
	version   string
	behind    bool
	// restores is the number of restores of an etcd backup that the controller had noticed by the last sync.
	restores int
	// restoreAt holds the earliest time of the next attempt to store a revision again, keyed by revision number. A zero time means at once.
	restoreAt map[int64]time.Time
	// storeAttempt is the last failed attempt to store a revision.
	storeAttempt revisions.Attempt[unpack.Request]
	// events are the Events to send after the next write of the status.
	events []revision.Event
	// removal is the cache of a removal in progress.
	removal removalMemory
	// pruneFailures counts the consecutive failures to prune.
	pruneFailures revision.Failures
	// class is the last known spec of the ProvisionerClass named className. It remains in use if the class is deleted.
	class     corev1alpha2.ProvisionerClassSpec
	className string
	// planned is the plan of the newest revision that has not started; empty if none was computed.
	planned plannedRevision
	// roles are the stored roles that the ServiceAccount lacks; empty if this process has stored none.
	roles storedRoles
	// dryRun is the dry run of that revision; empty if none was made.
	dryRun dryRun
	// polls is the schedule for polls of the source.
	polls revision.PollSchedule
	// rerendered is true after this process has compared the active revision with its own rendering, which it does once.
	rerendered bool
	// deniedSince is the time of the first of the consecutive applies in which the API server denied a request; zero if the last apply was
	// not denied.
	deniedSince time.Time
	// pollEvent is the message of the last Event about a poll.
	pollEvent string
	// drift holds the changes by other clients. warnings holds the API server's warnings.
	drift    revision.DriftLog
	warnings revision.WarningLog
	// ignores holds the entries of spec.drift.ignore that selected nothing when the objects were last applied. watched holds the namespaces
	// that the configuration names.
	ignores unmatchedIgnores
	watched watchedNamespaces
	// unhealthy is the period for which the active revision has been unhealthy.
	unhealthy revision.UnhealthyPeriod
}

func (c *controller) memoryOf(deployment *corev1alpha2.BundleDeployment) *memory {
	c.mu.Lock()
	found := c.memories[deployment.Name]
	c.mu.Unlock()
	if found == nil || found.uid != deployment.UID {
		return c.newMemory(deployment)
	}
	return found
}

// newMemory creates an empty memory for a BundleDeployment, which replaces any existing one.
func (c *controller) newMemory(deployment *corev1alpha2.BundleDeployment) *memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	if former := c.memories[deployment.Name]; former != nil {
		c.watcher.Release(deployment.Name)
		c.revisions.Forget(former.uid)
		c.cancelFetches(deployment.Name, former) // the fetch was requested for another object of this name, or for another version
		c.metrics.Forget(deployment.Name)
	}
	empty := &memory{uid: deployment.UID, sets: revisions.Sets{}}
	if c.isOneRound { // the number of earlier rounds is not known
		empty.removal.attempts.Checks = revision.ManyChecks
	}
	c.memories[deployment.Name] = empty
	return empty
}

// wrote records a write of the BundleDeployment by this controller.
func (m *memory) wrote(stored *corev1alpha2.BundleDeployment, now time.Time) {
	m.lastWrite, m.version = lastwrite.Of(stored, now), stored.ResourceVersion
}

// isNewerThan reports whether the memory is from a newer version of the BundleDeployment. If deployment was read from the API server, true
// means that a backup of etcd was restored, and that the revisions in memory may be missing in the cluster.
func (m *memory) isNewerThan(deployment *corev1alpha2.BundleDeployment) bool {
	order, err := resourceversion.CompareResourceVersion(deployment.ResourceVersion, m.version)
	return err == nil && order < 0
}

// maxEvents is the maximum number of Events that wait for a write of the status. Further Events are dropped.
const maxEvents = 50

// addEvent adds an Event that is sent after the next write of the status, even if that takes several syncs. It ignores an Event that is
// already waiting, and all Events beyond maxEvents.
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
