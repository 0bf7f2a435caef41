package revision

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// simulation runs syncs of a BundleDeployment with random specs, results and restarts, and checks invariants after each sync.
type simulation struct {
	*fixture
	random *rand.Rand
	now    time.Time
	next   int64
}

func pick[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// change makes a random change: of the spec, the time, the stored copy of a revision, or a restart of the manager.
func (s *simulation) change() {
	switch s.random.IntN(8) {
	case 0:
		s.desired.Source = pick(s.random, "r/memo:v1", "r/memo:v2", "r/memo:v3")
		s.deployment.Generation++
	case 1:
		s.deployment.Spec.Paused = !s.deployment.Spec.Paused
		s.deployment.Generation++
	case 2:
		s.deployment.Spec.OnFailure = pick(s.random, corev1alpha2.OnFailureHold, corev1alpha2.OnFailureRollback)
		s.deployment.Generation++
	case 3:
		s.unknown = pick(s.random, "", "", "no class")
	case 4, 5:
		s.now = s.now.Add(pick(s.random, time.Second, time.Minute, time.Hour))
	case 6:
		isLost := func(each *Revision) bool { return each.Unstored != nil || s.random.IntN(6) == 0 }
		s.restart(slices.DeleteFunc(slices.Clone(s.history.Stored), isLost)...)
	case 7:
		if len(s.history.Stored) > 0 {
			pick(s.random, s.history.Stored...).Unstored = errors.New("its Secrets are gone")
		}
	}
}

// controller returns a controller with random results.
func (s *simulation) controller() *controller {
	s.next++
	fetched := newRevision(s.history.NextNumber(s.deployment.Status), "0.0.1")
	fetched.Source, fetched.Digest = s.desired.Source, "sha256:"+s.desired.Source+pick(s.random, "", "", "/moved")
	problem := errors.New("a problem")
	return &controller{
		now:        s.now,
		check:      pick(s.random, Check{}, Check{}, Check{Unmet: Permissions, Problem: Problem{Err: problem, Refused: true}}, Check{Unmet: Permissions, Problem: Problem{Err: problem}}),
		report:     pick(s.random, healthy, unhealthy, Report{Total: 1}, Report{Total: 1, Written: true}, lacksKind),
		problem:    pick(s.random, Problem{}, Problem{}, Problem{}, Problem{Err: problem, Refused: true}, Problem{Err: problem}),
		startErr:   pick(s.random, nil, nil, nil, problem),
		damaged:    map[int64]bool{s.random.Int64N(40): true},
		fetched:    pick(s.random, fetched, fetched, nil),
		restorable: s.random.IntN(2) > 0,
		provided:   s.random.IntN(2) > 0,
		pruned:     pick(s.random, Removal{Done: true}, Removal{Done: true}, Removal{Waiting: "a finalizer"}, Removal{Waiting: "a refusal", Blocked: true}),
	}
}

// check returns an error for a violated invariant.
func (s *simulation) check(m *Machine, c *controller, written bool) error {
	started := slices.Index(c.actions, RecordStart)
	for i, action := range c.actions {
		if s.deployment.Spec.Paused && slices.Contains([]ActionKind{Fetch, Store, Poll, Restore, CheckRequirements, RecordStart, Prune, Delete, RemoveLeftovers, CollectGarbage}, action) {
			return fmt.Errorf("action %d while paused", action)
		}
		if action == Apply && started > i {
			return errors.New("a revision is applied before its start is recorded")
		}
	}
	if !written {
		return nil
	}
	status := m.in.Deployment.DeepCopy().Status
	m.Report(&status)
	active := 0
	numbers := map[int64]bool{}
	for _, each := range status.Revisions {
		if numbers[each.Number] {
			return fmt.Errorf("revision %d is twice in status, which the API server rejects", each.Number)
		}
		numbers[each.Number] = true
		if each.State == corev1alpha2.RevisionActive {
			active++
		}
		if (each.State == corev1alpha2.RevisionActive) != (each.Number == status.ActiveRevision) {
			return fmt.Errorf("revision %d is %s, and activeRevision is %d", each.Number, each.State, status.ActiveRevision)
		}
		if each.FailedAttempt != "" && each.State == corev1alpha2.RevisionActive {
			return fmt.Errorf("revision %d is active and failed", each.Number)
		}
		if each.FailedGeneration != 0 && each.State != corev1alpha2.RevisionFailed {
			return fmt.Errorf("revision %d is %s and failed", each.Number, each.State)
		}
	}
	if active > 1 {
		return fmt.Errorf("%d revisions are active, want at most one", active)
	}
	if len(status.Revisions) > maxRevisions {
		return fmt.Errorf("status has %d revisions, want at most maxRevisions", len(status.Revisions))
	}
	if m.Failed() != nil && m.Active() == nil {
		return errors.New("a revision is rolled back to none")
	}
	if err := s.checkRolledBack(m, status); err != nil {
		return err
	}
	for _, each := range status.Conditions {
		if len(each.Message) > MaxMessage || each.Message == "" {
			return fmt.Errorf("%s has a message of %d bytes", each.Type, len(each.Message))
		}
	}
	return nil
}

// checkRolledBack returns an error if a PlatformOperator would report a rollback by a status, but there is none, or the other way around.
func (s *simulation) checkRolledBack(m *Machine, status corev1alpha2.BundleDeploymentStatus) error {
	deployment := m.in.Deployment.DeepCopy()
	deployment.Status = status
	switch isRolledBack := upgradestep.IsRolledBack(deployment); {
	case isRolledBack && m.Active() != nil && m.Active() == m.Newest():
		return errors.New("the newest revision is active, and is reported as rolled back")
	case isRolledBack && m.IsRollingOut():
		return errors.New("the newest revision is rolling out, and is reported as rolled back")
	case !isRolledBack && m.Failed() != nil:
		return errors.New("the newest revision is rolled back, and is not reported as such")
	}
	return nil
}

func runSimulation(t *testing.T, seed uint64, syncs int) {
	t.Helper()
	s := &simulation{fixture: newFixture(t), random: rand.New(rand.NewPCG(seed, 0)), now: start}
	s.history, s.deployment.Status = &History{}, corev1alpha2.BundleDeploymentStatus{}
	for i := range syncs {
		s.change()
		c := s.controller()
		m := s.machine()
		written := c.run(t, m)
		if err := s.check(m, c, written); err != nil {
			t.Fatalf("seed %d, sync %d, actions %v: %v", seed, i, c.actions, err)
		}
		if written && s.random.IntN(6) > 0 { // the write may be lost
			s.write(m)
		}
	}

	// From any state, a valid spec and a working cluster lead to an active revision.
	s.unknown, s.deployment.Spec.Paused, s.deployment.Spec.OnFailure = "", false, corev1alpha2.OnFailureHold
	s.desired.Source = "r/memo:v4"
	s.deployment.Generation++
	for range 10 {
		s.now = s.now.Add(time.Minute)
		c := &controller{now: s.now, report: healthy, fetched: newDesired(s), restorable: true, pruned: Removal{Done: true}}
		s.sync(t, c)
	}
	if reason := progressingReason(s.deployment.Status); reason != corev1alpha2.ReasonAsExpected {
		t.Fatalf("seed %d: at the end, Progressing has reason %s", seed, reason)
	}
	for _, each := range s.deployment.Status.Revisions {
		if each.Number != s.deployment.Status.ActiveRevision && each.Presence == corev1alpha2.Present {
			t.Errorf("seed %d: at the end, revision %d still has objects", seed, each.Number)
		}
	}
}

// newDesired returns a revision of the desired source for Fetch; nil if one is stored, which a poll finds unchanged.
func newDesired(s *simulation) *Revision {
	if s.history.latest(s.desired) != nil {
		return nil
	}
	fetched := newRevision(s.history.NextNumber(s.deployment.Status), "4.0.0")
	fetched.Source, fetched.Digest = s.desired.Source, "sha256:"+s.desired.Source
	return fetched
}

func TestInvariants(t *testing.T) {
	for seed := range uint64(300) {
		runSimulation(t, seed, 60)
	}
}

func FuzzInvariants(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { runSimulation(t, seed, 40) })
}
