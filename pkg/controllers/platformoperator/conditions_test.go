package platformoperator

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

func TestDeploymentFaultSaysHowFarAFirstInstallationCame(t *testing.T) {
	withReason := func(deployment *corev1alpha2.BundleDeployment, reason string) *corev1alpha2.BundleDeployment {
		deployment.Status.Conditions[len(deployment.Status.Conditions)-1].Reason = reason
		return deployment
	}
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		reason     string
	}{
		"nobody has looked at it yet":  {stale(), platformv1alpha1.ReasonUnpackPending},
		"no condition yet":             {deploymentThat(), platformv1alpha1.ReasonUnpackPending},
		"being unpacked":               {withReason(deploymentThat("Unpacked=Unknown"), corev1alpha2.ReasonUnpacking), platformv1alpha1.ReasonUnpackPending},
		"being unpacked, said as no":   {withReason(deploymentThat("Unpacked=False"), corev1alpha2.ReasonUnpacking), platformv1alpha1.ReasonUnpackPending},
		"the image cannot be pulled":   {withReason(deploymentThat("Unpacked=False"), corev1alpha2.ReasonUnpackFailed), platformv1alpha1.ReasonUnpackFailed},
		"the class does not exist":     {withReason(deploymentThat("Unpacked=Unknown"), corev1alpha2.ReasonProvisionerNotFound), platformv1alpha1.ReasonUnpackFailed},
		"the bundle cannot be used":    {deploymentThat("Unpacked=True", "HasValidBundle=False"), platformv1alpha1.ReasonValidationFailed},
		"not applied yet":              {withReason(deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=False"), corev1alpha2.ReasonInstallPending), platformv1alpha1.ReasonInstallPending},
		"the API server refuses it":    {withReason(deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=False"), corev1alpha2.ReasonInstallFailed), platformv1alpha1.ReasonInstallFailed},
		"everything is there, just so": {deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True"), platformv1alpha1.ReasonInstallPending},
	} {
		t.Run(name, func(t *testing.T) {
			reason, message := deploymentFault(test.deployment)
			if reason != test.reason || message == "" || !strings.HasSuffix(message, ".") || strings.HasSuffix(message, "..") {
				t.Errorf("got %s: %q, want %s and a sentence", reason, message, test.reason)
			}
		})
	}
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
			operator.Status.Installed = at("1.0.0")
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

func TestProgressingSaysBlockedWhenTheSpecAsksForWhatCannotBeHad(t *testing.T) {
	s := &state{operator: &platformv1alpha1.PlatformOperator{}, deployment: healthy(), record: at("1.0.0")}
	s.operator.Status.Installed = at("1.0.0")
	s.decision.Reason, s.decision.Message = platformv1alpha1.ReasonSourceFailed, "no version is in the range."
	if got := progressingCondition(s); got.Reason != platformv1alpha1.ReasonBlocked || !strings.Contains(got.Message, "no version is in the range") {
		t.Errorf("got %s: %s", got.Reason, got.Message)
	}
	s.decision.Unread = "ClusterCatalog/c could not be read"
	if got := progressingCondition(s); got.Reason != platformv1alpha1.ReasonAsExpected {
		t.Errorf("while a catalog is away: got %s: %s", got.Reason, got.Message)
	}
}

func TestProgressingTellsOfAVersionThatMissedItsDeadline(t *testing.T) {
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		first      bool
		reason     string // of the BundleDeployment's Progressing condition
		want       metav1.Condition
	}{
		"held": {healthy(), false, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded}},
		"a first one, held": {healthy(), true, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded}},
		"being rolled back": {healthy(), false, corev1alpha2.ReasonRollingBack,
			metav1.Condition{Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonRollingBack}},
		"rolled back": {rolledBackFrom(), false, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded}},
		"not yet looked at": {stale(), false, corev1alpha2.ReasonDeadlineExceeded,
			metav1.Condition{Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonUpgrading}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &state{operator: &platformv1alpha1.PlatformOperator{}, deployment: test.deployment, record: at("1.1.0")}
			s.operator.Status.Installed, s.operator.Status.Target = at("1.0.0"), movingTo("1.1.0")
			if test.first {
				s.operator.Status.Installed, s.operator.Status.Target = at("1.1.0"), nil
			}
			for i, condition := range test.deployment.Status.Conditions {
				if condition.Type == corev1alpha2.ConditionProgressing {
					test.deployment.Status.Conditions[i].Reason = test.reason
				}
			}
			got := progressingCondition(s)
			if got.Status != test.want.Status || got.Reason != test.want.Reason || !strings.Contains(got.Message, "1.1.0") {
				t.Errorf("got %s/%s: %s, want %s/%s naming version 1.1.0", got.Status, got.Reason, got.Message, test.want.Status, test.want.Reason)
			}
		})
	}
}

func TestInstalledIsNotClaimedOfADeploymentThatGoesOrIsNew(t *testing.T) {
	now := metav1.Now()
	s := &state{operator: &platformv1alpha1.PlatformOperator{}, deployment: healthy(), record: at("1.0.0")}
	s.operator.Status.Installed = at("1.0.0")
	s.deployment.DeletionTimestamp = &now
	if got := installedCondition(s); got.Status != metav1.ConditionFalse || got.Reason != platformv1alpha1.ReasonInstallPending {
		t.Errorf("being deleted: got %s/%s: %s", got.Status, got.Reason, got.Message)
	}
	s.deployment = deploymentThat()
	s.reportInstalled()
	if s.operator.Status.Installed != nil {
		t.Error("a new BundleDeployment has installed nothing yet, and status.installed is kept")
	}
}

func TestProgressingSaysWhatOfTheSpecIsNotCarriedOutThoughTheVersionStays(t *testing.T) {
	refused := deploymentThat("HasValidBundle=True", "Installed=True")
	refused.Status.Conditions[1].Reason, refused.Status.Conditions[1].Message = corev1alpha2.ReasonUpgradeFailed, "set spec.adoption to Any."
	invalid := deploymentThat("HasValidBundle=False", "Installed=True")
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = corev1alpha2.ReasonBundleLoadFailed, "Correct spec.config."
	unrepaired := refused.DeepCopy()
	unrepaired.Status.Conditions[1].Reason, unrepaired.Status.Conditions[1].Message = corev1alpha2.ReasonReconcileFailed, "The manager may not."
	late := deploymentThat("Progressing=False")
	late.Status.Conditions[0].Reason, late.Status.Conditions[0].Message = corev1alpha2.ReasonDeadlineExceeded, "It is held."
	for name, c := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		message    string // of what the spec asks for, which cannot be had
		reason     string
		want       []string
	}{
		"the API server refuses it":      {refused, "", platformv1alpha1.ReasonBlocked, []string{"version 1.0.0", "set spec.install.adoption to Any"}},
		"it may not be put back":         {unrepaired, "", platformv1alpha1.ReasonBlocked, []string{"Version 1.0.0 is not kept as it was declared", "The manager may not"}},
		"it cannot be rendered so":       {invalid, "", platformv1alpha1.ReasonBlocked, []string{"version 1.0.0", "Correct spec.install.config"}},
		"held, and no such version asks": {late, `"banana" is no range.`, platformv1alpha1.ReasonDeadlineExceeded, []string{`"banana" is no range. Until then: `, "It is held"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &state{operator: &platformv1alpha1.PlatformOperator{}, deployment: c.deployment}
			s.operator.Status.Installed, s.decision.Message = at("1.0.0"), c.message
			got := progressingCondition(s)
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

func TestNewestTellsOfWhatTheRangeIsInTheWayOf(t *testing.T) {
	above, outside := candidate("1.2.0"), candidate("1.3.0")
	above.Version, outside.Version = version(t, "1.2.0"), version(t, "1.3.0")
	got := newest(at("1.0.0"), resolve.Decision{Updates: []resolve.Update{
		{Candidate: outside, Reason: platformv1alpha1.BlockedRange, Why: "is outside", Unasked: true},
		{Candidate: above, Reason: platformv1alpha1.BlockedRange, Why: "cannot be reached"},
	}})
	if want := "Version 1.0.0 is the newest that may be installed. Version 1.2.0 cannot be reached."; got.Message != want || got.Reason != platformv1alpha1.ReasonBlocked {
		t.Errorf("it says %s: %q, want %q", got.Reason, got.Message, want)
	}
}

func TestNewestTellsOfADeprecatedVersion(t *testing.T) {
	deprecated := candidate("1.1.0")
	deprecated.Bundle.Deprecated, deprecated.Version = "it eats data", version(t, "1.1.0")
	got := newest(at("1.0.0"), resolve.Decision{Updates: []resolve.Update{{Candidate: deprecated, Path: []string{"1.1.0"}}}})
	if want := "Version 1.0.0 is the newest that may be installed. Version 1.1.0 is deprecated, and is not moved to unless spec.package.version leaves nothing else."; got.Message != want || got.Reason != platformv1alpha1.ReasonAsExpected {
		t.Errorf("it says %s: %q, want %q", got.Reason, got.Message, want)
	}
}

func TestNewestSaysWhetherSomebodyHasToActOnWhatIsInTheWay(t *testing.T) {
	update := func(v string, reason platformv1alpha1.BlockedReason) resolve.Update {
		return resolve.Update{Candidate: candidate(v), Reason: reason, Why: "is " + string(reason)}
	}
	for name, test := range map[string]struct {
		decision resolve.Decision
		reason   string
		words    string
	}{
		"nothing newer":                  {resolve.Decision{}, platformv1alpha1.ReasonAsExpected, "is the newest that may be installed."},
		"outside the range":              {resolve.Decision{Updates: []resolve.Update{{Candidate: candidate("1.1.0"), Reason: platformv1alpha1.BlockedRange, Unasked: true}}}, platformv1alpha1.ReasonAsExpected, "is the newest that may be installed."},
		"not for this cluster":           {resolve.Decision{Updates: []resolve.Update{update("1.1.0", platformv1alpha1.BlockedUnfit)}}, platformv1alpha1.ReasonAsExpected, "Version 1.1.0 is Unfit."},
		"a step that cannot be made":     {resolve.Decision{Updates: []resolve.Update{update("1.1.0", platformv1alpha1.BlockedStep)}}, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is Step."},
		"rules that cannot be read":      {resolve.Decision{Updates: []resolve.Update{update("1.1.0", platformv1alpha1.BlockedRulesInvalid)}}, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is RulesInvalid."},
		"one below what does not fit":    {resolve.Decision{Updates: []resolve.Update{update("2.0.0", platformv1alpha1.BlockedUnfit), update("1.1.0", platformv1alpha1.BlockedStep)}}, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is Step."},
		"an approval that is not heeded": {resolve.Decision{AwaitingWhy: "the approved version \"3.0.0\" is in no selected catalog"}, platformv1alpha1.ReasonBlocked, `The approved version "3.0.0" is in no selected catalog.`},
	} {
		t.Run(name, func(t *testing.T) {
			got := newest(at("1.0.0"), test.decision)
			if got.Status != metav1.ConditionFalse || got.Reason != test.reason || !strings.HasSuffix(got.Message, test.words) {
				t.Errorf("got %s/%s: %s", got.Status, got.Reason, got.Message)
			}
		})
	}
}

func TestFirstVersionThatIsNotHealthyYetIsBeingInstalled(t *testing.T) {
	s := &state{operator: &platformv1alpha1.PlatformOperator{}, record: at("1.0.0"), decision: offering("1.0.0"),
		deployment: deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False", "Progressing=True")}
	s.operator.Status.Installed = at("1.0.0")
	if got := progressingCondition(s); got.Status != metav1.ConditionTrue || got.Reason != platformv1alpha1.ReasonInstalling || !strings.Contains(got.Message, "Healthy is False") {
		t.Errorf("got %s/%s: %s", got.Status, got.Reason, got.Message)
	}
	s.deployment.Generation, s.decision.Awaiting = 2, &resolve.Candidate{} // edited, while a newer version waits for approval
	if got := progressingCondition(s); got.Status != metav1.ConditionTrue || got.Reason != platformv1alpha1.ReasonInstalling {
		t.Errorf("an edit that nobody has looked at yet ends the installation: %s/%s: %s", got.Status, got.Reason, got.Message)
	}
	s.deployment.Generation, s.decision.Awaiting = 0, nil
	s.deployment.Status.ActiveRevision = 1 // it has been ready: its illness is no move
	if got := progressingCondition(s); got.Status != metav1.ConditionFalse {
		t.Errorf("got %s/%s: %s", got.Status, got.Reason, got.Message)
	}
}
