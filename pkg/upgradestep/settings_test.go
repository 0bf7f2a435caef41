package upgradestep_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

func TestHRD_U3_HRD_U4_SettingsStartAStepOfTheirOwn(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	before := &upgradestep.StepStart{Started: metav1.NewTime(now.Add(-time.Hour)), Trigger: platformv1alpha1.TriggerAutomatic, SpecHash: "former"}
	unreadable := steptest.Deployment("Unpacked=True", "HasValidBundle=False")
	for name, test := range map[string]struct {
		settings   upgradestep.SettingsChange
		deployment *corev1alpha2.BundleDeployment
		decision   resolve.Decision
		paused     bool
		trigger    platformv1alpha1.Trigger // empty if no step starts
	}{
		"another configuration":                              {upgradestep.ConfigChanged, steptest.Healthy(), steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerInstallChange},
		"another configuration of a stuck version":           {upgradestep.ConfigChanged, steptest.Overdue(), steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerInstallChange},
		"another configuration without a readable catalog":   {upgradestep.ConfigChanged, steptest.Healthy(), resolve.Decision{}, false, platformv1alpha1.TriggerInstallChange},
		"another configuration, and another version":         {upgradestep.ConfigChanged, steptest.Healthy(), steptest.Choosing("1.1.0", "1.0.0"), false, platformv1alpha1.TriggerAutomatic},
		"another configuration, and a version that is held":  {upgradestep.ConfigChanged, steptest.Unhealthy(), steptest.Choosing("1.1.0", "1.0.0"), false, platformv1alpha1.TriggerInstallChange},
		"another configuration during a pause":               {upgradestep.ConfigChanged, steptest.Healthy(), steptest.Choosing("1.0.0"), true, ""},
		"another deadline of a healthy version":              {upgradestep.InstallChanged, steptest.Healthy(), steptest.Choosing("1.0.0"), false, ""},
		"another deadline of a version that is held":         {upgradestep.InstallChanged, steptest.Overdue(), steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerInstallChange},
		"another deadline of a version that was rolled back": {upgradestep.InstallChanged, steptest.RolledBack(), steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerInstallChange},
		"a retry of a healthy version":                       {upgradestep.RetryRequested, steptest.Healthy(), steptest.Choosing("1.0.0"), false, ""},
		"a retry of a version that was rolled back":          {upgradestep.RetryRequested, steptest.RolledBack(), steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerRetry},
		"a retry of a version that is held":                  {upgradestep.RetryRequested, steptest.Overdue(), steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerRetry},
		"a retry of a bundle that cannot be read":            {upgradestep.RetryRequested, unreadable, steptest.Choosing("1.0.0"), false, platformv1alpha1.TriggerRetry},
		"a retry before the last spec was looked at":         {upgradestep.RetryRequested, steptest.Stale(), steptest.Choosing("1.0.0"), false, ""},
		"no change": {upgradestep.NoChange, steptest.RolledBack(), steptest.Choosing("1.0.0"), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := upgradestep.Input{
				Current:  upgradestep.Current{Recorded: steptest.Bundle("1.0.0"), Installed: steptest.Bundle("1.0.0"), Deployment: test.deployment, Start: before},
				Settings: test.settings, Decision: test.decision, Now: now, Spec: upgradestep.Spec{Hash: "former", Paused: test.paused},
			}
			in.Current.History = shownAsReady(in.Current)
			step := upgradestep.Decide(in)
			var trigger platformv1alpha1.Trigger
			if step.Start != nil {
				trigger = step.Start.Trigger
			}
			if trigger != test.trigger || step.Postponed {
				t.Errorf("started by %q, postponed: %t, want %q", trigger, step.Postponed, test.trigger)
			}
			if step.Start.IsOfSettings() && (step.Bundle.Version != "1.0.0" || !step.Start.Started.Time.Equal(now)) {
				t.Errorf("the step is to %s and started at %s", step.Bundle.Version, step.Start.Started)
			}
		})
	}
}

func TestSettingsWaitUntilStatusShowsTheLastStep(t *testing.T) {
	in := upgradestep.Input{
		Current:  upgradestep.Current{Recorded: steptest.Bundle("1.0.0"), Deployment: steptest.Active(steptest.Healthy())},
		Settings: upgradestep.ConfigChanged, Decision: steptest.Choosing("1.0.0"),
	}
	if step := upgradestep.Decide(in); !step.Postponed || step.Start != nil {
		t.Errorf("postponed: %t, started: %v", step.Postponed, step.Start)
	}
}

// The engine tries a version again by itself when a kind or a permission appears that it lacked.
func TestHRD_U3_HistoryKeepsTheAttemptThatFailed(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	unknownClass := steptest.RolledBack() // the manager has seen the spec, but not looked for the revision
	unknownClass.Generation, unknownClass.Status.ObservedGeneration = 2, 2
	unpacking := steptest.Deployment("Unpacked=Unknown", "HasValidBundle=Unknown", "Installed=True", "Healthy=True")
	unknownClass.Status.Conditions = unpacking.Status.Conditions
	unrestored := steptest.RolledBack()
	unrestored.Status.ActiveRevision = 0
	former, done := metav1.NewTime(now.Add(-48*time.Hour)), metav1.NewTime(now.Add(-47*time.Hour))
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		paused     bool
		isRetry    bool
	}{
		"it is rolled back": {steptest.RolledBack(), false, false},
		"it is rolled back, and its class is unknown since the spec changed": {unknownClass, false, false},
		"it is rolled back, and the active revision is lost":                 {unrestored, false, false},
		"it is tried again":              {steptest.Active(steptest.Unhealthy()), false, true},
		"it is complete":                 {steptest.Active(steptest.Healthy()), false, true},
		"the status is about the past":   {steptest.Stale(), false, false},
		"the BundleDeployment is paused": {steptest.Unhealthy(), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			test.deployment.Spec.Paused = test.paused
			current := upgradestep.Current{
				Recorded: steptest.Bundle("1.1.0"), Installed: steptest.Bundle("1.0.0"), Deployment: test.deployment,
				Start: &upgradestep.StepStart{Started: former, Trigger: platformv1alpha1.TriggerAutomatic, SpecHash: "former"},
				History: []platformv1alpha1.HistoryEntry{{
					Version: "1.1.0", Bundle: "op.v1.1.0", State: platformv1alpha1.HistoryRolledBack, Trigger: platformv1alpha1.TriggerAutomatic,
					StartedTime: former, CompletedTime: &done,
				}},
			}
			step := upgradestep.Decide(upgradestep.Input{
				Current: current, Decision: steptest.Choosing("1.1.0", "1.0.0"), Now: now, Spec: upgradestep.Spec{Hash: "former"},
			})
			if isRetry := step.Start != nil && step.Start.Trigger == platformv1alpha1.TriggerRetry; isRetry != test.isRetry || step.Postponed {
				t.Fatalf("the step is %+v", step)
			}
			if !test.isRetry {
				if state := current.UpdatedHistory(now)[0].State; state != platformv1alpha1.HistoryRolledBack {
					t.Errorf("in history, the step is %s", state)
				}
				return
			}
			current.Start = step.Start
			history := current.UpdatedHistory(now)
			if len(history) != 2 || history[1].State != platformv1alpha1.HistoryRolledBack || !history[0].StartedTime.Time.Equal(now) {
				t.Errorf("history is %+v", history)
			}
		})
	}
}
