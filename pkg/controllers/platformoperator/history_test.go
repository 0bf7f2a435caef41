package platformoperator

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// overdue missed its deadline, and is held.
func overdue() *corev1alpha2.BundleDeployment {
	deployment := deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False", "Progressing=False")
	deployment.Status.Conditions[4].Reason = corev1alpha2.ReasonDeadlineExceeded
	return deployment
}

// What happened is what the record of one hop after the other says, told minute by minute.
func TestHistory(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	type moment struct {
		version    string
		began      int // the minute
		deployment *corev1alpha2.BundleDeployment
	}
	rolling := deploymentThat("Unpacked=True", "HasValidBundle=True")
	for name, test := range map[string]struct {
		moments []moment
		want    []string // version state started ready completed
	}{
		"installed and healthy": {[]moment{{"1.0.0", 0, rolling}, {"1.0.0", 0, healthy()}, {"1.0.0", 0, healthy()}},
			[]string{"1.0.0 Ready from 0, ready 1, until 1"}},
		"what is ready stays ready when it is no longer healthy": {[]moment{{"1.0.0", 0, healthy()}, {"1.0.0", 0, overdue()}},
			[]string{"1.0.0 Ready from 0, ready 0, until 0"}},
		"a hop": {[]moment{{"1.0.0", 0, healthy()}, {"1.1.0", 1, rolling}, {"1.1.0", 1, healthy()}},
			[]string{"1.1.0 Ready from 1, ready 2, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a hop that was rolled back": {[]moment{{"1.0.0", 0, healthy()}, {"1.1.0", 1, rolling}, {"1.1.0", 1, rolledBackFrom()}, {"1.1.0", 1, rolledBackFrom()}},
			[]string{"1.1.0 RolledBack from 1, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a hop that is held, and gets healthy in the end": {[]moment{{"1.0.0", 0, healthy()}, {"1.1.0", 1, overdue()}, {"1.1.0", 1, overdue()}, {"1.1.0", 1, healthy()}},
			[]string{"1.1.0 Ready from 1, ready 3, until 3", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a hop that is held": {[]moment{{"1.0.0", 0, healthy()}, {"1.1.0", 1, overdue()}},
			[]string{"1.1.0 Failed from 1", "1.0.0 Ready from 0, ready 0, until 0"}},
		"a version that cannot be unpacked": {[]moment{{"1.0.0", 0, deploymentThat("Unpacked=False")}},
			[]string{"1.0.0 Failed from 0"}},
		"a hop that was left for another": {[]moment{{"1.0.0", 0, healthy()}, {"1.1.0", 1, rolling}, {"1.2.0", 2, rolling}},
			[]string{"1.2.0 Installing from 2", "1.1.0 Superseded from 1, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"there and back": {[]moment{{"1.0.0", 0, healthy()}, {"1.1.0", 1, overdue()}, {"1.0.0", 2, healthy()}},
			[]string{"1.0.0 Ready from 2, ready 2, until 2", "1.1.0 Failed from 1, until 2", "1.0.0 Ready from 0, ready 0, until 0"}},
		"the deployment has not seen its spec yet": {[]moment{{"1.0.0", 0, stale()}}, []string{"1.0.0 Installing from 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{}
			for minute, moment := range test.moments {
				clock := clocktesting.NewFakePassiveClock(noon.Add(time.Duration(minute) * time.Minute))
				s := &state{controller: &controller{clock: clock}, operator: operator, deployment: moment.deployment, record: at(moment.version),
					began: &beginning{Started: metav1.NewTime(noon.Add(time.Duration(moment.began) * time.Minute))}}
				s.reportHistory()
				before := operator.DeepCopy()
				s.reportHistory()
				if diff := cmp.Diff(before, operator); diff != "" {
					t.Errorf("a second look changes it (-before +after):\n%s", diff)
				}
			}
			var got []string
			minute := func(at *metav1.Time) int { return int(at.Sub(noon).Minutes()) }
			for _, entry := range operator.Status.History {
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

func TestHopsOfOneSecondAreToldApart(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	s := &state{controller: &controller{clock: clocktesting.NewFakePassiveClock(noon.Add(time.Second / 2))}, operator: &platformv1alpha1.PlatformOperator{}, deployment: healthy(), record: at("1.0.0")}
	for i, want := range []string{"12:00:00", "12:00:01", "12:00:02"} {
		s.began = &beginning{Started: s.startOfAHop(), Trigger: platformv1alpha1.TriggerAutomatic}
		s.reportHistory()
		s.reportHistory()
		newest := s.operator.Status.History[0]
		if len(s.operator.Status.History) != i+1 || newest.StartedTime.Format(time.TimeOnly) != want {
			t.Errorf("after hop %d history has %d entries, the newest from %s, want %s", i+1, len(s.operator.Status.History), newest.StartedTime.Format(time.TimeOnly), want)
		}
		for _, entry := range s.operator.Status.History {
			if entry.CompletedTime.Before(&entry.StartedTime) {
				t.Errorf("a hop from %s ended at %s", entry.StartedTime, entry.CompletedTime)
			}
		}
		if newest.ReadyTime.Before(&newest.StartedTime) {
			t.Errorf("hop %d was ready at %s, before it began at %s", i+1, newest.ReadyTime, newest.StartedTime)
		}
	}
}

func TestHistoryHasTheLastTen(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{}
	for i := range 15 {
		s := &state{controller: &controller{clock: clocktesting.NewFakePassiveClock(time.Unix(int64(i), 0))}, operator: operator,
			deployment: healthy(), record: at(fmt.Sprintf("1.%d.0", i)), began: &beginning{Started: metav1.Unix(int64(i), 0)}}
		s.reportHistory()
	}
	history := operator.Status.History
	if len(history) != platformv1alpha1.MaxHistory || history[0].Version != "1.14.0" || history[9].Version != "1.5.0" {
		t.Errorf("%d entries: %+v", len(history), history)
	}
}

func TestWhatIsInstalledSinceBeforeHistoryWasKept(t *testing.T) {
	deployment := healthy()
	deployment.CreationTimestamp = metav1.Unix(100, 0)
	operator := &platformv1alpha1.PlatformOperator{}
	s := &state{controller: &controller{clock: clocktesting.NewFakePassiveClock(time.Unix(200, 0))}, operator: operator, deployment: deployment, record: at("1.0.0")}
	s.reportHistory()
	s.reportHistory()
	if history := operator.Status.History; len(history) != 1 || !history[0].StartedTime.Equal(&deployment.CreationTimestamp) || history[0].State != platformv1alpha1.HistoryReady {
		t.Errorf("got %+v", history)
	}
}

func TestSpoiltRecordOfAHopIsNone(t *testing.T) {
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
			deployment := healthy()
			deployment.Annotations = map[string]string{platformv1alpha1.AnnotationHop: test.annotation}
			began := beginningOf(deployment)
			if (began != nil) != test.known {
				t.Fatalf("it is read as %+v", began)
			}
			if began != nil && began.Started.Nanosecond() != 0 {
				t.Errorf("status cannot keep %s", began.Started.Time)
			}
		})
	}
}

func TestHistoryIsNotWrittenByAnOldCache(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(noon.Add(time.Minute))
	operator := &platformv1alpha1.PlatformOperator{}
	operator.Status.History = []platformv1alpha1.HistoryEntry{
		{Version: "1.1.0", Bundle: at("1.1.0").Bundle, State: platformv1alpha1.HistoryInstalling, StartedTime: later, Trigger: platformv1alpha1.TriggerAutomatic},
		{Version: "1.0.0", Bundle: at("1.0.0").Bundle, State: platformv1alpha1.HistoryReady, StartedTime: noon, ReadyTime: &noon, CompletedTime: &noon, Trigger: platformv1alpha1.TriggerInstallation},
	}
	before := operator.DeepCopy()
	s := &state{controller: &controller{clock: clocktesting.NewFakePassiveClock(later.Add(time.Second))}, operator: operator, deployment: healthy(), record: at("1.0.0"),
		began: &beginning{Started: noon, Trigger: platformv1alpha1.TriggerInstallation}}
	s.reportHistory()
	if diff := cmp.Diff(before, operator); diff != "" {
		t.Errorf("a BundleDeployment from before the hop changes it (-before +after):\n%s", diff)
	}
}

func TestPauseMakesNoVersionReady(t *testing.T) {
	paused := func(deployment *corev1alpha2.BundleDeployment) *corev1alpha2.BundleDeployment {
		deployment.Spec.Paused = true
		deployment.Generation++
		deployment.Status.ObservedGeneration++
		return deployment
	}
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		state      platformv1alpha1.HistoryState
	}{
		"under way":                             {paused(healthy()), platformv1alpha1.HistoryInstalling},
		"rolled back for an earlier generation": {paused(rolledBackFrom()), platformv1alpha1.HistoryRolledBack},
	} {
		t.Run(name, func(t *testing.T) {
			c := running("1.1.0", "1.0.0")
			c.operator.Spec.Paused = true
			started := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			c.operator.Status.History = []platformv1alpha1.HistoryEntry{{Version: "1.1.0", Bundle: at("1.1.0").Bundle, State: test.state, StartedTime: started, Trigger: platformv1alpha1.TriggerAutomatic}}
			c.deployment.Generation, c.deployment.Spec.Paused, c.deployment.Status = test.deployment.Generation, true, test.deployment.Status
			c.deployment.Status.ActiveRevision = 1
			c.sync(t, oneCatalog{"1.0.0", "1.1.0"})
			if got := c.installed(); got != "1.0.0" {
				t.Errorf("status.installed is %s, because of objects that nobody compares", got)
			}
			if entry := c.operator.Status.History[0]; entry.State != test.state || entry.ReadyTime != nil {
				t.Errorf("history tells that it is %+v", entry)
			}
		})
	}
}
