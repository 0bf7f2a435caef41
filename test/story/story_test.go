package story

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/test/environment"
)

func TestAStepWaitsAsLongAsWaitingMayHelp(t *testing.T) {
	for name, c := range map[string]struct {
		seenAfter            time.Duration                     // zero is never
		stuck                func(waited time.Duration) string // nil: the step has no Stuck
		wantAfter, wantError string
	}{
		"seen at once": {seenAfter: time.Nanosecond, wantAfter: "100ms"},
		"seen while something seemed to be in the way":      {seenAfter: 5 * time.Second, stuck: always("no service-ca"), wantAfter: "5s"},
		"what is in the way and stays ends it early":        {stuck: always("no service-ca"), wantAfter: "10s", wantError: "waiting longer would not help: no service-ca"},
		"what is in the way from the middle on, too":        {stuck: from(30*time.Second, "no service-ca"), wantAfter: "40s", wantError: "no service-ca"},
		"what changes each time is no reason to end":        {stuck: func(waited time.Duration) string { return waited.String() }, wantAfter: "1m0s", wantError: "not seen within 1m0s: not there yet"},
		"a step that cannot tell waits until its time ends": {wantAfter: "1m0s", wantError: "not seen within 1m0s: not there yet"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				step := Step{Title: "title", Within: time.Minute, Seen: func(context.Context, *Admin) error {
					if c.seenAfter > 0 && time.Since(start) >= c.seenAfter {
						return nil
					}
					return errors.New("not there yet")
				}}
				if c.stuck != nil {
					step.Stuck = func(context.Context, *Admin) string { return c.stuck(time.Since(start)) }
				}
				err := step.Run(t.Context(), &Admin{Environment: &environment.Environment{Manager: &environment.Manager{}}})
				if after := time.Since(start).String(); after != c.wantAfter {
					t.Errorf("it ended after %s, not %s", after, c.wantAfter)
				}
				if c.wantError == "" && err != nil || c.wantError != "" && (err == nil || !strings.Contains(err.Error(), c.wantError)) {
					t.Errorf("the error is %v, not %q", err, c.wantError)
				}
			})
		})
	}
}

func always(text string) func(time.Duration) string { return from(0, text) }

func from(when time.Duration, text string) func(time.Duration) string {
	return func(waited time.Duration) string {
		if waited < when {
			return ""
		}
		return text
	}
}

func TestAPackageThatCannotBeInstalledIsToldByItsCondition(t *testing.T) {
	for name, c := range map[string]struct {
		status metav1.ConditionStatus
		reason string
		of     int64 // the condition's observedGeneration
		want   string
	}{
		"refused":                             {metav1.ConditionFalse, platformv1alpha1.ReasonValidationFailed, 2, `PlatformOperator "quay" says Installed=False/ValidationFailed: because`},
		"being installed":                     {metav1.ConditionFalse, platformv1alpha1.ReasonInstallPending, 2, ""},
		"installed":                           {metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful, 2, ""},
		"refused before the spec was changed": {metav1.ConditionFalse, platformv1alpha1.ReasonValidationFailed, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "quay", Generation: 2}}
			operator.Status.Conditions = []metav1.Condition{{Type: platformv1alpha1.ConditionInstalled, Status: c.status, Reason: c.reason, Message: "because", ObservedGeneration: c.of}}
			admin := &Admin{Platform: fake.NewSimpleClientset(operator)}
			if got := cannotBeInstalled(t.Context(), admin, "quay"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := cannotBeInstalled(t.Context(), &Admin{Platform: fake.NewSimpleClientset()}, "quay"); got != "" {
		t.Errorf("of none that is there it says %q", got)
	}
}
