package operators

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// byProgress maps reasons of the Progressing condition to the states that they decide.
var byProgress = map[string]State{
	platformv1alpha1.ReasonInstalling:       Installing,
	platformv1alpha1.ReasonUpgrading:        Upgrading,
	platformv1alpha1.ReasonRollingBack:      RollingBack,
	platformv1alpha1.ReasonRemoving:         Removing,
	platformv1alpha1.ReasonDeadlineExceeded: Failed,
}

// byWait maps reasons of the Progressing condition to the states that they decide if the operator is installed and healthy. A pause and the
// approval of a plan decide the state also before the first installation.
var byWait = map[string]State{
	platformv1alpha1.ReasonPaused:           Paused,
	platformv1alpha1.ReasonBlocked:          Blocked,
	platformv1alpha1.ReasonAwaitingApproval: AwaitingApproval,
}

// stillInstalling holds the reasons of a False Installed condition that go away by themselves.
var stillInstalling = map[string]bool{
	platformv1alpha1.ReasonUnpackPending:  true,
	platformv1alpha1.ReasonInstallPending: true,
}

// ManagerNamespace is the namespace that the manager runs in.
const ManagerNamespace = "openshift-platform-operators"

// addState adds the state, and the condition that decides it.
func (o *Operator) addState(operator *platformv1alpha1.PlatformOperator) {
	conditions := operator.Status.Conditions
	installed := conditionOf(conditions, platformv1alpha1.ConditionInstalled)
	progressing := conditionOf(conditions, platformv1alpha1.ConditionProgressing)
	healthy := conditionOf(conditions, platformv1alpha1.ConditionHealthy)
	o.Waiting = progressing.Reason == platformv1alpha1.ReasonAwaitingApproval || progressing.Reason == platformv1alpha1.ReasonPaused
	inProgress, decidesProgress := byProgress[progressing.Reason]
	waits, decidesWait := byWait[progressing.Reason]
	switch {
	case operator.DeletionTimestamp != nil:
		o.decide(Removing, progressing)
	case len(conditions) == 0:
		o.State, o.Waiting = Pending, true
		o.Message = "The manager has not reported a status yet. Check its Pods in namespace " + ManagerNamespace + "."
	case decidesProgress:
		o.decide(inProgress, progressing)
	case installed.Status == metav1.ConditionFalse && waits == Paused:
		o.decide(Paused, progressing)
	case installed.Status == metav1.ConditionFalse && stillInstalling[installed.Reason] && waits == AwaitingApproval:
		o.decide(AwaitingApproval, progressing)
	case installed.Status == metav1.ConditionFalse && stillInstalling[installed.Reason]:
		o.decide(Installing, installed)
	case installed.Status == metav1.ConditionFalse:
		o.decide(NotInstalled, installed)
	case healthy.Status == metav1.ConditionFalse:
		o.decide(Unhealthy, healthy)
	case decidesWait:
		o.decide(waits, progressing)
	case installed.Status != metav1.ConditionTrue:
		o.decideUnknown(platformv1alpha1.ConditionInstalled, installed)
	case healthy.Status != metav1.ConditionTrue:
		o.decideUnknown(platformv1alpha1.ConditionHealthy, healthy)
	default:
		o.State = Healthy
	}
}

func (o *Operator) decide(state State, by metav1.Condition) {
	o.State, o.Reason, o.Message = state, by.Reason, by.Message
}

// decideUnknown sets the state Unknown because of the condition name. If the condition is absent, as in the status of an older manager, the
// message says so.
func (o *Operator) decideUnknown(name string, by metav1.Condition) {
	o.decide(Unknown, by)
	if by.Status == "" {
		o.Message = "The manager does not report the condition " + name + "."
	}
}

// conditionOf returns a condition; the zero value if it is absent.
func conditionOf(conditions []metav1.Condition, name string) metav1.Condition {
	if found := meta.FindStatusCondition(conditions, name); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// IsChanging reports whether an installation, an upgrade step, a rollback or a removal is in progress.
func (s State) IsChanging() bool {
	switch s {
	case Installing, Upgrading, RollingBack, Removing:
		return true
	}
	return false
}
