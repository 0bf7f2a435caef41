package upgradestep_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// TestHistory checks the history while the status of a BundleDeployment changes from minute to minute.
func TestHistory(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	type moment struct {
		version    string
		start      int // the minute
		deployment *corev1alpha2.BundleDeployment
	}
	rolling := steptest.Deployment("Unpacked=True", "HasValidBundle=True")
	for name, test := range map[string]struct {
		moments []moment
		want    []string // version state started ready completed
	}{
		"installed and healthy": {[]moment{{"1.0.0", 0, rolling}, {"1.0.0", 0, steptest.Healthy()}, {"1.0.0", 0, steptest.Healthy()}},
			[]string{"1.0.0 Ready from 0, ready 1, until 1"}},
		"what is ready stays ready when it is no longer healthy": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.0.0", 0, steptest.Overdue()}},
			[]string{"1.0.0 Ready from 0, ready 0, until 0"}},
		"a step": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.1.0", 1, rolling}, {"1.1.0", 1, steptest.Healthy()}},
			[]string{"1.1.0 Ready from 1, ready 2, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a step that was rolled back": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.1.0", 1, rolling}, {"1.1.0", 1, steptest.RolledBack()}, {"1.1.0", 1, steptest.RolledBack()}},
			[]string{"1.1.0 RolledBack from 1, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a step that is held, and gets healthy in the end": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.1.0", 1, steptest.Overdue()}, {"1.1.0", 1, steptest.Overdue()}, {"1.1.0", 1, steptest.Healthy()}},
			[]string{"1.1.0 Ready from 1, ready 3, until 3", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a step that is held": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.1.0", 1, steptest.Overdue()}},
			[]string{"1.1.0 Failed from 1", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a version that cannot be unpacked": {[]moment{{"1.0.0", 0, steptest.Deployment("Unpacked=False")}},
			[]string{"1.0.0 Failed from 0"}},
		"a step that was left for another": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.1.0", 1, rolling}, {"1.2.0", 2, rolling}},
			[]string{"1.2.0 Installing from 2", "1.1.0 Superseded from 1, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"there and back": {[]moment{{"1.0.0", 0, steptest.Healthy()}, {"1.1.0", 1, steptest.Overdue()}, {"1.0.0", 2, steptest.Healthy()}},
			[]string{"1.0.0 Ready from 2, ready 2, until 2", "1.1.0 Failed from 1, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"the deployment has not seen its spec yet": {[]moment{{"1.0.0", 0, steptest.Stale()}}, []string{"1.0.0 Installing from 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			var history []platformv1alpha1.HistoryEntry
			for minute, moment := range test.moments {
				current := upgradestep.Current{Deployment: moment.deployment, Recorded: steptest.Bundle(moment.version), History: history,
					Start: &upgradestep.StepStart{Started: metav1.NewTime(noon.Add(time.Duration(moment.start) * time.Minute))}}
				now := noon.Add(time.Duration(minute) * time.Minute)
				history = current.UpdatedHistory(now)
				current.History = history
				if diff := cmp.Diff(history, current.UpdatedHistory(now)); diff != "" {
					t.Errorf("a second sync changes it (-before +after):\n%s", diff)
				}
			}
			var got []string
			minute := func(at *metav1.Time) int { return int(at.Sub(noon).Minutes()) }
			for _, entry := range history {
				line := fmt.Sprintf("%s %s from %d", entry.Version, entry.State, minute(&entry.StartedTime))
				if entry.ReadyTime != nil {
					line += fmt.Sprintf(", ready %d", minute(entry.ReadyTime))
				}
				if entry.CompletedTime != nil {
					line += fmt.Sprintf(", until %d", minute(entry.CompletedTime))
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStepsOfOneSecondAreToldApart(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	now := noon.Add(time.Second / 2)
	var history []platformv1alpha1.HistoryEntry
	for i, want := range []string{"12:00:00", "12:00:01", "12:00:02"} {
		step := upgradestep.Decide(upgradestep.Input{Current: upgradestep.Current{History: history}, Decision: steptest.Choosing("1.0.0"), Now: now})
		current := upgradestep.Current{Deployment: steptest.Healthy(), Recorded: step.Bundle, Start: step.Start, History: history}
		current.History = current.UpdatedHistory(now)
		history = current.UpdatedHistory(now)
		newest := history[0]
		if len(history) != i+1 || newest.StartedTime.Format(time.TimeOnly) != want {
			t.Errorf("after step %d history has %d entries, the newest from %s, want %s", i+1, len(history), newest.StartedTime.Format(time.TimeOnly), want)
		}
		for _, entry := range history {
			if entry.CompletedTime.Before(&entry.StartedTime) {
				t.Errorf("a step from %s ended at %s", entry.StartedTime, entry.CompletedTime)
			}
		}
		if newest.ReadyTime.Before(&newest.StartedTime) {
			t.Errorf("step %d was ready at %s, before it started at %s", i+1, newest.ReadyTime, newest.StartedTime)
		}
	}
}

func TestHistoryHasTheLastTen(t *testing.T) {
	var history []platformv1alpha1.HistoryEntry
	for i := range 15 {
		current := upgradestep.Current{Deployment: steptest.Healthy(), Recorded: steptest.Bundle(fmt.Sprintf("1.%d.0", i)), History: history,
			Start: &upgradestep.StepStart{Started: metav1.Unix(int64(i), 0)}}
		history = current.UpdatedHistory(time.Unix(int64(i), 0))
	}
	if len(history) != platformv1alpha1.MaxHistory || history[0].Version != "1.14.0" || history[9].Version != "1.5.0" {
		t.Errorf("%d entries: %+v", len(history), history)
	}
}

func TestWhatIsInstalledSinceBeforeHistoryWasKept(t *testing.T) {
	current := upgradestep.Current{Deployment: steptest.Healthy(), Recorded: steptest.Bundle("1.0.0")}
	current.Deployment.CreationTimestamp = metav1.Unix(100, 0)
	current.History = current.UpdatedHistory(time.Unix(200, 0))
	if history := current.UpdatedHistory(time.Unix(200, 0)); len(history) != 1 || !history[0].StartedTime.Equal(&current.Deployment.CreationTimestamp) || history[0].State != platformv1alpha1.HistoryReady {
		t.Errorf("got %+v", history)
	}
}

func TestUnreadableRecordOfAStartIsNone(t *testing.T) {
	for name, test := range map[string]struct {
		annotation string
		known      bool
	}{
		"as it is written":        {`{"started":"2026-01-01T12:00:00Z","trigger":"Automatic","wish":"a"}`, true},
		"fractions of a second":   {`{"started":"2026-01-01T12:00:00.5Z","trigger":"Automatic","wish":"a"}`, true},
		"an unknown trigger":      {`{"started":"2026-01-01T12:00:00Z","trigger":"Banana","wish":"a"}`, false},
		"no trigger":              {`{"started":"2026-01-01T12:00:00Z"}`, false},
		"no time":                 {`{"trigger":"Automatic"}`, false},
		"no JSON":                 {`{`, false},
		"nothing, as it was once": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := steptest.Healthy()
			deployment.Annotations = map[string]string{platformv1alpha1.AnnotationHop: test.annotation}
			start := upgradestep.RecordedStart(deployment)
			if (start != nil) != test.known {
				t.Fatalf("it is read as %+v", start)
			}
			if start != nil && start.Started.Nanosecond() != 0 {
				t.Errorf("status cannot keep %s", start.Started.Time)
			}
		})
	}
}

func TestHistoryIsNotWrittenByAnOldCache(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(noon.Add(time.Minute))
	before := []platformv1alpha1.HistoryEntry{
		{Version: "1.1.0", Bundle: steptest.Bundle("1.1.0").Bundle, State: platformv1alpha1.HistoryInstalling, StartedTime: later, Trigger: platformv1alpha1.TriggerAutomatic},
		{Version: "1.0.0", Bundle: steptest.Bundle("1.0.0").Bundle, State: platformv1alpha1.HistoryReady, StartedTime: noon, ReadyTime: &noon, CompletedTime: &noon, Trigger: platformv1alpha1.TriggerInstallation},
	}
	current := upgradestep.Current{Deployment: steptest.Healthy(), Recorded: steptest.Bundle("1.0.0"), History: slices.Clone(before),
		Start: &upgradestep.StepStart{Started: noon, Trigger: platformv1alpha1.TriggerInstallation}}
	if diff := cmp.Diff(before, current.UpdatedHistory(later.Add(time.Second))); diff != "" {
		t.Errorf("a BundleDeployment from before the step changes it (-before +after):\n%s", diff)
	}
}

func TestUpdatedHistoryDoesNotModifyItsInput(t *testing.T) {
	start := metav1.Unix(100, 0)
	history := []platformv1alpha1.HistoryEntry{{Version: "1.0.0", Bundle: steptest.Bundle("1.0.0").Bundle, State: platformv1alpha1.HistoryInstalling, StartedTime: start}}
	before := slices.Clone(history)
	for _, version := range []string{"1.0.0", "1.1.0"} {
		current := upgradestep.Current{Deployment: steptest.Healthy(), Recorded: steptest.Bundle(version), History: history}
		if len(current.UpdatedHistory(time.Unix(200, 0))) == 0 {
			t.Fatal("there is no history")
		}
		if diff := cmp.Diff(before, history); diff != "" {
			t.Errorf("with %s (-before +after):\n%s", version, diff)
		}
	}
}
