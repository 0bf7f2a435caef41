package revision

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
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
	}{
		"a kind":         {lacksKind, Problem{}, corev1alpha2.FailedForKinds},
		"a permission":   {Report{Total: 1}, Problem{Err: errors.New("create secrets is missing"), Refused: true, Lacks: corev1alpha2.FailedForPermissions}, corev1alpha2.FailedForPermissions},
		"something else": {unhealthy, Problem{}, ""},
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
			}
			c.provided = true
			if m := f.sync(t, c); (m.Active() == two) != (test.lacked != "") {
				t.Errorf("the active revision is %s", m.Active())
			}
		})
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
