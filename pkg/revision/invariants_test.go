package revision

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// world drives a BundleDeployment with random specs, results and restarts, and checks after each sync what must always hold.
type world struct {
	*fixture
	random *rand.Rand
	now    time.Time
	next   int64
}

func pick[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// change changes the spec, passes time, or restarts the manager.
func (w *world) change() {
	switch w.random.IntN(8) {
	case 0:
		w.desired.Source = pick(w.random, "r/memo:v1", "r/memo:v2", "r/memo:v3")
		w.deployment.Generation++
	case 1:
		w.deployment.Spec.Paused = !w.deployment.Spec.Paused
		w.deployment.Generation++
	case 2:
		w.deployment.Spec.OnFailure = pick(w.random, corev1alpha2.OnFailureHold, corev1alpha2.OnFailureRollback)
		w.deployment.Generation++
	case 3:
		w.unknown = pick(w.random, "", "", "no class")
	case 4, 5:
		w.now = w.now.Add(pick(w.random, time.Second, time.Minute, time.Hour))
	case 6:
		var headers []Header
		for _, each := range w.history.Stored {
			headers = append(headers, each.Header)
		}
		history := NewHistory(headers, w.deployment.Status)
		w.history = &history
	}
}

// controller has random results.
func (w *world) controller() *controller {
	w.next++
	fetched := newRevision(w.history.NextNumber(w.deployment.Status), "0.0.1")
	fetched.Source = w.desired.Source
	problem := errors.New("a problem")
	return &controller{
		now:      w.now,
		check:    pick(w.random, Check{}, Check{}, Check{Unmet: Permissions, Problem: Problem{problem, true}}, Check{Unmet: Permissions, Problem: Problem{problem, false}}),
		report:   pick(w.random, healthy, unhealthy, Report{Total: 1}, Report{Total: 1, Written: true}),
		problem:  pick(w.random, Problem{}, Problem{}, Problem{}, Problem{problem, true}, Problem{problem, false}),
		startErr: pick(w.random, nil, nil, nil, problem),
		damaged:  map[int64]bool{w.random.Int64N(40): true},
		fetched:  pick(w.random, fetched, fetched, nil),
		pruned:   pick(w.random, Removal{Done: true}, Removal{Done: true}, Removal{Waiting: "a finalizer"}, Removal{Waiting: "a refusal", Blocked: true}),
	}
}

// check returns what of a sync must never be.
func (w *world) check(m *Machine, c *controller, written bool) error {
	started := slices.Index(c.actions, RecordStart)
	for i, action := range c.actions {
		if w.deployment.Spec.Paused && slices.Contains([]ActionKind{Fetch, Store, Poll, CheckRequirements, RecordStart, Prune, Delete, RemoveLeftovers, CollectGarbage}, action) {
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
			return fmt.Errorf("revision %d is twice in status, which the API server refuses", each.Number)
		}
		numbers[each.Number] = true
		if each.State == corev1alpha2.RevisionActive {
			active++
		}
		if (each.State == corev1alpha2.RevisionActive) != (each.Number == status.ActiveRevision) {
			return fmt.Errorf("revision %d is %s, and activeRevision is %d", each.Number, each.State, status.ActiveRevision)
		}
		if each.FailedGeneration != 0 && each.State != corev1alpha2.RevisionFailed {
			return fmt.Errorf("revision %d is %s and failed", each.Number, each.State)
		}
	}
	if active > 1 {
		return fmt.Errorf("%d revisions are active", active)
	}
	if len(status.Revisions) > maxRevisions {
		return fmt.Errorf("status has %d revisions", len(status.Revisions))
	}
	if m.Failed() != nil && m.Active() == nil {
		return errors.New("a revision is rolled back to none")
	}
	for _, each := range status.Conditions {
		if len(each.Message) > MaxMessage || each.Message == "" {
			return fmt.Errorf("%s has a message of %d bytes", each.Type, len(each.Message))
		}
	}
	return nil
}

func runWorld(t *testing.T, seed uint64, syncs int) {
	t.Helper()
	w := &world{fixture: newFixture(t), random: rand.New(rand.NewPCG(seed, 0)), now: start}
	w.history, w.deployment.Status = &History{}, corev1alpha2.BundleDeploymentStatus{}
	for i := range syncs {
		w.change()
		c := w.controller()
		m := w.machine()
		written := c.run(t, m)
		if err := w.check(m, c, written); err != nil {
			t.Fatalf("seed %d, sync %d, actions %v: %v", seed, i, c.actions, err)
		}
		if written && w.random.IntN(6) > 0 { // the write may be lost
			w.write(m)
		}
	}

	// From wherever that has led to: with a good spec and a good cluster, everything is as declared.
	w.unknown, w.deployment.Spec.Paused, w.deployment.Spec.OnFailure = "", false, corev1alpha2.OnFailureHold
	w.desired.Source = "r/memo:v4"
	w.deployment.Generation++
	for range 10 {
		w.now = w.now.Add(time.Minute)
		c := &controller{now: w.now, report: healthy, fetched: newDesired(w), pruned: Removal{Done: true}}
		w.sync(t, c)
	}
	if reason := progressingReason(w.deployment.Status); reason != corev1alpha2.ReasonAsExpected {
		t.Fatalf("seed %d: in the end Progressing is %s", seed, reason)
	}
	for _, each := range w.deployment.Status.Revisions {
		if each.Number != w.deployment.Status.ActiveRevision && each.Presence == corev1alpha2.Present {
			t.Errorf("seed %d: in the end revision %d still has objects", seed, each.Number)
		}
	}
}

// newDesired returns a revision of the desired source for Fetch; nil if one is stored, which a poll finds unchanged.
func newDesired(w *world) *Revision {
	if w.history.latest(w.desired) != nil {
		return nil
	}
	fetched := newRevision(w.history.NextNumber(w.deployment.Status), "4.0.0")
	fetched.Source = w.desired.Source
	return fetched
}

func TestWhateverHappensInvariantsHoldAndAGoodSpecConverges(t *testing.T) {
	for seed := range uint64(300) {
		runWorld(t, seed, 60)
	}
}

func FuzzInvariants(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { runWorld(t, seed, 40) })
}
