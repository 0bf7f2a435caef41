package bundledeployment

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
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

// unwritten returns a fixture after a sync that repaired drift, activated revision 2, and could not write its status. The next write
// succeeds.
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
	f.memory.drift.Begin()
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
	families, err := f.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != corev1alpha2.MetricRollouts {
			continue
		}
		for _, each := range family.GetMetric() {
			for _, label := range each.GetLabel() {
				if label.GetValue() == outcome {
					return each.GetCounter().GetValue()
				}
			}
		}
	}
	return 0
}
