package revision

import (
	"errors"
	"slices"
	"testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// restart replaces the history as a new manager does that finds only these revisions stored.
func (f *fixture) restart(stored ...*Revision) {
	var headers []Header
	for _, each := range stored {
		headers = append(headers, each.Header)
	}
	history := NewHistory(headers, f.deployment.Status)
	f.history = &history
}

// syncs runs n syncs. The first fetch finds a revision, if it is not nil.
func (f *fixture) syncs(t *testing.T, n int, c *controller, fetched *Revision) {
	t.Helper()
	c.fetched = fetched
	for range n {
		if f.sync(t, c); slices.Contains(f.history.Stored, fetched) {
			c.fetched = nil
		}
	}
}

// ofDigest returns a loaded revision with these objects.
func ofDigest(number int64, version, digest string) *Revision {
	r := newRevision(number, version)
	r.Digest = digest
	return r
}

// replacedFixture returns a fixture whose revision 2 was rolled back. Since then revision 3, of other content, became active, and the spec
// asks for the content of revision 2 again, which is not tried again.
func replacedFixture(t *testing.T) (*fixture, *controller) {
	t.Helper()
	f, c := rolledBackFixture(t)
	second, three := f.desired, ofDigest(3, "3.0.0", "sha256:3")
	f.history.Stored[1].Digest = "sha256:2"
	f.desired.Source = three.Source
	f.deployment.Generation++
	f.syncs(t, 4, c, three)
	f.desired = second
	f.deployment.Generation++
	f.syncs(t, 3, c, nil)
	if !upgradestep.IsRolledBack(f.deployment) || f.deployment.Status.ActiveRevision != 3 {
		t.Fatalf("revision 2 is tried again: %+v", f.deployment.Status.Revisions)
	}
	return f, c
}

// lostFixture returns a fixture whose revision 2 was rolled back and lost while no manager ran, as was the active one. Revision 2 is stored
// again as revision 3.
func lostFixture(t *testing.T) (*fixture, *controller) {
	t.Helper()
	f, c := rolledBackFixture(t)
	f.history.Stored[1].Digest = "sha256:2"
	f.sync(t, c)
	f.restart()
	f.syncs(t, 2, c, ofDigest(3, "2.0.0", "sha256:2"))
	if newest := f.history.find(3); newest.Stored != corev1alpha2.RevisionFailed {
		t.Fatalf("revision 3 is %s", newest.Stored)
	}
	return f, c
}

func TestAnotherAttemptUnderANewNumberIsNotReportedAsRolledBack(t *testing.T) {
	retried := func(f *fixture, _ *controller) { f.retry("1") }
	for name, test := range map[string]struct {
		prepare func(*testing.T) (*fixture, *controller)
		// change starts another attempt. It is stored under this number.
		change func(*fixture, *controller)
		number int64
	}{
		"the annotation, while another revision is active": {replacedFixture, retried, 4},
		"the missing kind, while another revision is active": {func(t *testing.T) (*fixture, *controller) {
			f, c := replacedFixture(t)
			f.history.find(2).FailedFor, f.history.find(2).KindsMissing = corev1alpha2.FailedForKinds, []corev1alpha2.MissingKind{memo}
			return f, c
		}, func(_ *fixture, c *controller) { c.provided = true }, 4},
		"the annotation, after all revisions are lost": {lostFixture, retried, 3},
		"the annotation, after the failed one is lost, and an object only it has cannot be deleted": {func(t *testing.T) (*fixture, *controller) {
			f, c := rolledBackFixture(t)
			f.history.Stored[1].Digest = "sha256:2"
			f.sync(t, c)
			f.restart(f.history.Stored[0])
			c.pruned = Removal{Waiting: "a finalizer", Blocked: true}
			f.syncs(t, 2, c, ofDigest(3, "2.0.0", "sha256:2"))
			return f, c
		}, retried, 3},
		"the source has other content, by a poll": {rolledBackFixture, func(*fixture, *controller) {}, 3},
		"another manager renders other objects, after the failed one is lost": {func(t *testing.T) (*fixture, *controller) {
			f, c := rolledBackFixture(t)
			f.history.Stored[1].Digest = "sha256:2"
			f.sync(t, c)
			f.restart(f.history.Stored[0])
			c.pruned = Removal{Waiting: "a finalizer", Blocked: true}
			return f, c
		}, func(*fixture, *controller) {}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := test.prepare(t)
			again := f.history.find(test.number)
			if test.change(f, c); again == nil {
				again = ofDigest(test.number, "2.0.0", map[int64]string{3: "sha256:other", 4: "sha256:2"}[test.number])
			}
			f.checkAttempt(t, c, again)
		})
	}
}

// checkAttempt runs the syncs of an attempt with the revision, which waits for permissions, rolls out, and becomes active.
func (f *fixture) checkAttempt(t *testing.T, c *controller, again *Revision) {
	t.Helper()
	for _, phase := range []struct {
		name   string
		check  Check
		report Report
	}{
		{"while it waits", Check{Unmet: Permissions, Problem: Problem{Err: errors.New("a permission is missing"), Refused: true}}, unhealthy},
		{"while it rolls out", Check{}, unhealthy},
	} {
		c.check, c.report = phase.check, phase.report
		f.syncs(t, 2, c, again)
		if rollout := upgradestep.RolloutOf(f.deployment); upgradestep.IsRolledBack(f.deployment) || !rollout.HoldsNextStep() {
			t.Errorf("%s, the rollout is %s, and Progressing is %s", phase.name, rollout.State, f.reasonOf(corev1alpha2.ConditionProgressing))
		}
	}
	c.report = healthy
	f.syncs(t, 5, c, nil)
	status := f.deployment.Status
	if status.ActiveRevision != again.Number || upgradestep.IsRolledBack(f.deployment) {
		t.Fatalf("revision %d is active, rolled back: %t", status.ActiveRevision, upgradestep.IsRolledBack(f.deployment))
	}
	if !c.pruned.Blocked && !upgradestep.IsComplete(f.deployment, false) {
		t.Errorf("the step is not complete: Progressing is %s", f.reasonOf(corev1alpha2.ConditionProgressing))
	}
}

// The objects of lost revisions are removed only when another revision is active.
func TestLostRevisionsDoNotPreventTheNextOne(t *testing.T) {
	for name, isActiveLost := range map[string]bool{"one is active": false, "none is active": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			pending(f)
			if isActiveLost {
				f.restart(f.history.Stored[1])
			}
			two := f.history.find(2)
			for number := int64(3); number < 3+maxRevisions; number++ {
				f.history.Lost = append(f.history.Lost, corev1alpha2.Revision{
					Number: number, State: corev1alpha2.RevisionArchived, Presence: corev1alpha2.Present,
				})
			}
			f.syncs(t, 4, &controller{now: start, report: healthy, pruned: Removal{Done: true}}, nil)
			if two.Stored != corev1alpha2.RevisionActive || len(f.history.Lost) != 0 {
				t.Errorf("the revision is %s, and %d are lost", two.Stored, len(f.history.Lost))
			}
		})
	}
}

// TestALostFailureOfAnOlderManagerIsNotTriedAgain checks a status with the generation of the spec, and no attempt.
func TestALostFailureOfAnOlderManagerIsNotTriedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		attempt    string
		generation int64 // after the failure
		isStarted  bool
	}{
		"by the generation of the spec":     {"", 3, false},
		"by an earlier generation":          {"", 2, true},
		"by another attempt at this moment": {"another", 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := rolledBackFixture(t)
			f.history.Stored[1].Digest = "sha256:2"
			f.sync(t, c)
			failed := &f.deployment.Status.Revisions[1]
			failed.FailedAttempt, failed.FailedGeneration = test.attempt, test.generation
			f.restart(f.history.Stored[0])
			again := ofDigest(3, "2.0.0", "sha256:2")
			c.report = unhealthy
			if f.syncs(t, 2, c, again); again.isStarted() != test.isStarted {
				t.Errorf("revision 3 is %s, started: %t", again.Stored, again.isStarted())
			}
		})
	}
}
