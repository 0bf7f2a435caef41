package operatorstatus

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// movingTo returns the target for a step that is under way and has one version on its path.
func movingTo(v string) *platformv1alpha1.Target {
	return &platformv1alpha1.Target{Version: v, Path: []string{v}, Hop: steptest.Bundle(v)}
}

// reportOf returns a report about a BundleDeployment with this recorded bundle.
func reportOf(deployment *corev1alpha2.BundleDeployment, recorded *platformv1alpha1.InstalledBundle) *report {
	return newReport(Input{Operator: &platformv1alpha1.PlatformOperator{}, Current: upgradestep.Current{Deployment: deployment, Recorded: recorded}})
}

func TestUpgradeableCondition(t *testing.T) {
	for name, test := range map[string]struct {
		max, cluster   string
		status, reason string
	}{
		"nothing declared":              {"", "4.21.3", "True", platformv1alpha1.ReasonAsExpected},
		"the next minor is permitted":   {"4.22", "4.21.3", "True", platformv1alpha1.ReasonAsExpected},
		"the next minor is too much":    {"4.21", "4.21.3", "False", platformv1alpha1.ReasonIncompatibleOperator},
		"4.23 is 5.0, and 5.1 is next":  {"5.0", "4.23.0", "False", platformv1alpha1.ReasonIncompatibleOperator},
		"a declaration without meaning": {`"garbage"`, "4.21.3", "False", platformv1alpha1.ReasonCompatibilityUnreadable},
		"two declarations":              {`"4.21" "4.22"`, "4.21.3", "False", platformv1alpha1.ReasonCompatibilityUnreadable},
		"no cluster version":            {"4.21", "", "Unknown", platformv1alpha1.ReasonUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			operator := &platformv1alpha1.PlatformOperator{}
			operator.Status.Installed = steptest.Bundle("1.0.0")
			operator.Status.Installed.MaxOpenShiftVersion = test.max
			got := upgradeableCondition(compat.CountedBundles(operator, nil), test.cluster)
			if got.Status != metav1.ConditionStatus(test.status) || got.Reason != test.reason {
				t.Errorf("got %s/%s: %s, want %s/%s", got.Status, got.Reason, got.Message, test.status, test.reason)
			}
		})
	}
	if got := upgradeableCondition(nil, "4.21.0"); got.Status != metav1.ConditionTrue {
		t.Errorf("with nothing installed it is %s/%s", got.Status, got.Reason)
	}
}

// TestHRD_T1_UpgradeableNamesTheCommandsThatShowTheRemedy checks the condition of an operator that blocks the cluster upgrade, without and with
// an override.
func TestHRD_T1_UpgradeableNamesTheCommandsThatShowTheRemedy(t *testing.T) {
	const remedy = ` To see the remedy, run "oc adm upgrade" or, with the plugin, "oc platform explain op".`
	for max, want := range map[string]bool{"4.21": true, "4.22": false, `"garbage"`: false} {
		operator := &platformv1alpha1.PlatformOperator{}
		operator.Name = "op"
		operator.Status.Installed = steptest.Bundle("1.0.0")
		operator.Status.Installed.MaxOpenShiftVersion = max
		r := newReport(Input{Operator: operator, ClusterVersion: "4.21.3"})
		r.operator.Status = operator.Status
		if got := acknowledgedCondition(r); strings.HasSuffix(got.Message, remedy) != want {
			t.Errorf("at most %s: %s", max, got.Message)
		}
		r.operator.Status.Compatibility = &platformv1alpha1.Compatibility{Acknowledged: &corev1alpha2.CompatibilityOverride{Expires: &metav1.Time{}}}
		if got := acknowledgedCondition(r); strings.Contains(got.Message, remedy) {
			t.Errorf("at most %s, with an override: %s", max, got.Message)
		}
	}
}

func TestProgressingSaysBlockedWhenTheSpecAsksForWhatCannotBeHad(t *testing.T) {
	r := reportOf(steptest.Healthy(), steptest.Bundle("1.0.0"))
	r.operator.Status.Installed = steptest.Bundle("1.0.0")
	r.in.Decided.Decision.Reason, r.in.Decided.Decision.Message = platformv1alpha1.ReasonSourceFailed, "no version is in the range."
	if got := progressingCondition(r); got.Reason != platformv1alpha1.ReasonBlocked || !strings.Contains(got.Message, "stays installed. No version is in the range") {
		t.Errorf("got %s: %s", got.Reason, got.Message)
	}
	r.operator.Name = "op"
	r.in.Decided.Decision.Updates = []resolve.Update{{Candidate: steptest.Candidate("1.1.0"), Reason: platformv1alpha1.BlockedRange}}
	const updates = ` No version is in the range. To see what blocks each newer version, read status.availableUpdates or, with the plugin, "oc platform updates op".`
	if got := progressingCondition(r); !strings.HasSuffix(got.Message, updates) {
		t.Errorf("with a newer version: got %s: %s", got.Reason, got.Message)
	}
	r.in.Decided.Decision.UnreadCatalogs = "ClusterCatalog/c could not be read"
	if got := progressingCondition(r); got.Reason != platformv1alpha1.ReasonAsExpected {
		t.Errorf("while a catalog cannot be read: got %s: %s", got.Reason, got.Message)
	}
}

func TestProgressingReportsAMissedDeadline(t *testing.T) {
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		first      bool
		reason     string // of the BundleDeployment's Progressing condition
		want       metav1.Condition
	}{
		"held": {steptest.Healthy(), false, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded}},
		"a first one, held": {steptest.Healthy(), true, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded}},
		"being rolled back": {steptest.Healthy(), false, corev1alpha2.ReasonRollingBack,
			metav1.Condition{Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonRollingBack}},
		"rolled back": {steptest.RolledBack(), false, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded}},
		"not observed yet": {steptest.Stale(), false, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonUpgrading}},
	} {
		t.Run(name, func(t *testing.T) {
			r := reportOf(test.deployment, steptest.Bundle("1.1.0"))
			r.operator.Status.Installed, r.operator.Status.Target = steptest.Bundle("1.0.0"), movingTo("1.1.0")
			if test.first {
				r.operator.Status.Installed, r.operator.Status.Target = steptest.Bundle("1.1.0"), nil
			}
			for i, condition := range test.deployment.Status.Conditions {
				if condition.Type == corev1alpha2.ConditionProgressing {
					test.deployment.Status.Conditions[i].Reason = test.reason
				}
			}
			got := progressingCondition(r)
			if got.Status != test.want.Status || got.Reason != test.want.Reason || !strings.Contains(got.Message, "1.1.0") {
				t.Errorf("got %s/%s: %s, want %s/%s naming version 1.1.0", got.Status, got.Reason, got.Message, test.want.Status, test.want.Reason)
			}
		})
	}
}

func TestInstalledIsNotClaimedOfADeploymentThatGoesOrIsNew(t *testing.T) {
	now := metav1.Now()
	r := reportOf(steptest.Healthy(), steptest.Bundle("1.0.0"))
	r.operator.Status.Installed = steptest.Bundle("1.0.0")
	r.in.Current.Deployment.DeletionTimestamp = &now
	if got := installedCondition(r); got.Status != metav1.ConditionFalse || got.Reason != platformv1alpha1.ReasonInstallPending {
		t.Errorf("being deleted: got %s/%s: %s", got.Status, got.Reason, got.Message)
	}
	r.in.Current.Deployment = steptest.Deployment()
	r.setInstalled()
	if r.operator.Status.Installed != nil {
		t.Error("a new BundleDeployment has installed nothing yet, and status.installed is kept")
	}
}

func TestProgressingSaysWhatOfTheSpecIsNotCarriedOutThoughTheVersionStays(t *testing.T) {
	refused := steptest.Deployment("HasValidBundle=True", "Installed=True")
	refused.Status.Conditions[1].Reason, refused.Status.Conditions[1].Message = corev1alpha2.ReasonUpgradeFailed, "set spec.adoption to Any."
	invalid := steptest.Deployment("HasValidBundle=False", "Installed=True")
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = corev1alpha2.ReasonBundleLoadFailed, "Correct spec.config."
	unrepaired := refused.DeepCopy()
	unrepaired.Status.Conditions[1].Reason, unrepaired.Status.Conditions[1].Message = corev1alpha2.ReasonReconcileFailed, "The manager may not."
	late := steptest.Deployment("Progressing=False")
	late.Status.Conditions[0].Reason, late.Status.Conditions[0].Message = corev1alpha2.ReasonDeadlineExceeded, "It is held."
	for name, c := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		message    string // the resolver's message about the spec, which cannot be met
		reason     string
		want       []string
	}{
		"the API server refuses it":      {refused, "", platformv1alpha1.ReasonBlocked, []string{"version 1.0.0", "set spec.install.adoption to Any"}},
		"it may not be repaired":         {unrepaired, "", platformv1alpha1.ReasonBlocked, []string{"Version 1.0.0 cannot be repaired", "The manager may not"}},
		"it cannot be rendered so":       {invalid, "", platformv1alpha1.ReasonBlocked, []string{"version 1.0.0", "Correct spec.install.config"}},
		"held, and no such version asks": {late, `"banana" is no range.`, platformv1alpha1.ReasonDeadlineExceeded, []string{`"banana" is no range. Until then: `, "It is held"}},
		"the same, without a full stop":  {late, "create it again", platformv1alpha1.ReasonDeadlineExceeded, []string{"create it again. Until then: ", "It is held"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := reportOf(c.deployment, nil)
			r.operator.Status.Installed, r.in.Decided.Decision.Message = steptest.Bundle("1.0.0"), c.message
			got := progressingCondition(r)
			if got.Status != metav1.ConditionFalse || got.Reason != c.reason {
				t.Errorf("got %s/%s, want False/%s", got.Status, got.Reason, c.reason)
			}
			for _, part := range c.want {
				if !strings.Contains(got.Message, part) {
					t.Errorf("%q does not say %q", got.Message, part)
				}
			}
		})
	}
}

func TestNewestNamesWhatTheRangeBlocks(t *testing.T) {
	above, outside := steptest.Candidate("1.2.0"), steptest.Candidate("1.3.0")
	got := newestCondition(steptest.Bundle("1.0.0"), resolve.Decision{Updates: []resolve.Update{
		{Candidate: outside, Reason: platformv1alpha1.BlockedRange, Cause: reason.Rendered("is outside"), NotRequested: true},
		{Candidate: above, Reason: platformv1alpha1.BlockedRange, Cause: reason.Rendered("cannot be reached")},
	}})
	if want := "The installed version 1.0.0 is the newest that may be installed. Version 1.2.0 cannot be reached."; got.Message != want || got.Reason != platformv1alpha1.ReasonBlocked {
		t.Errorf("got %s: %q, want %q", got.Reason, got.Message, want)
	}
}

func TestNewestNamesADeprecatedVersion(t *testing.T) {
	deprecated := steptest.Candidate("1.1.0")
	deprecated.Bundle.Deprecated = "it eats data"
	got := newestCondition(steptest.Bundle("1.0.0"), resolve.Decision{Updates: []resolve.Update{{Candidate: deprecated, Path: []string{"1.1.0"}}}})
	if want := "The installed version 1.0.0 is the newest that may be installed. Version 1.1.0 is deprecated, and is not installed unless spec.package.version leaves nothing else."; got.Message != want || got.Reason != platformv1alpha1.ReasonAsExpected {
		t.Errorf("got %s: %q, want %q", got.Reason, got.Message, want)
	}
}

func TestNewestSaysWhetherSomebodyHasToActOnWhatIsInTheWay(t *testing.T) {
	update := func(v string, blocked platformv1alpha1.BlockedReason) resolve.Update {
		return resolve.Update{Candidate: steptest.Candidate(v), Reason: blocked, Cause: reason.Rendered("is " + string(blocked))}
	}
	for name, test := range map[string]struct {
		decision resolve.Decision
		reason   string
		words    string
	}{
		"nothing newer":                  {resolve.Decision{}, platformv1alpha1.ReasonAsExpected, "is the newest that may be installed."},
		"outside the range":              {resolve.Decision{Updates: []resolve.Update{{Candidate: steptest.Candidate("1.1.0"), Reason: platformv1alpha1.BlockedRange, NotRequested: true}}}, platformv1alpha1.ReasonAsExpected, "is the newest that may be installed."},
		"not for this cluster":           {resolve.Decision{Updates: []resolve.Update{update("1.1.0", platformv1alpha1.BlockedUnfit)}}, platformv1alpha1.ReasonAsExpected, "Version 1.1.0 is Unfit."},
		"a step that cannot be made":     {resolve.Decision{Updates: []resolve.Update{update("1.1.0", platformv1alpha1.BlockedStep)}}, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is Step."},
		"rules that cannot be read":      {resolve.Decision{Updates: []resolve.Update{update("1.1.0", platformv1alpha1.BlockedRulesInvalid)}}, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is RulesInvalid."},
		"one below what does not fit":    {resolve.Decision{Updates: []resolve.Update{update("2.0.0", platformv1alpha1.BlockedUnfit), update("1.1.0", platformv1alpha1.BlockedStep)}}, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is Step."},
		"an approval that is not heeded": {resolve.Decision{ApprovalProblem: "the approved version \"3.0.0\" is in no selected catalog"}, platformv1alpha1.ReasonBlocked, `The approved version "3.0.0" is in no selected catalog.`},
	} {
		t.Run(name, func(t *testing.T) {
			got := newestCondition(steptest.Bundle("1.0.0"), test.decision)
			if got.Status != metav1.ConditionFalse || got.Reason != test.reason || !strings.HasSuffix(got.Message, test.words) {
				t.Errorf("got %s/%s: %s", got.Status, got.Reason, got.Message)
			}
		})
	}
}

func TestFirstVersionThatIsNotHealthyYetIsBeingInstalled(t *testing.T) {
	r := reportOf(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False", "Progressing=True"), steptest.Bundle("1.0.0"))
	r.in.Decided.Decision = steptest.Choosing("1.0.0")
	r.operator.Status.Installed = steptest.Bundle("1.0.0")
	if got := progressingCondition(r); got.Status != metav1.ConditionTrue || got.Reason != platformv1alpha1.ReasonInstalling || !strings.Contains(got.Message, "Healthy is False") {
		t.Errorf("got %s/%s: %s", got.Status, got.Reason, got.Message)
	}
	r.in.Current.Deployment.Generation, r.in.Decided.Decision.Awaiting = 2, &resolve.Candidate{} // edited, while a newer version waits for approval
	if got := progressingCondition(r); got.Status != metav1.ConditionTrue || got.Reason != platformv1alpha1.ReasonInstalling {
		t.Errorf("an edit that the engine has not observed yet ends the installation: %s/%s: %s", got.Status, got.Reason, got.Message)
	}
	r.in.Current.Deployment.Generation, r.in.Decided.Decision.Awaiting = 0, nil
	r.in.Current.Deployment.Status.ActiveRevision = 1 // it has been ready: that it is unhealthy is no step
	if got := progressingCondition(r); got.Status != metav1.ConditionFalse {
		t.Errorf("got %s/%s: %s", got.Status, got.Reason, got.Message)
	}
}

func TestDuringAStepTheStricterBundleCounts(t *testing.T) {
	for name, test := range map[string]struct {
		installed, target string
		reason, about     string
	}{
		"the old one is in the way":         {"4.21", "4.23", platformv1alpha1.ReasonIncompatibleOperator, "op.v1.0.0 "},
		"the new one is in the way":         {"4.23", "4.21", platformv1alpha1.ReasonIncompatibleOperator, "op.v1.1.0 "},
		"both are":                          {"4.21", "4.21", platformv1alpha1.ReasonIncompatibleOperator, "op.v1.0.0 "},
		"neither is":                        {"4.23", "", platformv1alpha1.ReasonAsExpected, "op.v1.0.0 "},
		"the new one declares no such text": {"", "garbage", platformv1alpha1.ReasonCompatibilityUnreadable, "op.v1.1.0 "},
	} {
		t.Run(name, func(t *testing.T) {
			status := platformv1alpha1.PlatformOperatorStatus{Installed: steptest.Bundle("1.0.0"), Target: &platformv1alpha1.Target{Hop: steptest.Bundle("1.1.0")}}
			status.Installed.Bundle, status.Target.Hop.Bundle = "op.v1.0.0", "op.v1.1.0"
			status.Installed.MaxOpenShiftVersion, status.Target.Hop.MaxOpenShiftVersion = test.installed, test.target
			deployment := &corev1alpha2.BundleDeployment{}
			deployment.Status.Revisions = []corev1alpha2.Revision{
				{Number: 1, State: corev1alpha2.RevisionActive, Bundle: "op.v1.0.0", Presence: corev1alpha2.Present},
				{Number: 2, State: corev1alpha2.RevisionRollingOut, Bundle: "op.v1.1.0", Presence: corev1alpha2.Present},
			}
			got := upgradeableCondition(compat.CountedBundles(&platformv1alpha1.PlatformOperator{Status: status}, deployment), "4.21.3")
			if got.Reason != test.reason || !strings.Contains(got.Message, test.about) {
				t.Errorf("%s/%s: %s", got.Status, got.Reason, got.Message)
			}
		})
	}
}
