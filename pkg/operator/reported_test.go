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
		t.Errorf("DegradedAfter in the payload is %s, want 10m", after)
	}
	for name, test := range map[string]struct {
		kind string
		old  time.Duration
		want configv1.ConditionStatus
	}{
		"the operators' condition counts at once":                              {"PlatformOperatorsDegraded", time.Second, "True"},
		"the operators' condition counts with a time in the future":            {"PlatformOperatorsDegraded", -time.Hour, "True"},
		"a controller's condition does not count within 2 minutes":             {"CatalogsControllerDegraded", 110 * time.Second, "False"},
		"a controller's condition counts after 2 minutes":                      {"CatalogsControllerDegraded", 121 * time.Second, "True"},
		"the watches' condition does not count while it may outlast its cause": {"WatchesDegraded", 200 * time.Second, "False"},
		"the watches' condition counts if it lasts":                            {"WatchesDegraded", 211 * time.Second, "True"},
		"a condition with the same suffix does not count at once":              {"OtherPlatformOperatorsDegraded", time.Second, "False"},
		"a condition with the same prefix does not count at once":              {"PlatformOperatorsControllerDegraded", time.Second, "False"},
	} {
		t.Run(name, func(t *testing.T) {
			// library-go uses the wall clock
			bad := operatorv1.OperatorCondition{Type: test.kind, Status: operatorv1.ConditionTrue, Reason: "Bad", LastTransitionTime: metav1.NewTime(time.Now().Add(-test.old))}
			got := status.UnionClusterCondition(configv1.OperatorDegraded, operatorv1.ConditionFalse, degradedInertia, bad)
			if got.Status != test.want {
				t.Errorf("%s for %s: the ClusterOperator has Degraded=%s", test.kind, test.old, got.Status)
			}
		})
	}
}

// fakeClient is a client of an operator resource with these conditions. All are True, except that the gate's is False if blocked is set. If
// conditions is nil, the resource does not exist.
type fakeClient struct {
	v1helpers.OperatorClient
	conditions []string
	blocked    bool
}

func (c *fakeClient) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
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

func TestReportedClientWaitsForAllConditions(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	resource := &fakeClient{}
	client := newReportedClient(resource, clock, confirmed(true))
	look := func(after time.Duration, conditions ...string) error {
		clock.SetTime(clock.Now().Add(after))
		resource.conditions = conditions
		_, state, _, err := client.GetOperatorState()
		if (err == nil) != (state != nil) {
			t.Fatalf("state %v with error %v", state, err)
		}
		return err
	}
	all := slices.Clone(requiredConditions)
	for i := range all {
		some := slices.Delete(slices.Clone(all), i, i+1)
		if err := look(0, some...); err == nil || !strings.Contains(err.Error(), all[i]) {
			t.Errorf("without %s, the error is %v", all[i], err)
		}
	}
	if err := look(0, append(all, "SomethingElseDegraded")...); err != nil {
		t.Errorf("with all conditions, the error is %v", err)
	}
	if err := look(time.Hour); !errors.Is(err, operatorv1alpha1.ErrManagerMissing) {
		t.Errorf("the wrapped client's error was replaced by %v", err)
	}
	for _, step := range []struct {
		after  time.Duration
		waited bool
	}{{0, true}, {reportWithin - time.Nanosecond, true}, {time.Nanosecond, false}, {time.Hour, false}} {
		if err := look(step.after, all[0]); (err != nil) != step.waited {
			t.Errorf("%s later: error %v; the wait lasts %s", step.after, err, reportWithin)
		}
	}
	if err := look(0); !errors.Is(err, operatorv1alpha1.ErrManagerMissing) || look(0, all[0]) == nil {
		t.Error("after a deletion, the client does not wait again")
	}
	if look(0, all...) != nil || look(0, all[0]) == nil {
		t.Error("after a complete state, the client does not wait again")
	}
}

func confirmed(permits bool) *atomic.Bool {
	flag := &atomic.Bool{}
	flag.Store(permits)
	return flag
}

func TestHRD_G4_OnlyThisProcessPermitsUpgrades(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	permits := confirmed(false)
	client := newReportedClient(&fakeClient{conditions: slices.Clone(requiredConditions)}, clock, permits) // the ended process permitted upgrades
	gate := func() *operatorv1.OperatorCondition {
		t.Helper()
		_, state, _, err := client.GetOperatorState()
		if err != nil {
			return nil
		}
		for _, kind := range requiredConditions {
			if kind != upgradegate.ConditionType && !v1helpers.IsOperatorConditionTrue(state.Conditions, kind) {
				t.Errorf("%s was changed", kind)
			}
		}
		return v1helpers.FindOperatorCondition(state.Conditions, upgradegate.ConditionType)
	}
	if got := gate(); got != nil {
		t.Errorf("before the gate's first result, the client returned %+v", got)
	}
	permits.Store(true)
	if got := gate(); got == nil || got.Status != operatorv1.ConditionTrue {
		t.Errorf("after this process permitted upgrades, the client returned %+v", got)
	}
	permits.Store(false)
	if got := gate(); got != nil {
		t.Errorf("after this process blocked upgrades, the client returned %+v", got)
	}
	clock.SetTime(clock.Now().Add(reportWithin))
	if got := gate(); got == nil || got.Status != operatorv1.ConditionFalse || got.Reason != compat.ReasonErrorChecking || !strings.Contains(got.Message, "could not confirm it within 30s") {
		t.Errorf("without a result of the gate, the client returned %+v", got)
	}
	permits.Store(true)
	if got := gate(); got == nil || got.Status != operatorv1.ConditionTrue {
		t.Errorf("after a late result of the gate, the client returned %+v", got)
	}
}

func TestHRD_G4_ARecordedBlockIsReportedAtOnce(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	resource := &fakeClient{conditions: slices.Clone(requiredConditions), blocked: true}
	_, state, _, err := newReportedClient(resource, clock, confirmed(false)).GetOperatorState()
	if err != nil {
		t.Fatal(err)
	}
	if got := v1helpers.FindOperatorCondition(state.Conditions, upgradegate.ConditionType); got.Status != operatorv1.ConditionFalse || got.Reason != "" {
		t.Errorf("the client returned %+v", got)
	}
}
