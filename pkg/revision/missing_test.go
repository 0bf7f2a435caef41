package revision

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/attempt"
)

// reasonOf returns the status and the reason of a condition of the fixture, as "Status/Reason".
func (f *fixture) reasonOf(kind string) string {
	condition := meta.FindStatusCondition(f.deployment.Status.Conditions, kind)
	if condition == nil {
		return ""
	}
	return string(condition.Status) + "/" + condition.Reason
}

func TestHRD_M1_AMissingKindBlocksTheRolloutUntilItIsServed(t *testing.T) {
	for name, test := range map[string]struct {
		first           bool
		before, blocked string
	}{
		"a first installation": {true, "False/" + corev1alpha2.ReasonInstallPending, "False/" + corev1alpha2.ReasonInstallFailed},
		"an upgrade":           {false, "True/" + corev1alpha2.ReasonInstallationSucceeded, "True/" + corev1alpha2.ReasonUpgradeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if test.first {
				f.history.Stored, f.deployment.Status.ActiveRevision = f.history.Stored[1:], 0
				f.writeRevisions()
			}
			c := &controller{now: start.Add(time.Second), report: lacksKind, pruned: Removal{Done: true}}
			if m := f.sync(t, c); f.reasonOf(corev1alpha2.ConditionInstalled) != test.before || m.After() != missingGrace {
				t.Fatalf("at first Installed is %s, and the next sync is in %s", f.reasonOf(corev1alpha2.ConditionInstalled), m.After())
			}
			c.now = c.now.Add(missingGrace)
			f.sync(t, c)
			installed := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
			if got := f.reasonOf(corev1alpha2.ConditionInstalled); got != test.blocked || !strings.Contains(installed.Message, "the cluster does not serve kind Memo of example.com/v1") {
				t.Fatalf("Installed is %s: %s", got, installed.Message)
			}
			if got := f.reasonOf(corev1alpha2.ConditionProgressing); got != "False/"+corev1alpha2.ReasonBlocked {
				t.Errorf("Progressing is %s", got)
			}

			// A restart changes nothing.
			f.history.Stored[len(f.history.Stored)-1].MissingSince = time.Time{}
			before := f.deployment.Status.DeepCopy()
			if f.sync(t, c); f.reasonOf(corev1alpha2.ConditionInstalled) != test.blocked || len(before.Plan.KindsMissing) != 1 {
				t.Errorf("after a restart Installed is %s, and status had %v", f.reasonOf(corev1alpha2.ConditionInstalled), before.Plan.KindsMissing)
			}

			c.report = healthy
			f.sync(t, c)
			if f.sync(t, c); f.reasonOf(corev1alpha2.ConditionProgressing) != "False/"+corev1alpha2.ReasonAsExpected || f.deployment.Status.Plan.KindsMissing != nil {
				t.Errorf("when the kind is served Progressing is %s", f.reasonOf(corev1alpha2.ConditionProgressing))
			}
		})
	}
}

func TestHRD_M1_AFailedDiscoveryIsAwaited(t *testing.T) {
	f := newFixture(t)
	f.history.Stored, f.deployment.Status.ActiveRevision = f.history.Stored[1:], 0
	f.writeRevisions()
	c := &controller{now: start, report: Report{Total: 1}, problem: Problem{Err: errors.New("discovering which resource serves kind Memo of example.com/v1: the server is down")}}
	for range ToleratedFailures + 1 {
		f.sync(t, c)
	}
	installed := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
	if installed.Reason != corev1alpha2.ReasonInstallPending || !strings.Contains(installed.Message, "example.com/v1") {
		t.Errorf("Installed is %s/%s: %s", installed.Status, installed.Reason, installed.Message)
	}
}

func TestHRD_M1_ARolledBackRevisionIsTriedAgainWhenWhatItLackedIsThere(t *testing.T) {
	for name, test := range map[string]struct {
		report  Report
		problem Problem
		lacked  corev1alpha2.FailedFor
		until   string
	}{
		"a kind":         {lacksKind, Problem{}, corev1alpha2.FailedForKinds, ", the cluster serves the kinds that it lacks, or annotation"},
		"a permission":   {Report{Total: 1}, Problem{Err: errors.New("create secrets is missing"), Refused: true, Lacks: corev1alpha2.FailedForPermissions}, corev1alpha2.FailedForPermissions, ", the manager has the permissions that it lacked, or annotation"},
		"something else": {unhealthy, Problem{}, "", "spec.progressDeadlineSeconds changes, or annotation"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
			f.deployment.Status.Plan = &corev1alpha2.Plan{KindsMissing: test.report.MissingKinds}
			two := f.history.Stored[1]
			two.FirstSeen = start
			c := &controller{now: start.Add(time.Hour), report: test.report, problem: test.problem, pruned: Removal{Done: true}}
			if f.sync(t, c); two.Stored != corev1alpha2.RevisionFailed || two.FailedFor != test.lacked {
				t.Fatalf("the revision is %s, for %q", two.Stored, two.FailedFor)
			}
			c.report, c.problem = healthy, Problem{}
			for range 2 {
				if m := f.sync(t, c); m.Failed() != two || (m.After() == 0) != (test.lacked == "") {
					t.Fatalf("the next sync is in %s, and %v is the failed revision", m.After(), m.Failed())
				}
				if progressing := meta.FindStatusCondition(f.deployment.Status.Conditions, corev1alpha2.ConditionProgressing); !strings.Contains(progressing.Message, test.until) {
					t.Errorf("%q does not contain %q", progressing.Message, test.until)
				}
			}
			c.provided = true
			if m := f.sync(t, c); (m.Active() == two) != (test.lacked != "") {
				t.Errorf("the active revision is %s", m.Active())
			}
		})
	}
}

func TestHRD_M1_AMissedDeadlineRecordsTheMissingKindsAlsoBeforeTheyAreReported(t *testing.T) {
	const inGrace = missingGrace - 5*time.Second
	for name, test := range map[string]struct {
		firstSeen time.Time
		// syncs are the times of the syncs since the start. The deadline of a minute passes in the last one.
		syncs []time.Duration
	}{
		"in the first report":               {start, []time.Duration{time.Minute}},
		"within the grace":                  {start, []time.Duration{time.Minute - inGrace, time.Minute}},
		"in the sync that ends the grace":   {start, []time.Duration{time.Minute - missingGrace, time.Minute}},
		"after the grace":                   {start, []time.Duration{time.Second, time.Second + missingGrace, time.Minute}},
		"after a restart past the deadline": {time.Time{}, []time.Duration{time.Hour, time.Hour + observationPeriod}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.deployment.Spec.OnFailure, f.deployment.Spec.ProgressDeadlineSeconds = corev1alpha2.OnFailureRollback, ptr.To[int32](60)
			two := f.history.Stored[1]
			two.FirstSeen = test.firstSeen
			c := &controller{report: lacksKind, pruned: Removal{Done: true}}
			for _, since := range test.syncs {
				c.now = start.Add(since)
				f.sync(t, c)
			}
			entry := f.deployment.Status.Revisions[1]
			if entry.State != corev1alpha2.RevisionFailed || entry.FailedFor != corev1alpha2.FailedForKinds || !slices.Equal(entry.KindsMissing, lacksKind.MissingKinds) {
				t.Errorf("the revision is %s, for %q, without %v", entry.State, entry.FailedFor, entry.KindsMissing)
			}
			if !slices.Equal(f.deployment.Status.Plan.KindsMissing, lacksKind.MissingKinds) {
				t.Errorf("status.plan.kindsMissing is %v", f.deployment.Status.Plan.KindsMissing)
			}
		})
	}
}

// status.plan belongs to the newest revision, so that another revision empties its list.
func TestHRD_M1_AFailedRevisionKeepsItsMissingKindsWhileAnotherOneIsDesired(t *testing.T) {
	for name, restart := range map[string]bool{"in one process": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.deployment.Spec.OnFailure = corev1alpha2.OnFailureRollback
			two := f.history.Stored[1]
			two.FirstSeen = start
			c := &controller{now: start.Add(time.Hour), report: lacksKind, pruned: Removal{Done: true}}
			f.sync(t, c)
			c.report = healthy
			f.sync(t, c)
			latest := f.desired
			f.desired.Source = f.history.Stored[0].Source
			f.deployment.Generation++
			if f.sync(t, c); f.deployment.Status.Plan.KindsMissing != nil {
				t.Fatalf("revision 1 lacks %v", f.deployment.Status.Plan.KindsMissing)
			}
			if restart {
				history := NewHistory([]Header{f.history.Stored[0].Header, two.Header}, f.deployment.Status)
				f.history = &history
			}
			f.desired = latest
			f.deployment.Generation++
			m := f.sync(t, c)
			if !slices.Contains(c.actions, CheckFailure) || m.Failed() == nil || !slices.Equal(m.Failed().KindsMissing, lacksKind.MissingKinds) {
				t.Fatalf("%v failed, after the actions %v", m.Failed(), c.actions)
			}
			if !slices.Equal(f.deployment.Status.Plan.KindsMissing, lacksKind.MissingKinds) {
				t.Errorf("status.plan.kindsMissing is %v", f.deployment.Status.Plan.KindsMissing)
			}
			c.provided = true
			m = f.sync(t, c)
			if entry := f.deployment.Status.Revisions[1]; m.Active().Number != two.Number || entry.KindsMissing != nil {
				t.Errorf("when the kind is served, %s is active, and revision 2 lacks %v", m.Active(), entry.KindsMissing)
			}
		})
	}
}

func TestHRD_M1_ARevisionWhoseMissingKindsAreNotKnownIsNotTriedAgain(t *testing.T) {
	f := newFixture(t)
	two := f.history.Stored[1]
	two.Stored, two.FailedAttempt, two.FailedFor = corev1alpha2.RevisionFailed, attempt.Of(f.deployment), corev1alpha2.FailedForKinds
	f.writeRevisions()
	c := &controller{now: start, report: healthy, provided: true}
	if m := f.sync(t, c); m.Failed() != two || slices.Contains(c.actions, CheckFailure) {
		t.Errorf("%v is the failed revision, after the actions %v", m.Failed(), c.actions)
	}
}

// Promise HRD-M2: A first bundle that can never be installed is `Installed=False/InstallFailed`; a later one leaves Installed True.
func TestHRD_M2_ContentThatCannotBeInstalledHasFailed(t *testing.T) {
	for _, first := range []bool{true, false} {
		f := newFixture(t)
		want := "True/" + corev1alpha2.ReasonInstallationSucceeded
		f.history.Stored = f.history.Stored[:1]
		if first {
			f.history.Stored, f.deployment.Status.ActiveRevision, want = nil, 0, "False/"+corev1alpha2.ReasonInstallFailed
		}
		f.writeRevisions()
		f.sync(t, &controller{now: start, report: healthy, content: Content{Resolved: "r/memo@sha256:2", Invalid: "It has no manifests."}})
		if got := f.reasonOf(corev1alpha2.ConditionInstalled); got != want {
			t.Errorf("first %t: Installed is %s, want %s", first, got, want)
		}
		if got := f.reasonOf(corev1alpha2.ConditionHasValidBundle); got != "False/"+corev1alpha2.ReasonBundleLoadFailed {
			t.Errorf("first %t: HasValidBundle is %s", first, got)
		}
	}
}

// A newer manager may record causes that this one does not know.
func TestAnUnknownCauseOfAFailureIsNotChecked(t *testing.T) {
	f, c := rolledBackFixture(t)
	two := f.history.Stored[1]
	two.FailedFor, c.provided, c.report = "QuotaExceeded", true, unhealthy
	if f.syncs(t, 2, c, nil); slices.Contains(c.actions, CheckFailure) || two.isStarted() {
		t.Errorf("the revision is %s, after the actions %v", two.Stored, c.actions)
	}
}
