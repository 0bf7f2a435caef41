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

// leaseName is the name of the lease that the shipped command uses.
const leaseName = "platform-operators-lock"

// StartCandidate starts a manager in a process of its own. The manager leads only while it holds the lease, whose durations are those of
// the shipped command. The command's own leader election cannot be used, because it ends the test's process and starts goroutines that
// never end. The caller must kill or stop the manager.
func (s *Story) StartCandidate() *Manager {
	s.Helper()
	return s.startProcess(s.runCandidate)
}

func (s *Story) runCandidate(ctx context.Context, m *Manager) error {
	client, err := kubernetes.NewForConfig(s.managerConfig(m.process))
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
			OnStoppedLeading: m.process.Kill, // the command also ends at once when it stops leading
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
