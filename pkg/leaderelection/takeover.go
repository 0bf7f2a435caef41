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
	// takeOverTimeout is the maximum time for all attempts of TakeOver. It matters, for example, while the API server does not respond.
	takeOverTimeout = 30 * time.Second
	// retryEvery is the time between two attempts.
	retryEvery = 200 * time.Millisecond
)

// Candidate is a process that will take part in leader election.
type Candidate struct {
	// Pod is the pod of the process. Identity is the process's holder identity, from Pod.Identity.
	Pod      Pod
	Identity string
	// Locked means that the process holds the lock on the pod's volume.
	Locked bool
	// Leases is the client for the lease's namespace. Name is the lease's name.
	Leases coordinationclient.LeaseInterface
	Name   string
	Clock  clock.PassiveClock
}

// TakeOver returns the decision about the lease, and makes the process the holder if the decision is TakeOver. Otherwise it does not change
// the lease. Leader election with the same identity then renews the lease with its first request.
//
// TakeOver retries after every error, and returns the last error after takeOverTimeout or when the context ends. The decision is then not
// valid.
//
// The update contains the resourceVersion of the lease on which the decision is based. If the earlier process or another pod updates the
// lease first, the update conflicts, and TakeOver reads the lease again. A later renewal by the earlier process conflicts, too.
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
