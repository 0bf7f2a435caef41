package bundledeployment

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/revision"
)

func TestAStatusThatOnlyProgressedIsWrittenInTheEnd(t *testing.T) {
	s := newFixture(t)
	s.before.Status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonRollingOut}}
	clock := s.clock
	s.memory.lastWrite.Time = clock.Now()
	// sync syncs with this number of ready objects and this message. It returns the number in the stored status.
	sync := func(ready int32, message string) (stored int32) {
		t.Helper()
		s.deployment, s.retryAfter = s.before.DeepCopy(), 0
		s.deployment.Status.Objects = &corev1alpha2.ObjectCounts{Total: 3, Ready: ready}
		s.deployment.Status.Conditions[0].Message = message
		if err := s.writeStatus(t.Context()); err != nil {
			t.Fatal(err)
		}
		written, err := s.c.client.Get(t.Context(), s.before.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if written.Status.Objects == nil {
			return 0
		}
		s.before = written
		return written.Status.Objects.Ready
	}
	for _, step := range []struct {
		after         time.Duration
		ready, stored int32
		retry         time.Duration
	}{
		{0, 1, 0, health.StatusInterval},
		{health.StatusInterval / 2, 2, 0, health.StatusInterval / 2},
		{health.StatusInterval / 2, 2, 2, 0},
		{0, 3, 2, health.StatusInterval},
		{health.StatusInterval, 3, 3, 0},
	} {
		clock.SetTime(clock.Now().Add(step.after))
		if stored := sync(step.ready, fmt.Sprintf("%d of 3 objects are ready", step.ready)); stored != step.stored || s.retryAfter != step.retry {
			t.Errorf("with %d objects ready: %d are stored, and the next sync is in %s; want %d and %s", step.ready, stored, s.retryAfter, step.stored, step.retry)
		}
	}
}

func TestCountsAloneAreWrittenNowAndThen(t *testing.T) {
	f := newFixture(t)
	f.memory.lastWrite.Time = f.clock.Now().Add(-time.Second)
	f.deployment.Status.Objects = &corev1alpha2.ObjectCounts{Total: 5000, Ready: 17}
	if err := f.writeStatus(t.Context()); err != nil || f.retryAfter != time.Second || len(f.api.Actions()) != 0 {
		t.Errorf("error %v; looks again after %s, want what is left of %s; requests %v", err, f.retryAfter, health.StatusInterval, f.api.Actions())
	}
	f.deployment.Status.ActiveRevision = 2
	if revision.DifferInProgressOnly(f.before.Status, f.deployment.Status) {
		t.Error("another active revision counts as progress")
	}
}
