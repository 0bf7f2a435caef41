package leaderelection

import (
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Pod identifies the pod that a manager runs in. A pod that replaces another one of the same name has another UID.
type Pod struct {
	Name string
	UID  types.UID
}

// Identity is the lease holder's identity of one process of the pod: "<pod name>_<pod UID>_<process>". No part contains an
// underscore, so that no identity of another pod begins with that of this one.
func (p Pod) Identity(process types.UID) string { return p.prefix() + string(process) }

// holds reports whether the holder of a lease is a process of this pod.
func (p Pod) holds(holder string) bool { return strings.HasPrefix(holder, p.prefix()) }

func (p Pod) prefix() string { return p.Name + "_" + string(p.UID) + "_" }

// Decision is what a process does about the lease when it starts.
type Decision int

const (
	// Elect leaves the lease to leader election: it takes a lease that nobody holds, and waits until one that is held runs out.
	Elect Decision = iota
	// TakeOver makes this process the holder at once: the holder is an earlier process of this pod, which has ended.
	TakeOver
	// Refuse ends this process: another process of this pod runs.
	Refuse
)

// String names the decision.
func (d Decision) String() string {
	switch d {
	case Elect:
		return "Elect"
	case TakeOver:
		return "TakeOver"
	case Refuse:
		return "Refuse"
	}
	return "Unknown"
}

// Decide returns what a process of the pod does about the lease when it starts. locked reports whether the process holds the
// lock on the pod's volume, which the kernel releases when its holder ends, and not before. A lease that does not exist yet has
// the zero spec.
//
// The lease's times do not matter. The lock proves that the earlier process has ended, however recently it renewed the lease.
// The lease of another pod may have run out by its times, but clocks of nodes differ: leader election measures that itself.
func Decide(pod Pod, locked bool, lease coordinationv1.LeaseSpec) Decision {
	switch {
	case !locked:
		return Refuse
	case pod.holds(ptr.Deref(lease.HolderIdentity, "")):
		return TakeOver
	}
	return Elect
}
