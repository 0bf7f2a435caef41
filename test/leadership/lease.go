package leadership

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/test/environment"
)

// LeaseName is the name of the manager's Lease.
const LeaseName = "platform-operators-lock"

// Timings are the lease duration, the renew deadline and the retry period of leader election.
type Timings struct{ Lease, Renew, Retry time.Duration }

// HighlyAvailable holds the timings of OpenShift's components in general. SingleNode holds those for a single-node control plane.
var (
	HighlyAvailable = Timings{137 * time.Second, 107 * time.Second, 26 * time.Second}
	SingleNode      = Timings{270 * time.Second, 240 * time.Second, 60 * time.Second}
)

// Scaled returns the timings divided by n. It truncates the lease duration to whole seconds, as in a Lease object.
func (t Timings) Scaled(n int) Timings {
	divisor := time.Duration(n)
	return Timings{(t.Lease / divisor).Truncate(time.Second), t.Renew / divisor, t.Retry / divisor}
}

// Args returns the flags of the manager that set the timings.
func (t Timings) Args() []string {
	return []string{
		"--leader-elect-lease-duration=" + t.Lease.String(),
		"--leader-elect-renew-deadline=" + t.Renew.String(),
		"--leader-elect-retry-period=" + t.Retry.String(),
	}
}

// AfterRelease returns the longest time until a waiting manager acquires a released lease. It includes client-go's jitter of the retry
// period.
func (t Timings) AfterRelease() time.Duration {
	return time.Duration((1 + leaderelection.JitterFactor) * float64(t.Retry))
}

// AfterCrash returns the longest time until a waiting manager acquires the lease of a killed manager.
func (t Timings) AfterCrash() time.Duration { return t.Lease + t.AfterRelease() }

// Lease is the state of the manager's Lease object.
type Lease struct {
	// Holder is the holder's identity; empty if the lease is released.
	Holder string
	// Acquired is the time at which the holder acquired the lease. Renewed is the time of its last renewal. Both are zero if the Lease has
	// none.
	Acquired, Renewed time.Time
	// Transitions is the number of times that the holder changed.
	Transitions int
	// Duration is the time for which the lease is valid after a renewal.
	Duration time.Duration
}

// ReadLease reads the manager's Lease. It returns an error if there is none.
func ReadLease(ctx context.Context, client kubernetes.Interface) (Lease, error) {
	live, err := client.CoordinationV1().Leases(environment.Namespace).Get(ctx, LeaseName, metav1.GetOptions{})
	if err != nil {
		return Lease{}, fmt.Errorf("reading Lease %s/%s: %w", environment.Namespace, LeaseName, err)
	}
	return leaseOf(live), nil
}

func leaseOf(live *coordinationv1.Lease) Lease {
	lease := Lease{
		Holder:      ptr.Deref(live.Spec.HolderIdentity, ""),
		Transitions: int(ptr.Deref(live.Spec.LeaseTransitions, 0)),
		Duration:    time.Duration(ptr.Deref(live.Spec.LeaseDurationSeconds, 0)) * time.Second,
	}
	if live.Spec.AcquireTime != nil {
		lease.Acquired = live.Spec.AcquireTime.Time
	}
	if live.Spec.RenewTime != nil {
		lease.Renewed = live.Spec.RenewTime.Time
	}
	return lease
}
