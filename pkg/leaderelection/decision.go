package leaderelection

import (
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Pod identifies the manager's pod. A replacement with the same name has another UID.
type Pod struct {
	Name string
	UID  types.UID
}

// Identity returns the holder identity of one process of the pod: "<pod name>_<pod UID>_<process>". The prefixes of different pods differ,
// because Kubernetes allows no underscore in a name or UID.
func (p Pod) Identity(process types.UID) string { return p.prefix() + string(process) }

// holds reports whether the holder of a lease is a process of this pod.
func (p Pod) holds(holder string) bool { return strings.HasPrefix(holder, p.prefix()) }

func (p Pod) prefix() string { return p.Name + "_" + string(p.UID) + "_" }

// Decision is what a starting process does about the lease.
type Decision int

const (
	// Elect leaves the lease to leader election, which waits until the lease of another holder has expired.
	Elect Decision = iota
	// TakeOver makes this process the holder at once, because the holder is an earlier process of this pod that has ended.
	TakeOver
	// Refuse ends this process, because another process of this pod is running.
	Refuse
)

// Decide returns the decision of a starting process of the pod. locked is true if the process holds the lock on the pod's volume, which the
// kernel releases when its holder ends. If locked is false, the decision is Refuse. For a lease that does not exist, the caller passes the
// zero LeaseSpec.
//
// Decide ignores the lease's times. The lock proves that the earlier process has ended, even if it has just renewed the lease. Leader
// election measures whether the lease of another pod has expired, because the clocks of nodes differ.
func Decide(pod Pod, locked bool, lease coordinationv1.LeaseSpec) Decision {
	switch {
	case !locked:
		return Refuse
	case pod.holds(ptr.Deref(lease.HolderIdentity, "")):
		return TakeOver
	}
	return Elect
}
