package upgradestep

import (
	"cmp"
	"slices"
	"time"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Spec has the fields of a PlatformOperator's spec that upgrade steps depend on.
type Spec struct {
	// Hash is its SpecHash. Changed reports that no step has been decided by this spec yet.
	Hash    string
	Changed bool
	Paused  bool
	// VersionRange is spec.package.version; empty for any version.
	VersionRange string
	// Manual reports that upgrades need approval; ApprovedVersion is the version that has it, empty for none.
	Manual          bool
	ApprovedVersion string
}

// SpecOf returns the Spec of a PlatformOperator. The default approval applies if the PlatformOperator sets none.
func SpecOf(operator *platformv1alpha1.PlatformOperator, defaultApproval platformv1alpha1.Approval) Spec {
	spec := Spec{
		Hash: SpecHash(operator.Spec), Changed: operator.Generation != operator.Status.ObservedGeneration,
		Paused: operator.Spec.Paused, VersionRange: operator.Spec.Package.Version,
	}
	approval := defaultApproval
	if upgrades := operator.Spec.Upgrades; upgrades != nil {
		approval, spec.ApprovedVersion = cmp.Or(upgrades.Approval, defaultApproval), upgrades.ApprovedVersion
	}
	spec.Manual = approval == platformv1alpha1.ApprovalManual
	return spec
}

// Approves reports whether the spec approves the move to a version. The approval of the installed version has been used.
func (s Spec) Approves(candidate resolve.Candidate, installed *platformv1alpha1.InstalledBundle) bool {
	if !s.Manual || s.ApprovedVersion != candidate.Version.String() {
		return false
	}
	return installed == nil || installed.Version != candidate.Bundle.Version || installed.Release != candidate.Bundle.Release
}

// Input is the input of Decide.
type Input struct {
	Current Current
	Spec    Spec
	// Decision is the resolver's; the zero value if the resolver was not asked.
	Decision resolve.Decision
	// CatalogUnreadable reports that the catalog that Current.Recorded was chosen from cannot be read.
	CatalogUnreadable bool
	// ClusterUpdate is the version that the cluster itself is being updated to; empty if no update is in progress.
	ClusterUpdate string
	Now           time.Time
}

// chosen returns the bundle that the resolver chose. It must have chosen one.
func (in Input) chosen() platformv1alpha1.InstalledBundle { return BundleOf(*in.Decision.Chosen) }

// isApproved reports whether the spec approves the version that the resolver aims at.
func (in Input) isApproved() bool {
	return in.Decision.Target != nil && in.Spec.Approves(*in.Decision.Target, in.Current.Installed)
}

// isRebuilt reports whether the chosen bundle has the name of the recorded one.
func (in Input) isRebuilt() bool { return in.Current.Recorded.Bundle == in.chosen().Bundle }

// leavesStep reports whether the spec has changed since the step to Recorded started, and that step has not ended. A change after its end is
// about the next step.
func (in Input) leavesStep() bool {
	current := in.Current
	ended := current.Installed != nil && current.Recorded != nil && SameBundle(*current.Installed, *current.Recorded) && current.WasReady()
	return current.Start != nil && current.Start.SpecHash != in.Spec.Hash && (!ended || current.isRestoring())
}

// isStillWanted reports whether Recorded could still be moved to: it is available, or is on the path to what is. If it is unknown what the
// spec said when the step started, being on the path does not count: otherwise a version that the spec excludes would be held forever. A
// bundle that no catalog has is withdrawn only if the catalog that it was chosen from can be read.
func (in Input) isStillWanted() bool {
	isRunning := func(c resolve.Candidate) bool { return SameBundle(in.Current.running(), BundleOf(c)) }
	if slices.ContainsFunc(in.Decision.Available, isRunning) ||
		in.Current.Start != nil && slices.ContainsFunc(in.Decision.Updates, func(u resolve.Update) bool { return isRunning(u.Candidate) && u.Reachable }) {
		return true
	}
	return in.CatalogUnreadable && !slices.ContainsFunc(in.Decision.Refused, func(r resolve.Refusal) bool { return isRunning(r.Candidate) })
}

// isHeldByRollout reports whether the rollout of the recorded bundle holds the next step.
func (in Input) isHeldByRollout() bool {
	return RolloutOf(in.Current.Deployment).HoldsNextStep() && !in.leavesStep() && in.isStillWanted()
}

// start records the start of a step to another bundle than the recorded one.
func (in Input) start() *StepStart {
	current := in.Current
	start := &StepStart{Started: startTime(in.Now, current.History), SpecHash: in.Spec.Hash, Trigger: in.trigger()}
	start.Restores = current.Start != nil && current.Start.Restores && current.Deployment != nil && current.Deployment.Status.ActiveRevision == 0
	return start
}

// trigger returns what makes a step to another bundle start.
func (in Input) trigger() platformv1alpha1.Trigger {
	current, path := in.Current, in.Decision.Path
	switch {
	case current.Installed == nil:
		return platformv1alpha1.TriggerInstallation
	case len(path) > 0 && slices.ContainsFunc(path[0].Sources, func(source upgrade.Source) bool { return source.Kind == upgrade.FromSelfCertified }):
		return platformv1alpha1.TriggerSelfCertified
	case in.isApproved():
		return platformv1alpha1.TriggerApproved
	case current.Start != nil && current.Start.SpecHash != in.Spec.Hash && (in.Spec.Changed || in.leavesStep()):
		return platformv1alpha1.TriggerSpecChange
	}
	return platformv1alpha1.TriggerAutomatic
}
