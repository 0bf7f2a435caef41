package operator

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/status"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
)

func TestDegradedConditionsHaveAnInertiaOfTheirType(t *testing.T) {
	if after := NewOptions().DegradedAfter; after != 10*time.Minute {
		t.Errorf("in the payload an operator degrades the cluster after %s", after)
	}
	for name, test := range map[string]struct {
		kind string
		old  time.Duration
		want configv1.ConditionStatus
	}{
		"that of the operators has waited its ten minutes already": {"PlatformOperatorsDegraded", time.Second, "True"},
		"the operators' condition counts if it is in the future":   {"PlatformOperatorsDegraded", -time.Hour, "True"},
		"a controller's own is nobody's business for two minutes":  {"CatalogsControllerDegraded", 110 * time.Second, "False"},
		"and everybody's after that":                               {"CatalogsControllerDegraded", 121 * time.Second, "True"},
		"that of the watches not while its trouble may be over":    {"WatchesDegraded", 200 * time.Second, "False"},
		"but when it lasts": {"WatchesDegraded", 211 * time.Second, "True"},
		"so is one that only ends like that of the operators":            {"OtherPlatformOperatorsDegraded", time.Second, "False"},
		"or a controller's whose name begins like that of the operators": {"PlatformOperatorsControllerDegraded", time.Second, "False"},
	} {
		t.Run(name, func(t *testing.T) {
			// library-go looks at the wall clock itself
			bad := operatorv1.OperatorCondition{Type: test.kind, Status: operatorv1.ConditionTrue, Reason: "Bad", LastTransitionTime: metav1.NewTime(time.Now().Add(-test.old))}
			got := status.UnionClusterCondition(configv1.OperatorDegraded, operatorv1.ConditionFalse, degradedInertia, bad)
			if got.Status != test.want {
				t.Errorf("%s for %s: the ClusterOperator has Degraded=%s", test.kind, test.old, got.Status)
			}
		})
	}
}

// told is library-go's client of an operator resource that has these conditions, all of them True but, where it is blocked, the gate's.
type told struct {
	v1helpers.OperatorClient
	conditions []string
	blocked    bool
}

func (c *told) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	if c.conditions == nil {
		return nil, nil, "", operatorv1alpha1.ErrManagerMissing
	}
	state := &operatorv1.OperatorStatus{}
	for _, kind := range c.conditions {
		status := operatorv1.ConditionTrue
		if c.blocked && kind == upgradegate.ConditionType {
			status = operatorv1.ConditionFalse
		}
		state.Conditions = append(state.Conditions, operatorv1.OperatorCondition{Type: kind, Status: status})
	}
	return &operatorv1.OperatorSpec{}, state, "1", nil
}

func TestClusterOperatorIsMadeOfConditionsThatAreAllThere(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	resource := &told{}
	client := newReportedClient(resource, clock, confirmed(true))
	look := func(after time.Duration, conditions ...string) error {
		clock.SetTime(clock.Now().Add(after))
		resource.conditions = conditions
		_, state, _, err := client.GetOperatorState()
		if (err == nil) != (state != nil) {
			t.Fatalf("state %v beside error %v", state, err)
		}
		return err
	}
	all := slices.Clone(requiredConditions)
	for i := range all {
		some := slices.Delete(slices.Clone(all), i, i+1)
		if err := look(0, some...); err == nil || !strings.Contains(err.Error(), all[i]) {
			t.Errorf("without %s: %v", all[i], err)
		}
	}
	if err := look(0, append(all, "SomethingElseDegraded")...); err != nil {
		t.Errorf("with all of them: %v", err)
	}
	if err := look(time.Hour); !errors.Is(err, operatorv1alpha1.ErrManagerMissing) {
		t.Errorf("another error became %v", err)
	}
	for _, step := range []struct {
		after  time.Duration
		waited bool
	}{{0, true}, {reportWithin - time.Nanosecond, true}, {time.Nanosecond, false}, {time.Hour, false}} {
		if err := look(step.after, all[0]); (err != nil) != step.waited {
			t.Errorf("%s later: %v, though it is waited for %s", step.after, err, reportWithin)
		}
	}
	if err := look(0); !errors.Is(err, operatorv1alpha1.ErrManagerMissing) || look(0, all[0]) == nil {
		t.Error("what is missing of a resource that was deleted meanwhile is not waited for again")
	}
	if look(0, all...) != nil || look(0, all[0]) == nil {
		t.Error("once everything was there, what is missing is not waited for again")
	}
}

func confirmed(permits bool) *atomic.Bool {
	flag := &atomic.Bool{}
	flag.Store(permits)
	return flag
}

func TestHRD_G4_UpgradesArePermittedByThisProcessOnly(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	permits := confirmed(false)
	client := newReportedClient(&told{conditions: slices.Clone(requiredConditions)}, clock, permits) // the verdict of the process before permits
	gate := func() *operatorv1.OperatorCondition {
		t.Helper()
		_, state, _, err := client.GetOperatorState()
		if err != nil {
			return nil
		}
		for _, kind := range requiredConditions {
			if kind != upgradegate.ConditionType && !v1helpers.IsOperatorConditionTrue(state.Conditions, kind) {
				t.Errorf("%s is not reported as it is", kind)
			}
		}
		return v1helpers.FindOperatorCondition(state.Conditions, upgradegate.ConditionType)
	}
	if got := gate(); got != nil {
		t.Errorf("before the first verdict it is reported %+v", got)
	}
	permits.Store(true)
	if got := gate(); got == nil || got.Status != operatorv1.ConditionTrue {
		t.Errorf("once this process permits them it is reported %+v", got)
	}
	permits.Store(false)
	if got := gate(); got != nil {
		t.Errorf("before a verdict that blocks is written it is reported %+v", got)
	}
	clock.SetTime(clock.Now().Add(reportWithin))
	if got := gate(); got == nil || got.Status != operatorv1.ConditionFalse || got.Reason != compat.ReasonErrorChecking || !strings.Contains(got.Message, "could not confirm it within 30s") {
		t.Errorf("while no verdict comes it is reported %+v", got)
	}
	permits.Store(true)
	if got := gate(); got == nil || got.Status != operatorv1.ConditionTrue {
		t.Errorf("with a late verdict it is reported %+v", got)
	}
}

func TestHRD_G4_ARecordedVerdictThatBlocksIsReportedAtOnce(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	resource := &told{conditions: slices.Clone(requiredConditions), blocked: true}
	_, state, _, err := newReportedClient(resource, clock, confirmed(false)).GetOperatorState()
	if err != nil {
		t.Fatal(err)
	}
	if got := v1helpers.FindOperatorCondition(state.Conditions, upgradegate.ConditionType); got.Status != operatorv1.ConditionFalse || got.Reason != "" {
		t.Errorf("it is reported %+v", got)
	}
}
