package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

func TestARevisionThatNeverStartedTakesNoPermissionsToBeRemoved(t *testing.T) {
	started := metav1.Unix(1000, 0)
	for name, c := range map[string]struct {
		state   corev1alpha2.RevisionState
		started *metav1.Time
		removed int
	}{
		"permissions were missing": {corev1alpha2.RevisionFailed, nil, 0},
		"it still waits":           {corev1alpha2.RevisionRollingOut, nil, 0},
		"it was given up half-way": {corev1alpha2.RevisionFailed, &started, 1},
		"it was active once":       {corev1alpha2.RevisionArchived, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for when, remove := range map[string]func(*fixture) error{
				"at an upgrade": func(f *fixture) error { _, err := rollOut(t.Context(), f.reconciliation); return err },
				"at a removal":  func(f *fixture) error { _, err := f.removeRevisions(t.Context()); return err },
			} {
				f := newFixture(t)
				f.engine.report = apply.Report{Total: 1, Ready: 1, Complete: true}
				f.one.Pruned, f.two.Stored, f.two.Started = when == "at a removal", c.state, c.started
				f.source.desired.Source = f.one.Source
				if err := remove(f); err != nil {
					t.Fatal(err)
				}
				if f.engine.removed != c.removed {
					t.Errorf("%s: %d objects were looked for, want %d", when, f.engine.removed, c.removed)
				}
			}
		})
	}
}

func TestNothingIsPrunedForAnEarlierSpec(t *testing.T) {
	f := newFixture(t)
	f.engine.report, f.engine.removal = apply.Report{Total: 1, Ready: 1, Complete: true}, apply.Removal{Done: true}
	f.one.Stored, f.two.Stored = corev1alpha2.RevisionArchived, corev1alpha2.RevisionActive
	f.before.Status.ActiveRevision = 2
	live := f.before.DeepCopy()
	live.Generation++ // such as a pause
	if _, err := f.api.CoreV1alpha2().BundleDeployments().Update(t.Context(), live, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	f.decide(t)
	if f.engine.removed != 0 || f.one.Pruned {
		t.Errorf("%d objects are removed; the revision is pruned: %v", f.engine.removed, f.one.Pruned)
	}
	if got := conditionOf(t, f.deployment, corev1alpha2.ConditionProgressing); !strings.Contains(got.Message, "has just changed") {
		t.Errorf("Progressing is %s: %s", got.Reason, got.Message)
	}
	f.before.Generation, f.deployment.Generation = live.Generation, live.Generation
	f.clock.SetTime(f.clock.Now().Add(time.Hour))
	f.decide(t)
	if f.engine.removed != 1 || !f.one.Pruned {
		t.Errorf("when the cache has the spec, %d objects are removed; the revision is pruned: %v", f.engine.removed, f.one.Pruned)
	}
}

func TestPruningThatFailsWaitsForAnAdminAfterSomeTime(t *testing.T) {
	f := newFixture(t)
	f.engine.report, f.engine.removeErr = apply.Report{Total: 1, Ready: 1, Complete: true}, errors.New("failed calling webhook")
	f.one.Stored, f.two.Stored = corev1alpha2.RevisionArchived, corev1alpha2.RevisionActive
	f.before.Status.ActiveRevision = 2
	began := f.clock.Now()
	for minutes, want := range map[int]string{0: corev1alpha2.ReasonRollingOut, 5: corev1alpha2.ReasonRollingOut, 10: corev1alpha2.ReasonRollingOut, 11: corev1alpha2.ReasonBlocked} {
		f.memory.pruneFailures = revision.Failures{Count: 1, Since: began}
		f.clock.SetTime(began.Add(time.Duration(minutes) * time.Minute))
		f.decide(t)
		if got := conditionOf(t, f.deployment, corev1alpha2.ConditionProgressing); got.Reason != want || !strings.Contains(got.Message, "failed calling webhook") {
			t.Errorf("after %d minutes: %s: %s", minutes, got.Reason, got.Message)
		}
	}
}

func TestLostRevisionsAreReportedAsLookedForAmongSomeKindsOnly(t *testing.T) {
	f := settledFixture(t)
	f.engine.removal = apply.Removal{Done: true}
	f.memory.history.Lost = []corev1alpha2.Revision{{Number: 4}, {Number: 5}}
	for range 2 {
		f.decide(t)
	}
	var lost []revision.Event
	for _, each := range f.memory.events {
		if each.Reason == corev1alpha2.EventRevisionLost {
			lost = append(lost, each)
		}
	}
	if len(lost) != 1 {
		t.Fatalf("Events %+v, want one of lost revisions", f.memory.events)
	}
	for _, part := range []string{"revision 4, 5", "registry+v1", "kubectl get KIND -A -l core.rukpak.io/owner-name=memo"} {
		if message := revision.Message(lost[0].Message); !strings.Contains(message, part) {
			t.Errorf("%q does not say %q", message, part)
		}
	}
}
