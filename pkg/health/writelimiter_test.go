package health

import (
	"testing"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
)

func TestWriteLimiterDelaysOnlyMessages(t *testing.T) {
	wrote := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	condition := func(kind string, status operatorv1.ConditionStatus, reason, message string) operatorv1.OperatorCondition {
		return operatorv1.OperatorCondition{Type: kind, Status: status, Reason: reason, Message: message}
	}
	stored := []operatorv1.OperatorCondition{
		condition("Available", "True", "AsExpected", "2 operators"), condition("Progressing", "True", "Installing", "a, b"), condition("Other", "True", "Other", "x"),
	}
	for name, test := range map[string]struct {
		wanted []operatorv1.OperatorCondition
		after  time.Duration
		want   time.Duration
	}{
		"nothing changed":                   {stored[:2], time.Second, 0},
		"a message, right after a write":    {[]operatorv1.OperatorCondition{stored[0], condition("Progressing", "True", "Installing", "b")}, 0, StatusInterval},
		"a message, a moment later":         {[]operatorv1.OperatorCondition{condition("Progressing", "True", "Installing", "b")}, 1500 * time.Millisecond, 500 * time.Millisecond},
		"a message, long after a write":     {[]operatorv1.OperatorCondition{condition("Progressing", "True", "Installing", "b")}, StatusInterval, 0},
		"a status":                          {[]operatorv1.OperatorCondition{condition("Progressing", "False", "Installing", "a, b")}, 0, 0},
		"a reason":                          {[]operatorv1.OperatorCondition{condition("Progressing", "True", "Upgrading", "a, b")}, 0, 0},
		"a message, and a status elsewhere": {[]operatorv1.OperatorCondition{condition("Progressing", "True", "Installing", "b"), condition("Available", "False", "AsExpected", "2 operators")}, 0, 0},
		"a condition that is not there yet": {[]operatorv1.OperatorCondition{stored[0], condition("Degraded", "False", "AsExpected", "")}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var limiter WriteLimiter
			if wait := limiter.Wait(wrote, stored, test.wanted); wait != 0 {
				t.Errorf("it waits %s though nothing was written yet", wait)
			}
			limiter.Written(wrote)
			if wait := limiter.Wait(wrote.Add(test.after), stored, test.wanted); wait != test.want {
				t.Errorf("it waits %s, want %s", wait, test.want)
			}
		})
	}
}
