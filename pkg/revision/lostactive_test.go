package revision

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// stepInput returns the input for the decision of a PlatformOperator whose version 1.0.0 was ready. If isRolledBack is true, version 1.1.0
// was rolled back since. The revisions of the BundleDeployment stand for these versions.
func (f *fixture) stepInput(isRolledBack bool, choosing ...string) upgradestep.Input {
	ready := metav1.NewTime(start)
	current := upgradestep.Current{
		Deployment: f.deployment.DeepCopy(), Recorded: steptest.Bundle("1.0.0"), Installed: steptest.Bundle("1.0.0"),
		History: []platformv1alpha1.HistoryEntry{{
			Version: "1.0.0", Bundle: steptest.Bundle("1.0.0").Bundle, State: platformv1alpha1.HistoryReady, ReadyTime: &ready, StartedTime: ready,
		}},
	}
	if isRolledBack {
		current.Recorded = steptest.Bundle("1.1.0")
		current.History = append([]platformv1alpha1.HistoryEntry{{
			Version: "1.1.0", Bundle: current.Recorded.Bundle, State: platformv1alpha1.HistoryRolledBack, StartedTime: ready,
		}}, current.History...)
	}
	current.Deployment.Status.ResolvedSource = nil // the revisions have other images
	return upgradestep.Input{Current: current, Decision: steptest.Choosing(choosing...), Now: start}
}

// operatorStatus returns the status of the PlatformOperator for the input of its decision.
func operatorStatus(in upgradestep.Input) platformv1alpha1.PlatformOperatorStatus {
	operator := &platformv1alpha1.PlatformOperator{}
	operator.Name = "memo"
	operator.Status.Installed, operator.Status.History = in.Current.Installed, in.Current.History
	return operatorstatus.Compute(operatorstatus.Input{
		Operator: operator, Current: in.Current, Decided: in, Step: upgradestep.Decide(in), Now: in.Now,
	}).Status
}

// settledFixture returns a fixture whose revision 1 is active and desired.
func settledFixture(t *testing.T) (*fixture, *controller) {
	t.Helper()
	f := newFixture(t)
	f.desired.Source = f.history.Stored[0].Source
	c := &controller{now: start, report: healthy, pruned: Removal{Done: true}}
	f.syncs(t, 2, c, nil)
	return f, c
}

func TestAfterTheActiveRevisionIsLostTheNextStepIsHeldAsBefore(t *testing.T) {
	for name, test := range map[string]struct {
		prepare      func(*testing.T) (*fixture, *controller)
		stored       int // the number of the newest revisions that are not lost
		isRolledBack bool
		update       string
	}{
		"the failed revision is left":                           {rolledBackFixture, 1, true, ""},
		"the failed revision is left, during a cluster update":  {rolledBackFixture, 1, true, "4.21.0"},
		"no revision is left, and the image cannot be pulled":   {rolledBackFixture, 0, true, ""},
		"nothing is left of what is active, and the same again": {settledFixture, 0, false, "4.21.0"},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := test.prepare(t)
			c.content, c.report = Content{Err: errors.New("the registry is down")}, unhealthy
			f.restart(f.history.Stored[len(f.history.Stored)-test.stored:]...)
			f.syncs(t, 2, c, nil)
			in := f.stepInput(test.isRolledBack, "1.2.0", "1.1.0", "1.0.0")
			in.ClusterUpdate, in.Spec.Manual = test.update, true
			if f.deployment.Status.ActiveRevision != 0 || in.Current.UpgradesFrom() != "1.0.0" {
				t.Errorf("revision %d is active, and versions from %q may be chosen", f.deployment.Status.ActiveRevision, in.Current.UpgradesFrom())
			}
			step := upgradestep.Decide(in)
			if step.Action != upgradestep.Hold || step.Start != nil {
				t.Errorf("the step is %s, for the rollout %s", step.Action, upgradestep.RolloutOf(f.deployment).State)
			}
			if upgradestep.IsRolledBack(f.deployment) {
				t.Error("a version is reported as restored")
			}
		})
	}
}

func TestThePlatformOperatorReportsWhatBlocksItsBundleDeployment(t *testing.T) {
	for name, test := range map[string]struct {
		prepare      func(*testing.T) (*fixture, *controller)
		isRolledBack bool
		want         string
	}{
		"nothing is applied or repaired": {func(t *testing.T) (*fixture, *controller) {
			f, c := rolledBackFixture(t)
			f.restart(f.history.Stored[1])
			c.report = unhealthy
			return f, c
		}, true, "nothing is applied or repaired"},
		"the stored copy of the active revision is lost": {func(t *testing.T) (*fixture, *controller) {
			f, c := settledFixture(t)
			f.history.Stored[0].Unstored = errors.New("its Secrets are gone")
			return f, c
		}, false, "its Secrets are gone"},
		"objects of an earlier version cannot be removed": {func(t *testing.T) (*fixture, *controller) {
			f, c := settledFixture(t)
			f.history.Stored[1].Pruned, c.pruned = false, Removal{Waiting: "a finalizer", Blocked: true}
			return f, c
		}, false, "a finalizer"},
		"the class is unknown": {func(t *testing.T) (*fixture, *controller) {
			f, c := settledFixture(t)
			f.unknown = "The class does not exist."
			return f, c
		}, false, "the Unpacked condition of the BundleDeployment"},
	} {
		t.Run(name, func(t *testing.T) {
			f, c := test.prepare(t)
			f.syncs(t, 3, c, nil)
			choosing := []string{"1.0.0"}
			if test.isRolledBack {
				choosing = []string{"1.1.0", "1.0.0"}
			}
			status := operatorStatus(f.stepInput(test.isRolledBack, choosing...))
			progressing := meta.FindStatusCondition(status.Conditions, platformv1alpha1.ConditionProgressing)
			if progressing.Reason != platformv1alpha1.ReasonBlocked || !strings.Contains(progressing.Message, test.want) {
				t.Errorf("Progressing is %s/%s: %s", progressing.Status, progressing.Reason, progressing.Message)
			}
			if status.Target != nil || status.Installed.Version != "1.0.0" {
				t.Errorf("version %s is installed, and the target is %+v", status.Installed.Version, status.Target)
			}
			if test.isRolledBack && status.History[0].State != platformv1alpha1.HistoryRolledBack {
				t.Errorf("in history, the last step is %s", status.History[0].State)
			}
		})
	}
}

// The class is deleted for a moment, and the spec is edited meanwhile.
func TestNothingIsTriedAgainWhileTheClassIsUnknown(t *testing.T) {
	f, c := rolledBackFixture(t)
	f.unknown = "The class does not exist."
	f.deployment.Generation++
	f.syncs(t, 2, c, nil)
	in := f.stepInput(true, "1.1.0", "1.0.0")
	if step := upgradestep.Decide(in); step.Start != nil {
		t.Errorf("an attempt is recorded, by %s", step.Start.Trigger)
	}
	if state := operatorStatus(in).History[0].State; state != platformv1alpha1.HistoryRolledBack {
		t.Errorf("in history, the step is %s", state)
	}
}
