package upgradestep

import (
	"cmp"
	"slices"
	"time"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Spec holds the fields of a PlatformOperator's spec that upgrade steps depend on.
type Spec struct {
	// Hash is the SpecHash of the spec. Changed reports whether the generation of the PlatformOperator is newer than the observed one.
	Hash    string
	Changed bool
	Paused  bool
	// VersionRange is spec.package.version; empty for any version.
	VersionRange string
	// Manual reports whether upgrades need approval. ApprovedVersion is the approved version; empty if none is approved.
	Manual          bool
	ApprovedVersion string
}

// SpecOf returns the Spec of a PlatformOperator. It uses defaultApproval if the PlatformOperator does not set an approval.
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

// Approves reports whether spec.upgrades.approvedVersion approves the step to a candidate. It returns false if upgrades need no approval,
// and for the installed version and release, whose approval has been used. installed is nil if nothing is installed.
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
	// Settings says what changes, besides the bundle, when the spec is copied to the BundleDeployment; NoChange if nothing does.
	Settings SettingsChange
	// Decision is the resolver's decision; the zero value if the resolver did not run.
	Decision resolve.Decision
	// CatalogUnreadable reports whether the catalog from which Current.Recorded was chosen cannot be read.
	CatalogUnreadable bool
	// ClusterUpdate is the version that the cluster itself is being updated to; empty if no update is in progress.
	ClusterUpdate string
	Now           time.Time
}

// chosen returns the bundle that the resolver chose. Decision.Chosen must not be nil.
func (in Input) chosen() platformv1alpha1.InstalledBundle { return BundleOf(*in.Decision.Chosen) }

// isApproved reports whether the spec approves the resolver's target version.
func (in Input) isApproved() bool {
	return in.Decision.Target != nil && in.Spec.Approves(*in.Decision.Target, in.Current.Installed)
}

// isRebuilt reports whether the chosen bundle has the same name as the recorded one, so that a step between them changes only the image.
// Both bundles must exist.
func (in Input) isRebuilt() bool { return in.Current.Recorded.Bundle == in.chosen().Bundle }

// leavesStep reports whether the spec has changed since the step to Recorded started, and the step has not ended. A change after the end of
// the step concerns only the next step.
func (in Input) leavesStep() bool {
	current := in.Current
	ended := current.Installed != nil && current.Recorded != nil && SameBundle(*current.Installed, *current.Recorded) && current.WasReady()
	return current.Start != nil && current.Start.SpecHash != in.Spec.Hash && (!ended || current.isRestoring())
}

// isStillWanted reports whether the running bundle could still be chosen: it is available, or it is on the path to an available version. If
// the start of its step is unknown, the path is ignored, because otherwise a version that the spec excludes would hold the next step
// forever. A bundle that no catalog contains is still wanted while the catalog from which it was chosen cannot be read.
func (in Input) isStillWanted() bool {
	isRunning := func(c resolve.Candidate) bool { return SameBundle(in.Current.running(), BundleOf(c)) }
	if slices.ContainsFunc(in.Decision.Available, isRunning) ||
		in.Current.Start != nil && slices.ContainsFunc(in.Decision.Updates, func(u resolve.Update) bool { return isRunning(u.Candidate) && u.Reachable }) {
		return true
	}
	return in.CatalogUnreadable && !slices.ContainsFunc(in.Decision.Refused, func(r resolve.Refusal) bool { return isRunning(r.Candidate) })
}

// isHeldByRollout reports whether the rollout of the recorded bundle holds the next step. It does not if the bundle is no longer wanted.
func (in Input) isHeldByRollout() bool {
	return RolloutOf(in.Current.Deployment).HoldsNextStep() && !in.leavesStep() && in.isStillWanted()
}

// start returns the StepStart to record for a step to the chosen bundle. It keeps Restores until a revision of the restored
// BundleDeployment is active.
func (in Input) start() *StepStart {
	current := in.Current
	start := &StepStart{Started: startTime(in.Now, current.History), SpecHash: in.Spec.Hash, Trigger: in.trigger()}
	start.Restores = current.Start != nil && current.Start.Restores && current.Deployment != nil && current.Deployment.Status.ActiveRevision == 0
	return start
}

// trigger returns the reason why a step to the chosen bundle starts.
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
