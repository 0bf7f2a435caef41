package revision

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestDeadlines(t *testing.T) {
	base := deadline{started: start, firstSeen: start, now: start, limit: time.Minute, hasActive: true}
	for name, c := range map[string]struct {
		change func(*deadline)
		want   deadlineResult
		again  time.Duration
	}{
		"at the start":                 {func(*deadline) {}, inTime, time.Minute},
		"a second before the deadline": {func(d *deadline) { d.now = start.Add(59 * time.Second) }, inTime, time.Second},
		"held at the deadline":         {func(d *deadline) { d.now = start.Add(time.Minute) }, hold, 0},
		"rolled back at the deadline with onFailure Rollback": {func(d *deadline) { d.now, d.onFailure = start.Add(time.Minute), corev1alpha2.OnFailureRollback }, rollBack, 0},
		"a first installation has no revision to roll back to": {func(d *deadline) {
			d.now, d.onFailure, d.hasActive = start.Add(time.Hour), corev1alpha2.OnFailureRollback, false
		}, hold, 0},
		"the deadline passed while the manager was down": {func(d *deadline) { d.now, d.firstSeen = start.Add(time.Hour), start.Add(time.Hour) }, hold, 0},
		"a restarted manager observes before it rolls back": {func(d *deadline) {
			d.now, d.firstSeen, d.onFailure = start.Add(time.Hour), start.Add(time.Hour), corev1alpha2.OnFailureRollback
		}, hold, observationPeriod},
		"a restarted manager rolls back after the observation": {func(d *deadline) {
			d.now, d.firstSeen, d.onFailure = start.Add(time.Hour), start.Add(time.Hour-observationPeriod), corev1alpha2.OnFailureRollback
		}, rollBack, 0},
		"a shortened deadline": {func(d *deadline) { d.now, d.limit = start.Add(30*time.Second), 20*time.Second }, hold, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := base
			c.change(&d)
			if got, again := d.decide(); got != c.want || again != c.again {
				t.Errorf("decide() = %d, %s; want %d, %s", got, again, c.want, c.again)
			}
		})
	}
}

func TestTheOnlyRoundOfAProcessRollsBackAtTheDeadline(t *testing.T) {
	for isOneRound, want := range map[bool]deadlineResult{false: hold, true: rollBack} {
		f := newFixture(t)
		f.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
		target := &Revision{Stored: corev1alpha2.RevisionRollingOut, Started: &metav1.Time{Time: start}}
		m := f.machine()
		m.in.IsOneRound, m.active, m.desired, m.now = isOneRound, &Revision{}, target, start.Add(time.Hour)
		if m.checkDeadline(); m.deadlineResult != want {
			t.Errorf("IsOneRound %t: got %d, want %d", isOneRound, m.deadlineResult, want)
		}
	}
}
