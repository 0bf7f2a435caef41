package scenario

import (
	"errors"
	"fmt"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
)

// restoredWithin is the time after RestoreSnapshot during which an operator may act on cached objects from after the snapshot.
const restoredWithin = 2 * time.Minute

// RestoreSnapshot replaces the content of the running cluster's storage with the content of a snapshot, as `etcdutl snapshot restore
// --bump-revision 1000000000 --mark-compacted` and a restart of the API servers do. Objects that were created after the snapshot no longer
// exist, and objects that were deleted after it exist again. Objects keep the resourceVersions that they had. The storage's revision rises
// by at least 1,000,000,000, and all history is compacted: an update with a resourceVersion from after the snapshot is a conflict, and a
// watch from any earlier resourceVersion gets 410 Gone.
//
// All watches end. Requests in flight fail with ECONNRESET, and later requests fail with ECONNREFUSED until the API server has restarted.
// This takes two seconds, which are virtual in a bubble. The cluster's own components also restart. A client's informer may need 30 seconds
// until it lists again, because it backs off. Until then, its cache holds objects from after the snapshot. Faults, the behavior of Pods,
// and ServeStaleLists stay in effect, and DelayEvent continues to count events. Events that DelayEvent withholds are dropped.
//
// The snapshot may come from a different cluster with the same Options.Registries. If its time is in the future, RestoreSnapshot first
// sleeps until then. RestoreSnapshot must not run concurrently with Stop. If the restart fails, the cluster serves no more requests, and
// Stop must still be called.
func (c *Cluster) RestoreSnapshot(s *Snapshot) error {
	if s == nil {
		return errors.New("restoring a snapshot: it is nil; pass a result of Cluster.Snapshot")
	}
	c.restoring <- struct{}{} // not a mutex, because a goroutine that waits for a mutex stops virtual time
	defer func() { <-c.restoring }()
	if c.restarting.Load() {
		return errors.New("restoring a snapshot: an earlier restart of the API server failed; start another cluster")
	}
	time.Sleep(time.Until(s.store.Time)) // so that no creationTimestamp is in the future
	c.checker.Load().suspendAll(restoredWithin)
	defer func() { c.checker.Load().suspendAll(restoredWithin) }()
	c.stopComponents()
	c.restarting.Store(true)
	c.CutWatches(nil)
	c.server.Load().Stop()
	c.store.Replace(s.store)
	server, err := apiserver.Start(c.lifetime, c.serverOptions)
	if err != nil {
		return fmt.Errorf("restoring a snapshot: the API server does not restart; call Stop and start another cluster: %w", err)
	}
	c.server.Store(server)
	c.restarting.Store(false)
	if err := c.startComponents(); err != nil {
		return fmt.Errorf("restoring a snapshot: the cluster's components do not restart; call Stop and start another cluster: %w", err)
	}
	return nil
}
