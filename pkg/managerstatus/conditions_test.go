package managerstatus

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1 "github.com/openshift/api/operator/v1"
)

func TestAConditionHasTheTimeOfItsTransition(t *testing.T) {
	before, now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC)
	of := func(status operatorv1.ConditionStatus, message string, since time.Time) operatorv1.OperatorCondition {
		return operatorv1.OperatorCondition{Type: "A", Status: status, Reason: "R", Message: message, LastTransitionTime: metav1.NewTime(since)}
	}
	other := operatorv1.OperatorCondition{Type: "B", Status: operatorv1.ConditionTrue, LastTransitionTime: metav1.NewTime(before)}
	for name, test := range map[string]struct {
		conditions, want []operatorv1.OperatorCondition
	}{
		"a new one":          {[]operatorv1.OperatorCondition{other}, []operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "new", now), other}},
		"the first":          {nil, []operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "new", now)}},
		"another status":     {[]operatorv1.OperatorCondition{of(operatorv1.ConditionFalse, "old", before), other}, []operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "new", now), other}},
		"only another text":  {[]operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "old", before)}, []operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "new", before)}},
		"the same condition": {[]operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "new", before)}, []operatorv1.OperatorCondition{of(operatorv1.ConditionTrue, "new", before)}},
	} {
		t.Run(name, func(t *testing.T) {
			status := operatorv1.OperatorStatus{Conditions: test.conditions}
			condition := operatorv1.OperatorCondition{Type: "A", Status: operatorv1.ConditionTrue, Reason: "R", Message: "new"}
			if err := UpdateConditionFn(condition, now)(&status); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, status.Conditions); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
