package scenarios

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	configv1 "github.com/openshift/api/config/v1"
	electionconfig "github.com/openshift/library-go/pkg/config/leaderelection"

	"github.com/openshift/platform-operators/test/environment"
)

// leaseName is the name of the shipped command's lease.
const leaseName = "platform-operators-lock"

// StartCandidate starts a manager in a process of its own, which leads only while it holds the lease. The lease has the shipped command's
// durations. The command's own leader election cannot be used: it ends the test's process, and starts goroutines that never end. The caller
// kills or stops the manager.
func (s *Story) StartCandidate() *Manager {
	s.Helper()
	return s.startProcess(s.runCandidate)
}

func (s *Story) runCandidate(ctx context.Context, m *Manager) error {
	client, err := kubernetes.NewForConfig(m.process.ClientConfig())
	if err != nil {
		return err
	}
	times := electionconfig.LeaderElectionDefaulting(configv1.LeaderElection{}, environment.Namespace, leaseName)
	var leading sync.WaitGroup
	var led error
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: times.Namespace, Name: times.Name}, Client: client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprintf("process-%d", m.process.Number())},
		},
		ReleaseOnCancel: true,
		LeaseDuration:   times.LeaseDuration.Duration, RenewDeadline: times.RenewDeadline.Duration, RetryPeriod: times.RetryPeriod.Duration,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				m.started = time.Now()
				s.running.Store(m)
				leading.Go(func() { led = s.runManager(ctx, m, nil) })
			},
			OnStoppedLeading: m.process.Kill, // the command ends at once
		},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	time.Sleep(time.Millisecond) // in virtual time, the elector's goroutine that calls OnStartedLeading runs during any sleep
	leading.Wait()
	return led
}
