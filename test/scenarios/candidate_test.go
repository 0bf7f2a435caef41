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

// leader returns the name of the process that holds the lease, or "" if the lease was released.
func (s *Story) leader(ctx context.Context) string {
	s.Helper()
	lease, err := s.Kubernetes.CoordinationV1().Leases(environment.Namespace).Get(ctx, leaseName, metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	return *lease.Spec.HolderIdentity
}

// writers returns the number of writes by each manager process, by its name, after the first since requests. It ignores writes of leases.
func (s *Story) writers(since int) map[string]int {
	writers := map[string]int{}
	for _, each := range s.Requests()[since:] {
		if isManagerWrite(each) && each.Resource.Resource != "leases" {
			writers[fmt.Sprintf("process-%d", each.Process)]++
		}
	}
	return writers
}

// startTwoManagers stops the manager, starts two candidates, and installs an operator. It returns the leader and the standby, and asserts
// that only the leader writes.
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
		// The lease is for 137 s and was renewed at most 26 s before. The standby reads the lease every 26 to 57 s.
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
		// The standby reads the lease every 26 to 57 s.
		s.Eventually(s.leader).WithContext(ctx).WithTimeout(58 * time.Second).Should(Equal(standby.name()))
		s.Eventually(s.Installed).WithContext(ctx).WithArguments("memo", "1.1.0").Should(Succeed())
		s.Expect(s.writers(began)).To(And(HaveLen(1), HaveKey(standby.name())))
	})

	runStory(t, "[OM-10] when the leader cannot renew its lease, it writes until then, and nothing once the other manager leads", versions[:1], func(ctx context.Context, s *Story) {
		first, standby := s.startTwoManagers(ctx)
		defer standby.Kill()
		defer first.Kill()
		began := len(s.Requests())
		// The fault refuses requests and does not lose them. client-go's elector releases a lease that it could not renew before it stops
		// the leader. It would repeat a lost request for ten seconds, in which the standby could already lead.
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
