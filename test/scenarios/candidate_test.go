package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

// leader returns the process that holds the lease; empty if none does.
func (s *Story) leader(ctx context.Context) string {
	s.Helper()
	lease, err := s.Kubernetes.CoordinationV1().Leases(environment.Namespace).Get(ctx, leaseName, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return *lease.Spec.HolderIdentity
}

// writers returns the number of writes of each manager process after the first since requests.
func (s *Story) writers(since int) map[string]int {
	writers := map[string]int{}
	for _, each := range s.Requests()[since:] {
		if isManagerWrite(each) && each.Resource.Resource != "leases" {
			writers[fmt.Sprintf("process-%d", each.Process)]++
		}
	}
	return writers
}

// startTwoManagers starts two candidates and installs an operator, and returns the leader and the other one.
func (s *Story) startTwoManagers(ctx context.Context) (leads, waits *Manager) {
	s.Helper()
	s.StopManager()
	leads = s.StartCandidate()
	s.Eventually(func() int { return len(s.writers(0)) }).Should(BeNumerically(">", 0))
	s.Settle()
	waits = s.StartCandidate()
	s.Expect(s.leader(ctx)).To(Equal(leads.name()))
	began := len(s.Requests())
	s.Expect(s.Create(ctx, "memo", "")).To(Succeed())
	s.Eventually(s.Installed).WithContext(ctx).WithArguments("memo", "1.0.0").Should(Succeed())
	s.Settle()
	s.Expect(s.writers(began)).To(And(HaveLen(1), HaveKey(leads.name())))
	return leads, waits
}

// name returns the identity of the manager's process in the lease.
func (m *Manager) name() string { return fmt.Sprintf("process-%d", m.process.Number()) }

func TestTwoManagers(t *testing.T) {
	t.Parallel()
	newer := samples.Operator{Package: "memo", Version: "1.1.0"}

	// Promise OM-10: A story runs two managers, or service-ca beside the manager, at virtual time. The standby leads when a lease has run
	// out or is released, and only the leader writes.
	runStory(t, "[OM-10] when the leader is killed, the other manager leads after the lease has expired", versions[:1], func(ctx context.Context, s *Story) {
		killed, standby := s.startTwoManagers(ctx)
		defer standby.Kill()
		began, at := len(s.Requests()), time.Now()
		killed.Kill()
		s.Expect(s.Publish(ctx, versions[0], newer)).To(Succeed())
		s.Eventually(s.Installed).WithContext(ctx).WithTimeout(10*time.Minute).WithArguments("memo", "1.1.0").Should(Succeed())
		// The lease is for 137 s and was renewed at most 26 s before. Who waits for it looks every 26 to 57 s.
		s.Expect(time.Since(at)).To(And(BeNumerically(">", 100*time.Second), BeNumerically("<", 4*time.Minute)))
		s.Expect(s.leader(ctx)).To(Equal(standby.name()))
		s.Expect(s.writers(began)).To(And(HaveLen(1), HaveKey(standby.name())))
	})

	runStory(t, "[OM-10] when the leader stops, it releases the lease, and the other manager leads within a minute", versions[:1], func(ctx context.Context, s *Story) {
		stopped, standby := s.startTwoManagers(ctx)
		defer standby.Kill()
		began := len(s.Requests())
		s.Expect(stopped.Stop()).To(Succeed())
		s.Expect(s.leader(ctx)).To(BeEmpty())
		s.Expect(s.Publish(ctx, versions[0], newer)).To(Succeed())
		// Who waits for a lease looks every 26 to 57 s.
		s.Eventually(s.leader).WithContext(ctx).WithTimeout(58 * time.Second).Should(Equal(standby.name()))
		s.Eventually(s.Installed).WithContext(ctx).WithArguments("memo", "1.1.0").Should(Succeed())
		s.Expect(s.writers(began)).To(And(HaveLen(1), HaveKey(standby.name())))
	})

	runStory(t, "[OM-10] when the leader cannot renew its lease, it writes until then, and nothing once the other manager leads", versions[:1], func(ctx context.Context, s *Story) {
		first, standby := s.startTwoManagers(ctx)
		defer standby.Kill()
		defer first.Kill()
		began := len(s.Requests())
		// Refused, not lost: client-go's elector releases a lease that it could not renew before it ends the leader, and repeats a request
		// that was lost for ten seconds, after which the other one may lead.
		s.Inject(scenario.Fault{Match: func(r scenario.Request) bool {
			return r.Process == first.process.Number() && r.Resource.Resource == "leases"
		}, Times: scenario.Always, Effect: scenario.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, 0)})
		s.Expect(s.Publish(ctx, versions[0], newer)).To(Succeed())
		s.Eventually(s.Installed).WithContext(ctx).WithArguments("memo", "1.1.0").Should(Succeed())
		s.Expect(s.writers(began)).To(And(HaveLen(1), HaveKey(first.name())))

		s.Eventually(s.leader).WithContext(ctx).WithTimeout(4 * time.Minute).Should(Equal(standby.name()))
		began = len(s.Requests())
		s.Expect(s.Limit(ctx, "memo", "<1.1.0")).To(Succeed())
		s.Expect(s.Kubernetes.AppsV1().Deployments("memo").Delete(ctx, "memo", metav1.DeleteOptions{})).To(Succeed())
		s.Settle()
		s.Expect(s.writers(began)).To(And(HaveLen(1), HaveKey(standby.name())))
	})
}
