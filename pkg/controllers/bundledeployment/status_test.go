package bundledeployment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics/testutil"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/revision"
)

func edited(outcome corev1alpha2.DriftOutcome, seconds int64, paths ...string) corev1alpha2.DriftRecord {
	return corev1alpha2.DriftRecord{
		Object: corev1alpha2.AppliedObject{Kind: "ConfigMap", Namespace: "memo", Name: "a"}, Change: corev1alpha2.DriftEdited,
		Paths: paths, Manager: "kubectl-edit", Time: metav1.Unix(seconds, 0), Outcome: outcome,
	}
}

func TestAPauseKeepsMissingPermissionsInStatus(t *testing.T) {
	missing := []corev1alpha2.MissingPermission{{Resource: "secrets", Verbs: []string{"create"}}}
	for name, c := range map[string]struct {
		paused bool
		plan   string
		asked  []corev1alpha2.MissingPermission
		want   []corev1alpha2.MissingPermission
	}{
		"while nothing is asked":        {true, "sha256:2.0.0", nil, missing},
		"but not those of another plan": {true, "sha256:1.0.0", nil, nil},
		"when none is missing":          {false, "sha256:2.0.0", nil, nil},
		"when they are missing":         {false, "sha256:2.0.0", missing, missing},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.engine.report = apply.Report{Total: 1}
			f.decide(t)
			f.before.Status.Plan = &corev1alpha2.Plan{Digest: c.plan, PermissionsMissing: missing}
			f.deployment.Spec.Paused, f.missing = c.paused, c.asked
			f.reportPlan()
			if diff := cmp.Diff(c.want, f.deployment.Status.Plan.PermissionsMissing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAStaleCacheIsNotDecidedUpon(t *testing.T) {
	cached := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}}
	then := time.Unix(1000, 0)
	for written, want := range map[string]bool{"": false, "8": false, "9": false, "10": true} {
		if left, got := (&memory{resourceVersion: written, writeTime: then}).isBehind(cached, then.Add(time.Second)); got != want || want && left != staleCachePeriod-time.Second {
			t.Errorf("after writing version %q the cache's version 9 counts as behind: %v for %s, want %v", written, got, left, want)
		}
	}
	if _, got := (&memory{resourceVersion: "10", writeTime: then}).isBehind(cached, then.Add(staleCachePeriod)); got {
		t.Error("a cache that stays behind, as after the restore of a backup, is never decided upon")
	}
}

func TestWarningsAreReportedOnceAndBounded(t *testing.T) {
	f := newFixture(t)
	f.deployment.Status.Warnings = []string{"known"}
	f.memory.warnings = f.newWarnings([]string{"known", "new", "new"})
	if diff := cmp.Diff([]string{"new"}, f.memory.warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]revision.Event{{Reason: corev1alpha2.EventAPIWarning, Message: "new", Warning: true}}, f.memory.events); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
	for i := range 50 {
		f.memory.warnings = f.newWarnings([]string{string(rune('A' + i))})
	}
	f.before.Status.Warnings = f.deployment.Status.Warnings
	f.reportPlan()
	if got := len(f.deployment.Status.Warnings); got != maxWarnings {
		t.Errorf("status has %d warnings", got)
	}
}

func TestStandingDriftHasOneEventAlthoughStatusHasNoSpaceForIt(t *testing.T) {
	f := newFixture(t)
	old := edited(corev1alpha2.DriftReported, 1, "/data/old")
	f.recordDrift(apply.Report{Drift: []corev1alpha2.DriftRecord{old}})
	if len(f.memory.events) != 1 {
		t.Fatalf("a standing change has %d Events, want 1", len(f.memory.events))
	}
	f.memory.standing, f.memory.events, f.standing = f.standing, nil, nil // as after the status was written
	for i := range int64(drift.MaxRecords) {
		f.before.Status.Drift = append(f.before.Status.Drift, edited(corev1alpha2.DriftRepaired, 100+i, string(rune('a'+i))))
	}
	for range 10 * maxUnwrittenDrift {
		f.recordDrift(apply.Report{Drift: []corev1alpha2.DriftRecord{old}})
	}
	if len(f.memory.events) != 0 {
		t.Errorf("it has %d more Events", len(f.memory.events))
	}
	if len(f.memory.drift) > maxUnwrittenDrift {
		t.Errorf("%d changes are kept while no status can be written", len(f.memory.drift))
	}
}

// unwritten is a sync that repairs drift, activates revision 2, and cannot write its status. The next one can.
func unwritten(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	conflict := true
	f.api.PrependReactor("update", "bundledeployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return conflict, nil, apierrors.NewConflict(corev1alpha2.Resource("bundledeployments"), "memo", errors.New("another writer was faster"))
	})
	f.engine.report = apply.Report{Total: 1, Ready: 1, Complete: true, Drift: []corev1alpha2.DriftRecord{edited(corev1alpha2.DriftRepaired, 1, "/data/a")}}
	f.decide(t)
	if err := f.writeStatus(t.Context()); !apierrors.IsConflict(err) || len(f.events.Events) > 0 {
		t.Fatalf("error %v", err)
	}
	conflict = false
	f.engine.report.Drift = nil
	f.reconciliation = &reconciliation{c: f.c, memory: f.memory, before: f.before, deployment: f.before.DeepCopy(), source: f.source}
	return f
}

func TestEventsOutliveStatusesThatCannotBeWritten(t *testing.T) {
	f := unwritten(t)
	f.decide(t)
	if err := f.writeStatus(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := f.sent()
	if got[corev1alpha2.EventDriftRepaired] != 1 || got[corev1alpha2.EventRevisionActive] != 1 {
		t.Errorf("Events %v, want one of the repair and one of the revision", got)
	}
	if got := counterOf(t, f, corev1alpha2.MetricOutcomeSucceeded); got != 1 {
		t.Errorf("%v rollouts were counted, want 1", got)
	}
}

func TestDecisionsThatWereNotWrittenHaveNoEvents(t *testing.T) {
	f := unwritten(t)
	f.engine.report = apply.Report{Total: 1, Unready: []string{"ConfigMap memo/a: is not there"}}
	f.decide(t)
	if err := f.writeStatus(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := f.sent(); got[corev1alpha2.EventDriftRepaired] != 1 || got[corev1alpha2.EventRevisionActive] != 0 {
		t.Errorf("Events %v, want that of the repair and none of the revision", got)
	}
	if got := counterOf(t, f, corev1alpha2.MetricOutcomeSucceeded); got != 0 {
		t.Errorf("%v rollouts were counted, want none", got)
	}
}

// sent returns the number of Events that were sent, by reason.
func (f *fixture) sent() map[string]int {
	count := map[string]int{}
	for len(f.events.Events) > 0 {
		count[strings.Fields(<-f.events.Events)[1]]++
	}
	return count
}

func counterOf(t *testing.T, f *fixture, outcome string) float64 {
	t.Helper()
	value, err := testutil.GetCounterMetricValue(f.c.meters.rollouts.WithLabelValues("memo", outcome))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
