package revision

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/attempt"
)

// sync runs one sync with a new machine, and sets the status.
func (f *fixture) sync(t *testing.T, c *controller) *Machine {
	t.Helper()
	m := f.machine()
	if c.run(t, m) {
		f.write(m)
	}
	return m
}

var lacksPermissions = Check{Unmet: Permissions, Problem: Problem{Err: errors.New("secrets: create is missing; grant it"), Refused: true}}

func TestWaitingForPermissionsDoesNotCountTowardTheDeadline(t *testing.T) {
	f := newFixture(t)
	pending(f)
	f.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
	two := f.history.Stored[1]
	c := &controller{now: start, check: lacksPermissions, report: unhealthy}
	for _, wait := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
		if m := f.sync(t, c); two.isStarted() || m.State(two) != WaitingForPermissions || m.After() != wait {
			t.Fatalf("at %s the revision is %s, and the next sync is in %s", c.now, m.State(two), m.After())
		}
		c.now = c.now.Add(time.Hour)
	}
	c.check = Check{Unmet: Permissions, Problem: Problem{Err: errors.New("the server is not there")}}
	if f.sync(t, c); two.isStarted() {
		t.Fatal("the revision started although the permissions could not be checked")
	}
	c.check = Check{}
	if m := f.sync(t, c); m.State(two) != RollingOut || two.Started.Unix() != c.now.Unix() {
		t.Fatalf("with permissions, the revision is %s, started at %s", m.State(two), two.Started)
	}
	c.now = c.now.Add(defaultDeadline - time.Second)
	if m := f.sync(t, c); m.State(two) != RollingOut {
		t.Fatalf("a second before its deadline, the revision is %s", m.State(two))
	}
	c.now = c.now.Add(time.Minute)
	if m := f.sync(t, c); m.Failed() != two || m.State(two) != Failed {
		t.Errorf("after its deadline, the revision is %s", m.State(two))
	}
}

func TestAFailedRevisionStartsAgainAfterWaiting(t *testing.T) {
	for name, check := range map[string]Check{
		"after permissions were missing":         lacksPermissions,
		"after permissions could not be checked": {Unmet: Permissions, Problem: Problem{Err: errors.New("the server is not there")}},
		"after its namespace could not be used":  {Unmet: InstallNamespace, Problem: Problem{Err: errors.New("of alice"), Refused: true}},
		"after its plan was not approved":        {Unmet: Approval, Problem: Problem{Err: errors.New("approve it"), Refused: true}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			two := f.history.Stored[1]
			two.Stored, two.FailedGeneration, two.FailureMessage = corev1alpha2.RevisionFailed, 2, "it was slow"
			f.writeRevisions()
			f.history.Faults = ToleratedFailures
			c := &controller{now: start.Add(time.Hour), check: check, report: unhealthy}
			for range 3 {
				m := f.sync(t, c)
				entry := m.stateInStatus(two.Number)
				if m.State(two) != waitingStates[check.Unmet] || entry != corev1alpha2.RevisionFailed || m.Failed() != nil {
					t.Fatalf("the revision is %s, and %s in status", m.State(two), entry)
				}
				if two.FailedGeneration != 0 || two.FailureMessage != "" {
					t.Fatalf("status still has the failure of an earlier spec: %d, %q", two.FailedGeneration, two.FailureMessage)
				}
			}
			c.check = Check{}
			if m := f.sync(t, c); m.State(two) != RollingOut || two.Started.Unix() != c.now.Unix() {
				t.Errorf("the revision is %s, started at %s", m.State(two), two.Started)
			}
		})
	}
}

func TestAFailedRevisionDoesNotStartWhilePaused(t *testing.T) {
	f := newFixture(t)
	two := f.history.Stored[1]
	two.Stored, two.FailedGeneration = corev1alpha2.RevisionFailed, 2
	f.writeRevisions()
	f.deployment.Spec.Paused = true
	c := &controller{now: start.Add(time.Hour), report: unhealthy}
	for range 2 {
		if m := f.sync(t, c); m.State(two) != Failed {
			t.Fatalf("while paused, the revision is %s", m.State(two))
		}
	}
	f.deployment.Spec.Paused, c.check = false, lacksPermissions
	if m := f.sync(t, c); m.State(two) != WaitingForPermissions {
		t.Errorf("after the pause, the revision without permissions is %s", m.State(two))
	}
}

func TestStartFailedRestoresTheRevision(t *testing.T) {
	f := newFixture(t)
	two := f.history.Stored[1]
	two.Stored, two.FailedGeneration, two.FailureMessage = corev1alpha2.RevisionFailed, 2, "it was slow"
	f.writeRevisions()
	earlier := *two
	c := &controller{now: start.Add(time.Hour), startErr: errors.New("the server is not there")}
	f.sync(t, c)
	if diff := cmp.Diff(&earlier, two, cmp.AllowUnexported(Revision{})); diff != "" {
		t.Errorf("a revision that failed before the start (-before +after):\n%s", diff)
	}

	pending(f)
	two.Stored, two.FailedGeneration = corev1alpha2.RevisionRollingOut, 0
	if f.sync(t, c); two.isTouched() {
		t.Error("a new revision counts as touched after a failed start")
	}

	// The write may have reached the server. A paused rollout starts again, with a new deadline.
	f = newFixture(t)
	two = f.history.Stored[1]
	f.progressing(corev1alpha2.ReasonPaused)
	f.sync(t, c)
	f.progressing(corev1alpha2.ReasonRollingOut)
	c.startErr, c.report = nil, unhealthy
	if m := f.sync(t, c); m.State(two) != RollingOut || two.Started.Unix() != c.now.Unix() {
		t.Errorf("the revision is %s, started at %s", m.State(two), two.Started)
	}
}

func TestAPauseRestartsTheDeadline(t *testing.T) {
	f := newFixture(t)
	two := f.history.Stored[1]
	c := &controller{now: start.Add(time.Hour), report: unhealthy}
	f.deployment.Spec.Paused = true
	if m := f.sync(t, c); m.State(two) != RollingOut || two.Started.Unix() != start.Unix() {
		t.Fatalf("while paused, the revision is %s, started at %s", m.State(two), two.Started)
	}
	f.deployment.Spec.Paused = false
	resumed := c.now
	c.check = lacksPermissions // not checked after the start
	for range 2 {
		if m := f.sync(t, c); m.State(two) != RollingOut || two.Started.Unix() != resumed.Unix() {
			t.Fatalf("after the pause, the revision is %s, started at %s", m.State(two), two.Started)
		}
		c.now = c.now.Add(time.Second)
	}
}

func TestRollbackAfterAMissedDeadline(t *testing.T) {
	f := newFixture(t)
	f.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
	one, two := f.history.Stored[0], f.history.Stored[1]
	two.FirstSeen = start
	c := &controller{now: start.Add(time.Hour), report: unhealthy, pruned: Removal{Done: true}}
	m := f.sync(t, c)
	if m.Failed() != two || m.Desired() != one || m.After() != time.Millisecond {
		t.Fatalf("%s is desired, and the next sync is in %s", m.Desired(), m.After())
	}
	want := []corev1alpha2.Revision{
		{Number: 1, Digest: "sha256:0", Version: "1.0.0", State: corev1alpha2.RevisionActive, Presence: corev1alpha2.Present, Bundle: "memo.v1.0.0"},
		{Number: 2, Digest: "sha256:0", Version: "2.0.0", State: corev1alpha2.RevisionFailed, StartedTime: two.Started, FailedGeneration: 3, FailedAttempt: attempt.Of(f.deployment), Presence: corev1alpha2.Present, Bundle: "memo.v2.0.0",
			FailureMessage: "Revision 2 (version 2.0.0) did not become complete and healthy within its deadline of 30m0s: Deployment memo/memo: 0 of 1 replicas"},
	}
	if diff := cmp.Diff(want, f.deployment.Status.Revisions); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
	if progressingReason(f.deployment.Status) != corev1alpha2.ReasonRollingBack {
		t.Errorf("Progressing has reason %s", progressingReason(f.deployment.Status))
	}

	// The result is the same after a restart.
	var headers []Header
	for _, each := range f.history.Stored {
		headers = append(headers, each.Header)
	}
	history := NewHistory(headers, f.deployment.Status)
	f.history, c.report = &history, healthy
	f.sync(t, c)
	progressing := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	for _, part := range []string{"Revision 2 (version 2.0.0)", "30m0s", "0 of 1 replicas", "revision 1 (version 1.0.0) is active again", "or annotation platform.openshift.io/retry is set to a new value"} {
		if !strings.Contains(progressing.Message, part) {
			t.Errorf("%s: message %q does not contain %q", progressing.Reason, progressing.Message, part)
		}
	}
	if progressing.Reason != corev1alpha2.ReasonDeadlineExceeded {
		t.Errorf("Progressing has reason %s", progressing.Reason)
	}
}

func TestReportStart(t *testing.T) {
	f := newFixture(t)
	pending(f)
	meta.SetStatusCondition(&f.deployment.Status.Conditions, metav1.Condition{Type: corev1alpha2.ConditionHealthy, Status: isTrue, Reason: corev1alpha2.ReasonHealthy})
	m := f.machine()
	c := &controller{now: start}
	for action := m.Next(start); action.Kind != RecordStart; action = m.Next(start) {
		c.execute(m, action)
	}
	var written corev1alpha2.BundleDeploymentStatus
	m.ReportStart(&written)
	for condition, want := range map[string]metav1.ConditionStatus{corev1alpha2.ConditionHealthy: isFalse, corev1alpha2.ConditionProgressing: isTrue} {
		if found := meta.FindStatusCondition(written.Conditions, condition); found == nil || found.Status != want || found.ObservedGeneration != 3 {
			t.Errorf("condition %s is %v, want %s for generation 3", condition, found, want)
		}
	}
	if diff := cmp.Diff(corev1alpha2.RevisionRollingOut, written.Revisions[1].State); diff != "" || written.Revisions[0].State != corev1alpha2.RevisionActive {
		t.Errorf("revisions are %+v", written.Revisions)
	}
}

func TestARetriedRevisionAppliesItsPhasesInOrder(t *testing.T) {
	f := newFixture(t)
	two := f.history.Stored[1]
	two.Stored, two.FailedGeneration, two.Applied = corev1alpha2.RevisionFailed, 2, true
	f.writeRevisions()
	m := f.sync(t, &controller{now: start, report: Report{Total: 1}})
	if m.State(two) != RollingOut || m.wasApplied(two) {
		t.Errorf("the revision is %s, and wasApplied() = %v, want false", m.State(two), m.wasApplied(two))
	}
}

func TestNoRevisionStartsIfStatusHasNoSpace(t *testing.T) { // HRD-G1
	f := newFixture(t)
	pending(f)
	two := f.history.Stored[1]
	for number := int64(3); number < 3+maxRevisions-1; number++ {
		failed := newRevision(number, "9.0.0")
		failed.Started, failed.Stored = &metav1.Time{}, corev1alpha2.RevisionFailed
		f.history.Stored = append([]*Revision{failed}, f.history.Stored...)
	}
	m := f.sync(t, &controller{now: start})
	if m.State(two) != WaitingForCapacity || m.After() == 0 || !strings.Contains(m.refusal.Error(), "the objects of 8 earlier revisions are not removed yet") {
		t.Errorf("the revision is %s, and the next sync is in %s: %v", m.State(two), m.After(), m.refusal)
	}
}

func TestNoBackoffWhileWaitingForApproval(t *testing.T) {
	f := newFixture(t)
	pending(f)
	m := f.sync(t, &controller{now: start, check: unapproved(false, "approve it")})
	if m.After() != 0 || f.history.Refusals != 0 {
		t.Errorf("the next sync is in %s after %d refusals, want neither", m.After(), f.history.Refusals)
	}
}

func TestIsSettledAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		generation int64
		reason     string
		second     corev1alpha2.RevisionState
		pruned     bool
		want       bool
	}{
		"nothing changed": {3, corev1alpha2.ReasonAsExpected, corev1alpha2.RevisionArchived, false, true},
		"the spec changed, and no revision started":           {4, corev1alpha2.ReasonAsExpected, corev1alpha2.RevisionArchived, false, true},
		"another revision started":                            {4, corev1alpha2.ReasonAsExpected, corev1alpha2.RevisionRollingOut, false, false},
		"it is paused":                                        {3, corev1alpha2.ReasonPaused, corev1alpha2.RevisionArchived, false, true},
		"a pause has just ended":                              {4, corev1alpha2.ReasonPaused, corev1alpha2.RevisionArchived, false, true},
		"it was paused during a rollout":                      {3, corev1alpha2.ReasonPaused, corev1alpha2.RevisionRollingOut, false, false},
		"a rollout was in progress":                           {3, corev1alpha2.ReasonRollingOut, corev1alpha2.RevisionArchived, false, false},
		"the spec changed during a rollout":                   {4, corev1alpha2.ReasonRollingOut, corev1alpha2.RevisionFailed, false, false},
		"new content cannot be unpacked":                      {4, corev1alpha2.ReasonBlocked, corev1alpha2.RevisionArchived, true, true},
		"the same, after a rollout that was abandoned":        {4, corev1alpha2.ReasonBlocked, corev1alpha2.RevisionArchived, false, false},
		"a rollout was in progress, and its objects are gone": {3, corev1alpha2.ReasonRollingOut, corev1alpha2.RevisionArchived, true, false},
		"a rollout that started is blocked":                   {3, corev1alpha2.ReasonBlocked, corev1alpha2.RevisionRollingOut, false, false},
		"a pruned revision failed before a bad source":        {4, corev1alpha2.ReasonBlocked, corev1alpha2.RevisionFailed, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.history.Stored[1].Stored, f.history.Stored[1].Pruned = c.second, c.pruned
			f.writeRevisions()
			f.progressing(c.reason)
			f.deployment.Generation = c.generation
			m := f.machine()
			m.active, m.desired = f.history.Stored[0], f.history.Stored[0]
			if got := m.IsSettled(); got != c.want {
				t.Errorf("IsSettled() = %v, want %v", got, c.want)
			}
		})
	}
}
