package leaderelection

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
)

const (
	// takeOverTimeout is how long an API server that does not answer is asked again; library-go then ends the process as well.
	takeOverTimeout = 30 * time.Second
	// retryEvery is the wait between two attempts.
	retryEvery = 200 * time.Millisecond
)

// Candidate is a process of a pod that is about to run for leader.
type Candidate struct {
	// Pod is the pod of the process, Identity the process's identity as a lease holder, made by Pod.Identity.
	Pod      Pod
	Identity string
	// Locked reports whether the process holds the lock on the pod's volume.
	Locked bool
	// Leases is the client of the lease's namespace, Name the lease's name.
	Leases coordinationclient.LeaseInterface
	Name   string
	Clock  clock.PassiveClock
}

// TakeOver decides what the process does about the lease, and makes it the holder if the decision is TakeOver. In every other
// case it leaves the lease as it is. Leader election with the same identity then renews the lease with its first request.
//
// The update carries the resourceVersion that the decision was made for. If a last renewal of the earlier process arrives in
// between, or another pod takes the lease, the update conflicts, and the lease is read again. A renewal that arrives later
// conflicts itself.
func (c Candidate) TakeOver(ctx context.Context) (Decision, error) {
	var (
		decision Decision
		last     error
	)
	err := wait.PollUntilContextTimeout(ctx, retryEvery, takeOverTimeout, true, func(ctx context.Context) (bool, error) {
		decision, last = c.try(ctx)
		return last == nil, nil
	})
	if err != nil {
		return decision, fmt.Errorf("taking over Lease %q: %w", c.Name, last)
	}
	return decision, nil
}

func (c Candidate) try(ctx context.Context) (Decision, error) {
	lease, err := c.Leases.Get(ctx, c.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease, err = &coordinationv1.Lease{}, nil
	}
	if err != nil {
		return Elect, err
	}
	decision := Decide(c.Pod, c.Locked, lease.Spec)
	if decision != TakeOver {
		return decision, nil
	}
	before := ptr.Deref(lease.Spec.HolderIdentity, "")
	now := metav1.NewMicroTime(c.Clock.Now())
	lease.Spec.HolderIdentity = &c.Identity
	lease.Spec.AcquireTime, lease.Spec.RenewTime = &now, &now
	lease.Spec.LeaseTransitions = ptr.To(ptr.Deref(lease.Spec.LeaseTransitions, 0) + 1)
	if _, err := c.Leases.Update(ctx, lease, metav1.UpdateOptions{}); err != nil {
		return decision, err
	}
	klog.Infof("took over Lease %s/%s from %q, an earlier process of this pod that has ended", lease.Namespace, lease.Name, before)
	return decision, nil
}
