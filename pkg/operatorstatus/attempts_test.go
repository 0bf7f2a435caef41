package operatorstatus

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// The sync that copies annotation retry to the BundleDeployment also writes status. The status of the BundleDeployment is then still about
// the attempt that failed, and its generation has not changed.
func TestHRD_U3_AnAttemptThatWasRequestedIsNotReportedAsFailed(t *testing.T) {
	for name, test := range map[string]struct {
		failed *corev1alpha2.BundleDeployment
		state  platformv1alpha1.HistoryState
	}{
		"after a rollback": {steptest.Active(steptest.RolledBack()), platformv1alpha1.HistoryRolledBack},
		"while it is held": {steptest.Active(steptest.Overdue()), platformv1alpha1.HistoryFailed},
	} {
		t.Run(name, func(t *testing.T) {
			test.failed.Status.ObservedAttempt = attempt.Of(test.failed)
			former := metav1.NewTime(noon.Add(-time.Hour))
			operator := &platformv1alpha1.PlatformOperator{}
			operator.Status.Installed = steptest.Bundle("1.0.0")
			operator.Status.History = []platformv1alpha1.HistoryEntry{{
				Version: "1.1.0", Bundle: "op.v1.1.0", State: test.state, Trigger: platformv1alpha1.TriggerAutomatic, StartedTime: former,
			}}
			in := upgradestep.Input{
				Current: upgradestep.Current{
					Recorded: steptest.Bundle("1.1.0"), Installed: steptest.Bundle("1.0.0"), Deployment: test.failed, History: operator.Status.History,
					Start: &upgradestep.StepStart{Started: former, Trigger: platformv1alpha1.TriggerAutomatic},
				},
				Settings: upgradestep.RetryRequested, Decision: steptest.Choosing("1.1.0", "1.0.0"), Now: noon,
			}
			step := upgradestep.Decide(in)
			if step.Start == nil || step.Start.Trigger != platformv1alpha1.TriggerRetry {
				t.Fatalf("the step is %+v", step)
			}
			updated := in.Current
			updated.Start, updated.Deployment = step.Start, test.failed.DeepCopy()
			updated.Deployment.Annotations = map[string]string{platformv1alpha1.AnnotationRetry: "1"}
			after := operator.DeepCopy()
			after.Status = Compute(Input{Operator: operator, Current: updated, Decided: in, Step: step, Now: noon}).Status
			if history := after.Status.History; len(history) != 2 || history[0].State != platformv1alpha1.HistoryInstalling || history[1].State != test.state {
				t.Errorf("history is %+v", history)
			}
			if events := Events(operator, after, updated.Deployment, noon); len(events) > 0 {
				t.Errorf("Events before the attempt began: %+v", events)
			}
		})
	}
}
