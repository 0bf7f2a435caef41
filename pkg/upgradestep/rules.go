package upgradestep

import (
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// rule gives the step for the inputs that meet its guard and no guard before it.
type rule struct {
	name string
	when func(Input) bool
	then func(Input) Step
}

// rules are tried in order; the first whose guard holds decides. A guard may rely on what the guards before it ruled out: after the rule
// "nothing is recorded" there is a chosen and a recorded bundle and a BundleDeployment.
//
// The principles behind the order: A deletion by somebody else is undone before anything else. A step starts when the step before it is
// complete and status shows it. A version whose rollout is not complete holds the next step, because to move on over a failure hides it and
// may make it worse. It is left as soon as it is no longer wanted: the spec has changed since the step started, or the author withdrew it. A
// version of which nothing runs (unusable, rolled back) holds nothing. During a cluster update no step starts but first installations,
// approved steps, and those that leave a step which is stuck.
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

// isRecordNeeded reports whether status must be updated from the record of the recorded bundle before that of the chosen one replaces it.
func isRecordNeeded(in Input) bool {
	return in.Current.isStatusBehind() && !SameBundle(*in.Current.Recorded, in.chosen())
}

func isRebuiltBeforeApproval(in Input) bool {
	return in.Spec.Manual && in.Decision.Awaiting != nil && in.isRebuilt()
}

func isRebuiltWithoutApproval(in Input) bool {
	return in.Spec.Manual && !in.isApproved() && in.Current.WasReady() && in.isRebuilt()
}

func isHeldByRestoration(in Input) bool { return in.isHeldByRollout() && in.Current.isRestoring() }

func isHeldByClusterUpdate(in Input) bool {
	return in.ClusterUpdate != "" && in.Current.Installed != nil && in.Current.WasReady() && !in.isApproved() && !in.leavesStep()
}

// stay keeps the recorded bundle.
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

// begin starts a step to the chosen bundle.
func begin(action Action) func(Input) Step {
	return func(in Input) Step {
		bundle := in.chosen()
		return Step{Action: action, Bundle: &bundle, Start: in.start()}
	}
}

// restore starts the step back to what was installed.
func restore(in Input) Step {
	return Step{Action: Restore, Bundle: in.Current.Recorded, Start: &StepStart{
		Started: startTime(in.Now, in.Current.History), Trigger: platformv1alpha1.TriggerRestored, SpecHash: in.Spec.Hash, Restores: true,
	}}
}

// keepChosen keeps the running bundle, and updates what the catalog declares of it.
func keepChosen(in Input) Step {
	bundle := in.withRecordedImage()
	return Step{Action: Keep, Bundle: &bundle, Reason: ReasonUpToDate}
}

// withRecordedImage returns the chosen bundle by the reference that the BundleDeployment has: a new reference to the same image would be
// rolled out as if it were new content. A reference to the same digest in another registry is used if nothing can come of it but a pull that
// succeeds: if the image cannot be pulled, or the rollout is complete.
func (in Input) withRecordedImage() platformv1alpha1.InstalledBundle {
	chosen, deployment := in.chosen(), in.Current.Deployment
	unpullable := deployment != nil && meta.IsStatusConditionFalse(deployment.Status.Conditions, corev1alpha2.ConditionUnpacked)
	complete := deployment != nil && IsComplete(deployment, false)
	if digestOf(in.Current.Recorded.Image) != digestOf(chosen.Image) || !unpullable && !complete {
		chosen.Image = in.Current.Recorded.Image
	}
	return chosen
}
