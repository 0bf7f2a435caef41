package status

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// TestCLI_18_AManagerThatDoesNotRunIsReported compares the renewal of the Lease with the time of the report.
func TestCLI_18_AManagerThatDoesNotRunIsReported(t *testing.T) {
	now := time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		ago       time.Duration
		isStopped bool
	}{
		"renewed": {time.Second, false}, "within the lease": {2 * time.Minute, false}, "a new leader starts": {5 * time.Minute, false},
		"long ago": {3 * time.Hour, true}, "a clock that is ahead": {-time.Minute, false},
	} {
		lease := &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
			LeaseDurationSeconds: ptr.To[int32](137), RenewTime: &metav1.MicroTime{Time: now.Add(-test.ago)},
		}}
		got := NewReport(Objects{Now: now, Lease: lease}).Cluster
		if sentence := got.ManagerSentence(now); got.StoppedManager != test.isStopped || strings.Contains(sentence, "for 3h") != test.isStopped {
			t.Errorf("%s: got %t and %q", name, got.StoppedManager, sentence)
		}
	}
	for _, lease := range []*coordinationv1.Lease{nil, {}} {
		if NewReport(Objects{Now: now, Lease: lease}).Cluster.StoppedManager {
			t.Errorf("%v proves that the manager does not run", lease)
		}
	}
}
