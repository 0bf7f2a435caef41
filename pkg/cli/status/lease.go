package status

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// leaseTolerance is how long after its end a Lease proves that the manager does not run. It covers the start of a manager, and the
// difference between the clocks of this machine and the cluster.
const leaseTolerance = 5 * time.Minute

// addLease adds whether the manager runs, by its Lease, which may be nil.
func (c *Cluster) addLease(lease *coordinationv1.Lease, now time.Time) {
	if lease == nil || lease.Spec.RenewTime == nil {
		return
	}
	c.ManagerRenewed = lease.Spec.RenewTime.Time
	end := c.ManagerRenewed.Add(time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second)
	c.StoppedManager = now.After(end.Add(leaseTolerance))
}

// ManagerSentence returns that the manager does not run, and the next step; empty if nothing shows that.
func (c Cluster) ManagerSentence(now time.Time) string {
	if !c.StoppedManager {
		return ""
	}
	return fmt.Sprintf("The manager does not run: it has not renewed its Lease for %s. What follows is what it reported last. Check "+
		"its Pods in namespace %s.", printer.Age(c.ManagerRenewed, now), operators.ManagerNamespace)
}
