package revision

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

func changedAt(outcome corev1alpha2.DriftOutcome, seconds int64, paths ...string) corev1alpha2.DriftRecord {
	return corev1alpha2.DriftRecord{
		Object: corev1alpha2.AppliedObject{Kind: "ConfigMap", Namespace: "memo", Name: "a"}, Change: corev1alpha2.DriftEdited,
		Paths: paths, Manager: "kubectl-edit", Time: metav1.Unix(seconds, 0), Outcome: outcome,
	}
}

func TestStandingDriftHasOneEventIfStatusHasNoSpace(t *testing.T) {
	var log DriftLog
	old := changedAt(corev1alpha2.DriftReported, 1, "/data/old")
	if events := log.Add([]corev1alpha2.DriftRecord{old}, true, nil); len(events) != 1 {
		t.Fatalf("a standing change has Events %+v, want one", events)
	}
	log.Written()
	log.Begin()
	var status []corev1alpha2.DriftRecord
	for i := range int64(drift.MaxRecords) {
		status = append(status, changedAt(corev1alpha2.DriftRepaired, 100+i, string(rune('a'+i))))
	}
	for range 10 * maxUnwrittenDrift {
		if events := log.Add([]corev1alpha2.DriftRecord{old}, true, status); len(events) != 0 {
			t.Fatalf("a later sync returned more Events: %+v", events)
		}
	}
	if kept := len(log.Drift().Unwritten); kept != maxUnwrittenDrift {
		t.Errorf("%d unwritten changes are kept, want %d", kept, maxUnwrittenDrift)
	}
}

func TestChangesAreKeptUntilAStatusHasThem(t *testing.T) {
	var log DriftLog
	repaired, left := changedAt(corev1alpha2.DriftRepaired, 1, "/data/a"), changedAt(corev1alpha2.DriftReported, 2, "/data/b")
	log.Add([]corev1alpha2.DriftRecord{repaired, left}, true, nil)
	log.Begin() // without a written status
	if got := log.Drift(); len(got.Unwritten) != 2 || len(got.Standing) != 0 || got.Left {
		t.Errorf("the next sync begins with %+v, want both changes unwritten and none standing", got)
	}
	log.Written()
	if diff := cmp.Diff(Drift{}, log.Drift()); diff != "" {
		t.Errorf("after a written status (-want +got):\n%s", diff)
	}
}

func TestEventsOfManyChangesAreBounded(t *testing.T) {
	var log DriftLog
	var found []corev1alpha2.DriftRecord
	for i := range 3 * maxDriftEvents {
		found = append(found, changedAt(corev1alpha2.DriftRepaired, int64(i), fmt.Sprint("/data/", i)))
	}
	events := log.Add(found, false, nil)
	if len(events) != maxDriftEvents+1 || events[maxDriftEvents].Message != "10 more changes by others; status.drift has the latest" {
		t.Errorf("unexpected Events %+v", events)
	}
}
