package upgradestep_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// running returns the input for a PlatformOperator that runs 1.0.0, which status shows as installed and ready. It applies the changes.
func running(decision resolve.Decision, change ...func(*upgradestep.Input)) upgradestep.Input {
	in := upgradestep.Input{
		Current: upgradestep.Current{
			Recorded: steptest.Bundle("1.0.0"), Installed: steptest.Bundle("1.0.0"), Deployment: steptest.Active(steptest.Healthy()),
			Start: &upgradestep.StepStart{Started: metav1.NewTime(noon.Add(-time.Hour)), Trigger: platformv1alpha1.TriggerInstallation, SpecHash: "same"},
		},
		Spec: upgradestep.Spec{Hash: "same"}, Decision: decision, Now: noon,
	}
	in.Current.History = shownAsReady(in.Current)
	for _, each := range change {
		each(&in)
	}
	return in
}

func deployment(deployment *corev1alpha2.BundleDeployment) func(*upgradestep.Input) {
	return func(in *upgradestep.Input) { in.Current.Deployment = deployment }
}

func manual(approved string) func(*upgradestep.Input) {
	return func(in *upgradestep.Input) { in.Spec.Manual, in.Spec.ApprovedVersion = true, approved }
}

func clusterUpdate(in *upgradestep.Input) { in.ClusterUpdate = "4.21.0" }

func specChanged(in *upgradestep.Input) { in.Spec.Hash = "changed" }

func paused(in *upgradestep.Input) { in.Spec.Paused = true }

func statusBehind(in *upgradestep.Input) { in.Current.History = nil }

// restoring is a change after which 1.0.0 is being restored, because its BundleDeployment was deleted.
func restoring(in *upgradestep.Input) {
	in.Current.Start = &upgradestep.StepStart{Started: metav1.NewTime(noon), Trigger: platformv1alpha1.TriggerRestored, SpecHash: "same", Restores: true}
}

// moving is a change after which the step from 0.9.0 to 1.0.0 is under way.
func moving(in *upgradestep.Input) { in.Current.Installed = steptest.Bundle("0.9.0") }

func beingDeleted(in *upgradestep.Input) {
	in.Current.Deployment = steptest.Active(steptest.Healthy())
	in.Current.Deployment.DeletionTimestamp = &metav1.Time{Time: noon}
}

func nothingRecorded(in *upgradestep.Input) { in.Current.Recorded, in.Current.Start = nil, nil }

// recordLost is a change after which the record of the bundle is missing, and the record of the step's start is not.
func recordLost(in *upgradestep.Input) { in.Current.Recorded = nil }

// rebuilt returns the decision for another image of 1.0.0. If awaiting is true, 1.1.0 awaits approval.
func rebuilt(awaiting bool) resolve.Decision {
	decision := steptest.Choosing("1.0.0")
	decision.Available[0].Bundle.Image = "registry.invalid/op" + anotherDigest
	if awaiting {
		next := steptest.Candidate("1.1.0")
		decision.Awaiting = &next
	}
	return decision
}

func byDigest(in *upgradestep.Input) {
	in.Current.Recorded.Image, in.Current.Installed.Image = "registry.invalid/op"+oneDigest, "registry.invalid/op"+oneDigest
}

// TestEachRuleDecides has at least one case for each rule. The cases are examples of the specification: a change of a rule changes a case.
func TestEachRuleDecides(t *testing.T) {
	newer, withdrawn, none := steptest.Choosing("1.1.0", "1.0.0"), steptest.Choosing("1.1.0"), resolve.Decision{}
	otherTag := steptest.Choosing("1.0.0")
	otherTag.Available[0].Bundle.Image = "registry.invalid/op:again"
	installedByDigest := func(in *upgradestep.Input) { in.Current.Installed.Image = "registry.invalid/op" + oneDigest }
	covered := map[string]bool{}
	for _, test := range []struct {
		in     upgradestep.Input
		rule   string
		action upgradestep.Action
		reason upgradestep.Reason
		bundle string // the version to run
	}{
		{running(newer, paused), "spec.paused is set", upgradestep.Keep, upgradestep.ReasonPaused, "1.0.0"},
		{running(newer, paused, beingDeleted), "spec.paused is set", upgradestep.Keep, upgradestep.ReasonPaused, "1.0.0"},
		{running(newer, paused, deployment(nil)), "spec.paused is set", upgradestep.Keep, upgradestep.ReasonPaused, ""},
		{running(newer, beingDeleted), "the BundleDeployment is being deleted", upgradestep.Wait, upgradestep.ReasonDeploymentDeleted, "1.0.0"},
		{running(none, beingDeleted), "the BundleDeployment is being deleted", upgradestep.Wait, upgradestep.ReasonDeploymentDeleted, "1.0.0"},
		{running(newer, deployment(nil)), "the BundleDeployment was deleted", upgradestep.Restore, "", "1.0.0"},
		{running(none, deployment(nil), clusterUpdate, manual("")), "the BundleDeployment was deleted", upgradestep.Restore, "", "1.0.0"},
		{running(none), "nothing is chosen", upgradestep.Keep, upgradestep.ReasonNothingChosen, "1.0.0"},
		{running(none, nothingRecorded, deployment(nil)), "nothing is chosen", upgradestep.Keep, upgradestep.ReasonNothingChosen, ""},
		{running(newer, nothingRecorded, deployment(nil), clusterUpdate), "nothing is recorded", upgradestep.Install, "", "1.1.0"},
		{running(newer, nothingRecorded, deployment(steptest.Unhealthy())), "nothing is recorded", upgradestep.Install, "", "1.1.0"},
		{running(newer, recordLost, specChanged), "nothing is recorded", upgradestep.Install, "", "1.1.0"},
		{running(otherTag, installedByDigest, statusBehind), "the running bundle is chosen by another reference, and status is behind", upgradestep.Wait, upgradestep.ReasonStatusBehind, "1.0.0"},
		{running(otherTag, installedByDigest), "the running bundle is chosen", upgradestep.Keep, upgradestep.ReasonUpToDate, "1.0.0"},
		{running(steptest.Choosing("1.0.0"), deployment(steptest.Unhealthy()), clusterUpdate), "the running bundle is chosen", upgradestep.Keep, upgradestep.ReasonUpToDate, "1.0.0"},
		{running(rebuilt(true), byDigest, manual("")), "the bundle was rebuilt, and a later version awaits approval", upgradestep.Wait, upgradestep.ReasonAwaitingApproval, "1.0.0"},
		{running(rebuilt(false), byDigest, manual("")), "the bundle was rebuilt, and approval is manual", upgradestep.Hold, upgradestep.ReasonRebuiltNeedsApproval, "1.0.0"},
		{running(newer, restoring, deployment(steptest.Unhealthy())), "what is restored is not healthy yet", upgradestep.Wait, upgradestep.ReasonRestoring, "1.0.0"},
		{running(newer, deployment(steptest.Active(steptest.Unhealthy()))), "the recorded bundle is not healthy and still wanted", upgradestep.Hold, upgradestep.ReasonUnhealthy, "1.0.0"},
		{running(newer, deployment(steptest.Active(steptest.Stale())), specChanged), "the recorded bundle is not healthy and still wanted", upgradestep.Hold, upgradestep.ReasonUnhealthy, "1.0.0"},
		{running(newer, clusterUpdate), "the cluster is being updated", upgradestep.Hold, upgradestep.ReasonClusterUpdating, "1.0.0"},
		{running(newer, clusterUpdate, manual("1.2.0")), "the cluster is being updated", upgradestep.Hold, upgradestep.ReasonClusterUpdating, "1.0.0"},
		{running(newer, statusBehind), "status is behind", upgradestep.Wait, upgradestep.ReasonStatusBehind, "1.0.0"},
		{running(newer, moving), "status is behind", upgradestep.Wait, upgradestep.ReasonStatusBehind, "1.0.0"},
		{running(newer), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
		{running(newer, clusterUpdate, manual("1.1.0")), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
		{running(newer, clusterUpdate, moving, specChanged, deployment(steptest.Active(steptest.Unhealthy()))), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
		{running(newer, moving, specChanged, deployment(steptest.Active(steptest.Unhealthy()))), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
		{running(newer, clusterUpdate, deployment(steptest.Healthy())), "another bundle is chosen", upgradestep.Move, "", "1.1.0"}, // never ready
		{running(newer, restoring, specChanged, deployment(steptest.Unhealthy())), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
		{running(withdrawn, deployment(steptest.Active(steptest.Unhealthy()))), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
		{running(newer, moving, deployment(steptest.RolledBack())), "another bundle is chosen", upgradestep.Move, "", "1.1.0"},
	} {
		covered[test.rule] = true
		if got := upgradestep.RuleFor(test.in); got != test.rule {
			t.Errorf("%q decides, want %q", got, test.rule)
			continue
		}
		step := upgradestep.Decide(test.in)
		if step.Action != test.action || step.Reason != test.reason {
			t.Errorf("%s: %s/%s, want %s/%s", test.rule, step.Action, step.Reason, test.action, test.reason)
		}
		version := ""
		if step.Bundle != nil {
			version = step.Bundle.Version
		}
		if version != test.bundle {
			t.Errorf("%s: it runs %q, want %q", test.rule, version, test.bundle)
		}
		if starts := slices.Contains([]upgradestep.Action{upgradestep.Install, upgradestep.Move, upgradestep.Restore}, step.Action); starts != (step.Start != nil) {
			t.Errorf("%s: %s records the start %+v", test.rule, step.Action, step.Start)
		}
	}
	for _, name := range upgradestep.RuleNames() {
		if !covered[name] {
			t.Errorf("no case for the rule %q", name)
		}
	}
}

// TestStepAfterARestorationStillRestores checks that Restores is kept until a revision is active: until then, the BundleDeployment replaces
// the deleted one under which a version had been ready.
func TestStepAfterARestorationStillRestores(t *testing.T) {
	newer := steptest.Choosing("1.1.0", "1.0.0")
	for name, test := range map[string]struct {
		in   upgradestep.Input
		want bool
	}{
		"a restoration that is left unfinished": {running(newer, restoring, specChanged, deployment(steptest.Unhealthy())), true},
		"a restoration that is complete":        {running(newer, restoring, func(in *upgradestep.Input) { in.Current.History = shownAsReady(in.Current) }), false},
		"no restoration":                        {running(newer), false},
	} {
		step := upgradestep.Decide(test.in)
		if step.Action != upgradestep.Move {
			t.Errorf("%s: %s/%s", name, step.Action, step.Reason)
			continue
		}
		if step.Start.Restores != test.want {
			t.Errorf("%s: the next step restores: %t", name, step.Start.Restores)
		}
	}
}

// TestRulesHaveDistinctNames checks that no two rules have the same name, because RuleFor and TestEachRuleDecides identify rules by name.
func TestRulesHaveDistinctNames(t *testing.T) {
	names := upgradestep.RuleNames()
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); len(distinct) != len(names) {
		t.Errorf("two rules have one name: %q", names)
	}
}

// TestMessagesOfHolds compares complete messages, because the documentation and other tests quote them.
func TestMessagesOfHolds(t *testing.T) {
	newer := steptest.Choosing("1.1.0", "1.0.0")
	ranged := func(versions string) func(*upgradestep.Input) {
		return func(in *upgradestep.Input) { in.Spec.VersionRange = versions }
	}
	for _, test := range []struct {
		in   upgradestep.Input
		want string
	}{
		{running(rebuilt(false), byDigest, manual("")), "Bundle op.v1.0.0 has another image in catalog ClusterCatalog/c now, registry.invalid/op" + anotherDigest + ", and is not installed: spec.upgrades.approvedVersion cannot name it, because both images have the same version. Set spec.upgrades.approval to Automatic to install it, or approve a later version."},
		{running(newer, deployment(steptest.Active(steptest.Unhealthy()))), `Version 1.1.0 is available, but is not installed until version 1.0.0 is healthy. That version is not healthy: Healthy is False. Remove the cause, or exclude version 1.0.0 in spec.package.version, for example "!=1.0.0".`},
		{running(newer, deployment(steptest.Active(steptest.Unhealthy())), ranged("1.x")), `Version 1.1.0 is available, but is not installed until version 1.0.0 is healthy. That version is not healthy: Healthy is False. Remove the cause, or exclude version 1.0.0 in spec.package.version, for example "1.x, !=1.0.0".`},
		{running(newer, deployment(steptest.Active(steptest.Unhealthy())), ranged("1.x || 2.x")), `Version 1.1.0 is available, but is not installed until version 1.0.0 is healthy. That version is not healthy: Healthy is False. Remove the cause, or exclude version 1.0.0 in spec.package.version, for example "…, !=1.0.0".`},
		{running(newer, clusterUpdate), `Version 1.1.0 is available, but no upgrade step begins while the cluster itself is being updated to 4.21.0. The step begins when the update has completed; to upgrade at once, set spec.upgrades.approval to Manual and spec.upgrades.approvedVersion to "1.1.0".`},
		{running(newer), ""},
		{running(newer, restoring, deployment(steptest.Unhealthy())), ""},
	} {
		if diff := cmp.Diff(test.want, upgradestep.Message(test.in, upgradestep.Decide(test.in))); diff != "" {
			t.Errorf("the message (-want +got):\n%s", diff)
		}
	}
}
