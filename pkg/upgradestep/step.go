package upgradestep

import (
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Action is what the controller does with the bundle of a BundleDeployment.
type Action string

// Actions. Install, Move and Restore start an upgrade step; the others do not.
const (
	// Install starts the first bundle of a PlatformOperator, or a bundle while the recorded one is unknown.
	Install Action = "Install"
	// Move replaces the recorded bundle with a different one.
	Move Action = "Move"
	// Restore creates a deleted BundleDeployment again, with the bundle that it had.
	Restore Action = "Restore"
	// Keep stays with the recorded bundle, because the spec is paused or no other bundle is chosen.
	Keep Action = "Keep"
	// Wait stays with the recorded bundle temporarily. Another part of status reports the reason.
	Wait Action = "Wait"
	// Hold stays with the recorded bundle although a different one is wanted. Message returns the reason and the remedy.
	Hold Action = "Hold"
)

// Reason is the reason why no upgrade step starts; empty if one starts.
type Reason string

// Reasons of Keep.
const (
	// ReasonPaused: spec.paused is set.
	ReasonPaused Reason = "Paused"
	// ReasonNothingChosen: the resolver chose no bundle, or did not run.
	ReasonNothingChosen Reason = "NothingChosen"
	// ReasonUpToDate: the chosen bundle is the recorded one.
	ReasonUpToDate Reason = "UpToDate"
)

// Reasons of Wait.
const (
	// ReasonDeploymentDeleted: the BundleDeployment is being deleted.
	ReasonDeploymentDeleted Reason = "DeploymentDeleted"
	// ReasonStatusBehind: the last step is complete, and status must show it before the next one starts.
	ReasonStatusBehind Reason = "StatusBehind"
	// ReasonAwaitingApproval: the recorded bundle was rebuilt, and a later version awaits approval.
	ReasonAwaitingApproval Reason = "AwaitingApproval"
	// ReasonRestoring: the recorded bundle is being restored.
	ReasonRestoring Reason = "Restoring"
)

// Reasons of Hold.
const (
	// ReasonRebuiltNeedsApproval: the recorded bundle was rebuilt, and no version distinguishes the two images for an approval.
	ReasonRebuiltNeedsApproval Reason = "RebuiltNeedsApproval"
	// ReasonUnhealthy: the rollout of the recorded bundle is not complete.
	ReasonUnhealthy Reason = "Unhealthy"
	// ReasonClusterUpdating: the cluster itself is being updated.
	ReasonClusterUpdating Reason = "ClusterUpdating"
)

// Step is the decision whether an upgrade step starts, and with which bundle.
type Step struct {
	Action Action
	// Bundle is the bundle that the BundleDeployment runs from now on; nil if there is none to run.
	Bundle *platformv1alpha1.InstalledBundle
	// Start must be recorded with Bundle; nil if no step starts.
	Start *StepStart
	// Reason is the reason why no step to a different bundle starts; empty if one starts.
	Reason Reason
	// Postponed reports whether the BundleDeployment must stay as it is in this sync, because status must show the last step before the
	// settings change.
	Postponed bool
	// Next is the chosen bundle to which no step has started yet, for Wait and Hold; nil if the resolver chose none.
	Next *platformv1alpha1.InstalledBundle
}

// Decide decides whether an upgrade step starts. It applies the first rule whose guard is true. If no step to a different bundle starts, a
// change to the settings may start a step to the same bundle.
func Decide(in Input) Step {
	return withSettings(in, firstRule(in).then(in))
}

func firstRule(in Input) rule {
	for _, each := range rules {
		if each.when(in) {
			return each
		}
	}
	return rules[len(rules)-1] // not reached: the last rule always applies
}
