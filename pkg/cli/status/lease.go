package status

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// leaseTolerance is how long a Lease must have expired before that proves that the manager is not running. It covers the time that a
// manager takes to start, and the difference between the clocks of this machine and the cluster.
const leaseTolerance = 5 * time.Minute

// addLease adds whether the manager is running, judged by its Lease, which may be nil.
func (c *Cluster) addLease(lease *coordinationv1.Lease, now time.Time) {
	if lease == nil || lease.Spec.RenewTime == nil {
		return
	}
	c.ManagerRenewed = lease.Spec.RenewTime.Time
	end := c.ManagerRenewed.Add(time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second)
	c.StoppedManager = now.After(end.Add(leaseTolerance))
}

// ManagerSentence returns a sentence that the manager is not running, with the next step; empty if nothing shows that it is not.
func (c Cluster) ManagerSentence(now time.Time) string {
	if !c.StoppedManager {
		return ""
	}
	return fmt.Sprintf("The manager does not run: it has not renewed its Lease for %s. What follows is what it reported last. Check "+
		"its Pods in namespace %s.", printer.Age(c.ManagerRenewed, now), operators.ManagerNamespace)
}
