package revision

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// newDeployment removes the stored revisions and the status.
func newDeployment(f *fixture) {
	f.history = &History{GarbageCollected: true}
	f.deployment.Status = corev1alpha2.BundleDeploymentStatus{}
}

// settle makes revision 2 the active and desired one, with revision 1 archived and pruned.
func settle(f *fixture) {
	one, two := f.history.Stored[0], f.history.Stored[1]
	one.Stored, one.Pruned, two.Stored = corev1alpha2.RevisionArchived, true, corev1alpha2.RevisionActive
	f.history.GarbageCollected = true
	f.deployment.Status.ActiveRevision = 2
	f.writeRevisions()
	f.progressing(corev1alpha2.ReasonAsExpected)
}

// pending makes revision 2 newly stored.
func pending(f *fixture) {
	f.history.Stored[1].Started = nil
	f.history.GarbageCollected = true
	f.writeRevisions()
	f.progressing(corev1alpha2.ReasonAsExpected)
}

func TestActionsOfASync(t *testing.T) {
	refused := Problem{Err: errors.New("ConfigMap memo/a: exists; delete it"), Refused: true}
	transient := Problem{Err: errors.New("etcdserver: leader changed")}
	type actions = []ActionKind
	for name, c := range map[string]struct {
		given      func(*fixture)
		controller controller
		want       actions
	}{
		"no revision is stored, and the content is being fetched": {given: newDeployment, want: actions{Fetch}},
		"a first revision was fetched": {
			given: newDeployment, controller: controller{fetched: newRevision(1, "2.0.0"), report: unhealthy},
			want: actions{Fetch, Poll, CheckRequirements, RecordStart, Apply, KeepWatches}},
		"no fetch while a required object is missing": {
			given: func(f *fixture) { newDeployment(f); f.desired.Missing = "Bundle memo does not exist" }, want: nil},
		"no fetch while paused": {
			given: func(f *fixture) { newDeployment(f); f.deployment.Spec.Paused = true }, want: nil},
		"no fetch for an unknown class": {
			given: func(f *fixture) { newDeployment(f); f.unknown = "No class" }, want: nil},
		"the active revision is applied while the class is unknown": {
			given: func(f *fixture) { settle(f); f.unknown = "No class" }, controller: controller{report: healthy}, want: actions{Apply}},
		"the active revision is applied while other content is fetched": {
			given: func(f *fixture) { settle(f); f.desired.Source = "r/memo:v3" }, controller: controller{report: healthy}, want: actions{Fetch, Apply}},
		"everything is as declared": {
			given: settle, controller: controller{report: healthy}, want: actions{Poll, Apply, KeepWatches}},
		"after a restart, objects are loaded": {
			given: func(f *fixture) {
				settle(f)
				f.history.GarbageCollected = false
				for _, each := range f.history.Stored {
					each.Loaded = false
				}
			},
			controller: controller{report: healthy}, want: actions{Load, Poll, Apply, KeepWatches, CollectGarbage}},
		"the active revision is damaged and fetched again": {
			given:      func(f *fixture) { settle(f); f.history.Stored[1].Loaded = false },
			controller: controller{damaged: map[int64]bool{2: true}, fetched: newRevision(3, "2.0.0"), report: unhealthy},
			want:       actions{Load, Fetch, Poll, CheckRequirements, RecordStart, Apply, KeepWatches}},
		"a later revision starts": {
			given: pending, controller: controller{report: unhealthy},
			want: actions{Poll, CheckRequirements, RecordStart, Apply, ApplyRemaining, KeepWatches}},
		"a later revision is rolling out": {
			given: func(f *fixture) { f.history.GarbageCollected = true }, controller: controller{report: unhealthy},
			want: actions{Poll, Apply, ApplyRemaining, KeepWatches}},
		"a later revision is complete, before status records it": {
			given: func(f *fixture) { f.history.GarbageCollected = true }, controller: controller{report: healthy},
			want: actions{Poll, Apply}},
		"a later revision lacks permissions": {
			given: pending, controller: controller{check: Check{Unmet: Permissions, Problem: refused}},
			want: actions{Poll, CheckRequirements, ApplyRemaining, Observe, KeepWatches}},
		"a later revision waits for an approval": {
			given: pending, controller: controller{check: Check{Unmet: Approval, Problem: refused}},
			want: actions{Poll, CheckRequirements, ApplyRemaining, Observe, KeepWatches}},
		"a start that cannot be recorded": {
			given: pending, controller: controller{startErr: errors.New("timeout")}, want: actions{Poll, CheckRequirements, RecordStart}},
		"a later revision is refused": {
			given: func(f *fixture) { f.history.GarbageCollected = true }, controller: controller{problem: refused},
			want: actions{Poll, Apply, ApplyRemaining, Observe, KeepWatches}},
		"a transient fault aborts the sync": {
			given: settle, controller: controller{problem: transient}, want: actions{Poll, Apply, Abort}},
		"a fault that lasts is reported": {
			given: func(f *fixture) { settle(f); f.history.Faults = ToleratedFailures }, controller: controller{problem: transient},
			want: actions{Poll, Apply}},
		"a paused deployment is only observed": {
			given: func(f *fixture) { f.deployment.Spec.Paused = true }, controller: controller{report: unhealthy},
			want: actions{Apply, ApplyRemaining}},
		"a rollout that was paused starts again": {
			given: func(f *fixture) { f.history.GarbageCollected = true; f.progressing(corev1alpha2.ReasonPaused) }, controller: controller{report: unhealthy},
			want: actions{Poll, RecordStart, Apply, ApplyRemaining, KeepWatches}},
		"objects of the previous revision are pruned": {
			given: func(f *fixture) { settle(f); f.history.Stored[0].Pruned = false }, controller: controller{report: healthy, pruned: Removal{Done: true}},
			want: actions{Poll, Apply, Prune, KeepWatches}},
		"objects are loaded before they are pruned": {
			given:      func(f *fixture) { settle(f); f.history.Stored[0].Pruned, f.history.Stored[0].Loaded = false, false },
			controller: controller{report: healthy, pruned: Removal{Waiting: "waiting for ConfigMap memo/a"}},
			want:       actions{Poll, Apply, Load, Prune}},
		"the spec returns to an older revision": {
			given:      func(f *fixture) { settle(f); f.desired.Source = f.history.Stored[0].Source },
			controller: controller{fetched: newRevision(3, "1.0.0"), report: unhealthy},
			want:       actions{Store, Poll, CheckRequirements, RecordStart, Apply, ApplyRemaining, KeepWatches}},
		"an older revision that cannot be stored again": {
			given:      func(f *fixture) { settle(f); f.desired.Source = f.history.Stored[0].Source },
			controller: controller{report: healthy, content: Content{Err: errors.New("quota")}},
			want:       actions{Store, Apply}},
		"a revision that failed for this spec is not retried": {
			given: func(f *fixture) {
				two := f.history.Stored[1]
				two.Stored, two.FailedGeneration, two.Pruned = corev1alpha2.RevisionFailed, 3, true
				f.history.GarbageCollected = true
				f.writeRevisions()
				f.progressing(corev1alpha2.ReasonDeadlineExceeded)
			},
			controller: controller{report: healthy}, want: actions{Poll, Apply, KeepWatches}},
		"a revision that failed for an earlier spec is retried": {
			given: func(f *fixture) {
				two := f.history.Stored[1]
				two.Stored, two.FailedGeneration, two.Pruned = corev1alpha2.RevisionFailed, 2, true
				f.history.GarbageCollected = true
				f.writeRevisions()
				f.progressing(corev1alpha2.ReasonDeadlineExceeded)
			},
			controller: controller{report: unhealthy}, want: actions{Poll, CheckRequirements, RecordStart, Apply, ApplyRemaining, KeepWatches}},
		"surplus revisions are deleted": {
			given: func(f *fixture) {
				settle(f)
				for number := int64(3); number < 7; number++ {
					archived := newRevision(number, "0.0.1")
					archived.Stored, archived.Pruned = corev1alpha2.RevisionArchived, true
					f.history.Stored = append([]*Revision{archived}, f.history.Stored...)
				}
			},
			controller: controller{report: healthy}, want: actions{Poll, Apply, Delete, Delete, KeepWatches}},
		"leftovers of a lost revision are removed": {
			given: func(f *fixture) { settle(f); f.history.Lost = []corev1alpha2.Revision{{Number: 1}} }, controller: controller{report: healthy, pruned: Removal{Done: true}},
			want: actions{Poll, Apply, KeepWatches, RemoveLeftovers}},
		"leftovers of rukpak are removed": {
			given: func(f *fixture) { settle(f); f.inherited = true }, controller: controller{report: healthy, pruned: Removal{Done: true}},
			want: actions{Poll, Apply, KeepWatches, RemoveLeftovers}},
		"leftovers stay while the active revision is not complete": {
			given: func(f *fixture) { settle(f); f.inherited = true }, controller: controller{report: unhealthy},
			want: actions{Poll, Apply, KeepWatches}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.given(f)
			c.controller.now = start.Add(time.Minute)
			c.controller.run(t, f.machine())
			if diff := cmp.Diff(c.want, c.controller.actions); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOptionsOfApply(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*fixture)
		want  ApplyOptions
	}{
		"the active revision without a rollout in progress": {settle, ApplyOptions{Trusted: true}},
		"a later revision":                                  {func(*fixture) {}, ApplyOptions{Gated: true, Enforce: true}},
		"a later revision that was applied once":            {func(f *fixture) { f.history.Stored[1].Applied = true }, ApplyOptions{Enforce: true}},
		"the active revision after the spec returned to it": {func(f *fixture) { f.desired.Source = f.history.Stored[0].Source }, ApplyOptions{Enforce: true}},
		"the active revision during a rollback": {func(f *fixture) {
			two := f.history.Stored[1]
			two.Stored, two.FailedGeneration = corev1alpha2.RevisionFailed, 3
			f.writeRevisions()
			f.progressing(corev1alpha2.ReasonRollingBack)
		}, ApplyOptions{Enforce: true}},
		"the active revision after a rollback": {func(f *fixture) {
			two := f.history.Stored[1]
			two.Stored, two.FailedGeneration = corev1alpha2.RevisionFailed, 3
			f.writeRevisions()
			f.progressing(corev1alpha2.ReasonDeadlineExceeded)
		}, ApplyOptions{Trusted: true}},
		"a first revision that was applied and never became healthy": {func(f *fixture) {
			f.history.Stored = f.history.Stored[1:]
			f.deployment.Status.ActiveRevision = 0
			installed(f)
		}, ApplyOptions{Enforce: true}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c.given(f)
			m := f.machine()
			for action := m.Next(start); action.Kind != Done; action = m.Next(start) {
				if action.Kind == Apply {
					if diff := cmp.Diff(c.want, action.Apply); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
					return
				}
				(&controller{}).execute(m, action)
			}
			t.Error("the machine has no Apply action")
		})
	}
}
