package upgradestep

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// rule is one row of the decision table: a guard (when) and the function that returns the step (then). It applies to inputs that meet its
// guard and no guard before it.
type rule struct {
	name string
	when func(Input) bool
	then func(Input) Step
}

// rules are in the order in which Decide tries them: the first rule whose guard is true decides. A guard may rely on the guards before it.
// After the rule "nothing is recorded", for example, a chosen bundle, a recorded bundle and a BundleDeployment exist.
//
// The order follows these principles. First of all, the manager undoes a deletion by somebody else. A step starts when the step before it
// is complete and status shows that. A version whose rollout is not complete holds the next step, because a new step would hide the failure
// and may aggravate it. The version stops holding the next step when it is not wanted any more: the spec has changed since the step
// started, or the author withdrew the version. A version of which nothing runs (unusable, rolled back) holds nothing. During a cluster
// update, the only steps that start are first installations, approved steps, and steps away from an unfinished step.
var rules = []rule{
	{"spec.paused is set", func(in Input) bool { return in.Spec.Paused }, stay(Keep, ReasonPaused)},
	{"the BundleDeployment is being deleted", isDeploymentDeleted, stay(Wait, ReasonDeploymentDeleted)},
	{"the BundleDeployment was deleted", isDeploymentGone, restore},
	{"nothing is chosen", func(in Input) bool { return in.Decision.Chosen == nil }, stay(Keep, ReasonNothingChosen)},
	{"nothing is recorded", func(in Input) bool { return in.Current.Recorded == nil }, begin(Install)},
	{"the running bundle is chosen by another reference, and status is behind", isReferenceAheadOfStatus, stay(Wait, ReasonStatusBehind)},
	{"the running bundle is chosen", isRunningChosen, keepChosen},
	{"the bundle was rebuilt, and a later version awaits approval", isRebuiltBeforeApproval, stay(Wait, ReasonAwaitingApproval)},
	{"the bundle was rebuilt, and approval is manual", isRebuiltWithoutApproval, stay(Hold, ReasonRebuiltNeedsApproval)},
	{"what is restored is not healthy yet", isHeldByRestoration, stay(Wait, ReasonRestoring)},
	{"the recorded bundle is not healthy and still wanted", Input.isHeldByRollout, stay(Hold, ReasonUnhealthy)},
	{"the cluster is being updated", isHeldByClusterUpdate, stay(Hold, ReasonClusterUpdating)},
	{"status is behind", isRecordNeeded, stay(Wait, ReasonStatusBehind)},
	{"another bundle is chosen", func(Input) bool { return true }, begin(Move)},
}

func isDeploymentDeleted(in Input) bool {
	return in.Current.Deployment != nil && in.Current.Deployment.DeletionTimestamp != nil
}

func isDeploymentGone(in Input) bool {
	return in.Current.Deployment == nil && in.Current.Recorded != nil
}

func isRunningChosen(in Input) bool { return SameBundle(in.Current.running(), in.chosen()) }

func isReferenceAheadOfStatus(in Input) bool {
	return isRunningChosen(in) && in.Current.isStatusBehind() && !SameBundle(*in.Current.Recorded, in.withRecordedImage())
}

// isRecordNeeded reports whether status must be updated from the record of the recorded bundle, before the record of a different bundle
// replaces it.
func isRecordNeeded(in Input) bool {
	return in.Current.isStatusBehind() && !SameBundle(*in.Current.Recorded, in.chosen())
}

func isRebuiltBeforeApproval(in Input) bool {
	return in.Spec.Manual && in.Decision.Awaiting != nil && in.isRebuilt()
}

func isRebuiltWithoutApproval(in Input) bool {
	return in.Spec.Manual && !in.isApproved() && in.Current.WasReady() && in.isRebuilt()
}

// isHeldByRestoration reports whether the manager restores what was installed. A restoration that waits for an approval holds the next step,
// too: the version in status.installed must come first.
func isHeldByRestoration(in Input) bool {
	if !in.Current.isRestoring() {
		return false
	}
	isAwaiting := RolloutOf(in.Current.Deployment).State == RolloutAwaitingApproval
	return in.isHeldByRollout() || isAwaiting && !in.leavesStep() && in.isStillWanted()
}

func isHeldByClusterUpdate(in Input) bool {
	return in.ClusterUpdate != "" && in.Current.Installed != nil && in.Current.WasReady() && !in.isApproved() && !in.leavesStep()
}

// stay returns the function of a rule whose step keeps the recorded bundle. For Wait and Hold, the step also contains the chosen bundle as
// Next.
func stay(action Action, reason Reason) func(Input) Step {
	return func(in Input) Step {
		step := Step{Action: action, Reason: reason}
		if in.Current.Deployment != nil {
			step.Bundle = in.Current.Recorded
		}
		if action != Keep && in.Decision.Chosen != nil {
			next := in.chosen()
			step.Next = &next
		}
		return step
	}
}

// begin returns the function of a rule that starts a step to the chosen bundle.
func begin(action Action) func(Input) Step {
	return func(in Input) Step {
		bundle := in.chosen()
		return Step{Action: action, Bundle: &bundle, Start: in.start()}
	}
}

// restore returns the step that restores the bundle that was installed before the BundleDeployment was deleted.
func restore(in Input) Step {
	return Step{Action: Restore, Bundle: in.Current.Recorded, Start: &StepStart{
		Started: startTime(in.Now, in.Current.History), Trigger: platformv1alpha1.TriggerRestored, SpecHash: in.Spec.Hash, Restores: true,
	}}
}

// keepChosen returns the step that keeps the running bundle, with the declarations that the catalog currently contains for it.
func keepChosen(in Input) Step {
	bundle := in.withRecordedImage()
	return Step{Action: Keep, Bundle: &bundle, Reason: ReasonUpToDate}
}

// withRecordedImage returns the chosen bundle, but keeps the image reference in the BundleDeployment, because another reference would be
// rolled out as if it were new content. It takes the chosen bundle's reference to the same digest only in two cases in which that does no
// harm: the image cannot be pulled from the recorded reference, or the rollout is complete.
func (in Input) withRecordedImage() platformv1alpha1.InstalledBundle {
	chosen, deployment := in.chosen(), in.Current.Deployment
	unpullable := deployment != nil && meta.IsStatusConditionFalse(deployment.Status.Conditions, corev1alpha2.ConditionUnpacked)
	complete := deployment != nil && IsComplete(deployment, false)
	if digestOf(in.Current.Recorded.Image) != digestOf(chosen.Image) || !unpullable && !complete {
		chosen.Image = in.Current.Recorded.Image
	}
	return chosen
}
