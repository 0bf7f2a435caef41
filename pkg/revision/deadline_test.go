package revision

import (
	"testing"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestDeadlines(t *testing.T) {
	base := deadline{started: start, firstSeen: start, now: start, limit: time.Minute, hasActive: true}
	for name, c := range map[string]struct {
		change func(*deadline)
		want   deadlineResult
		again  time.Duration
	}{
		"there is time at the start":                       {func(*deadline) {}, inTime, time.Minute},
		"there is time until the last second":              {func(d *deadline) { d.now = start.Add(59 * time.Second) }, inTime, time.Second},
		"held at the deadline, and only a change helps":    {func(d *deadline) { d.now = start.Add(time.Minute) }, hold, 0},
		"rolled back at the deadline, if the spec says so": {func(d *deadline) { d.now, d.onFailure = start.Add(time.Minute), corev1alpha2.OnFailureRollback }, rollBack, 0},
		"a first installation has no revision to go back to": {func(d *deadline) {
			d.now, d.onFailure, d.hasActive = start.Add(time.Hour), corev1alpha2.OnFailureRollback, false
		}, hold, 0},
		"a manager that was down has no more time": {func(d *deadline) { d.now, d.firstSeen = start.Add(time.Hour), start.Add(time.Hour) }, hold, 0},
		"a manager that was down observes before it rolls back": {func(d *deadline) {
			d.now, d.firstSeen, d.onFailure = start.Add(time.Hour), start.Add(time.Hour), corev1alpha2.OnFailureRollback
		}, hold, observationPeriod},
		"a manager that was down rolls back after it has observed": {func(d *deadline) {
			d.now, d.firstSeen, d.onFailure = start.Add(time.Hour), start.Add(time.Hour-observationPeriod), corev1alpha2.OnFailureRollback
		}, rollBack, 0},
		"a deadline that was shortened has passed": {func(d *deadline) { d.now, d.limit = start.Add(30*time.Second), 20*time.Second }, hold, 0},
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
