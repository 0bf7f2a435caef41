package status

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// leaseTolerance is how long a Lease must have been expired before the manager counts as stopped. It covers the time that a manager takes
// to start, and the difference between the clocks of this machine and the cluster.
const leaseTolerance = 5 * time.Minute

// addLease sets whether the manager has stopped, according to its Lease. It sets nothing if lease is nil.
func (c *Cluster) addLease(lease *coordinationv1.Lease, now time.Time) {
	if lease == nil || lease.Spec.RenewTime == nil {
		return
	}
	c.ManagerRenewed = lease.Spec.RenewTime.Time
	end := c.ManagerRenewed.Add(time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second)
	c.StoppedManager = now.After(end.Add(leaseTolerance))
}

// ManagerSentence returns a sentence that says that the manager does not run, and the next step; empty if the manager does not count as
// stopped.
func (c Cluster) ManagerSentence(now time.Time) string {
	if !c.StoppedManager {
		return ""
	}
	return fmt.Sprintf("The manager does not run: it has not renewed its Lease for %s. What follows is what it reported last. Check "+
		"its Pods in namespace %s.", printer.Age(c.ManagerRenewed, now), operators.ManagerNamespace)
}
