package upgradestep_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// refused returns a BundleDeployment whose newest version the API server refuses, while the version before it is healthy.
func refused() *corev1alpha2.BundleDeployment {
	deployment := steptest.Healthy()
	meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionInstalled).Reason = corev1alpha2.ReasonUpgradeFailed
	return deployment
}

func TestRolloutOf(t *testing.T) {
	deleted := steptest.Healthy()
	deleted.Generation, deleted.DeletionTimestamp = 2, &metav1.Time{Time: time.Unix(1, 0)}
	failedBefore := steptest.RolledBack()
	failedBefore.Status.Revisions[1].FailedGeneration--
	staleRollback := steptest.RolledBack()
	staleRollback.Generation++
	unrestored := steptest.RolledBack()
	unrestored.Status.ActiveRevision = 0
	fields := steptest.Deployment("HasValidBundle=True", "Installed=False")
	fields.Status.Conditions[1].Message = "Set spec.adoption to Any."
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		want       upgradestep.Rollout
		holds      bool
		complete   bool
	}{
		"there is no BundleDeployment":        {nil, upgradestep.Rollout{State: upgradestep.RolloutNone}, false, false},
		"its status is about an earlier spec": {steptest.Stale(), upgradestep.Rollout{State: upgradestep.RolloutPending, Detail: "its installation has just begun"}, true, false},
		"a deletion is no other spec":         {deleted, upgradestep.Rollout{State: upgradestep.RolloutComplete}, false, true},
		"rolled back":                         {steptest.RolledBack(), upgradestep.Rollout{State: upgradestep.RolloutRolledBack}, false, false},
		"failed, and no version is active": {
			unrestored, upgradestep.Rollout{State: upgradestep.RolloutFailed, Detail: "Progressing is False"}, true, false,
		},
		"rolled back, before the spec changed":               {staleRollback, upgradestep.Rollout{State: upgradestep.RolloutPending, Detail: "its installation has just begun"}, true, false},
		"another revision failed for an earlier spec":        {failedBefore, upgradestep.Rollout{State: upgradestep.RolloutComplete}, false, true},
		"the image cannot be pulled":                         {steptest.Deployment("Unpacked=False"), upgradestep.Rollout{State: upgradestep.RolloutUnusable}, false, false},
		"the content cannot be rendered":                     {steptest.Deployment("Unpacked=True", "HasValidBundle=False"), upgradestep.Rollout{State: upgradestep.RolloutUnusable}, false, false},
		"no condition yet":                                   {steptest.Deployment(), upgradestep.Rollout{State: upgradestep.RolloutUnpacking, Detail: "its bundle is being unpacked"}, true, false},
		"being unpacked":                                     {steptest.Deployment("Unpacked=Unknown"), upgradestep.Rollout{State: upgradestep.RolloutUnpacking, Detail: "its bundle is being unpacked"}, true, false},
		"nothing is applied yet":                             {steptest.Deployment("HasValidBundle=True"), upgradestep.Rollout{State: upgradestep.RolloutApplying, Detail: "its installation has not finished"}, true, false},
		"being applied, with fields of the BundleDeployment": {fields, upgradestep.Rollout{State: upgradestep.RolloutApplying, Detail: "Set spec.install.adoption to Any"}, true, false},
		"refused":                        {refused(), upgradestep.Rollout{State: upgradestep.RolloutRefused, Detail: "Installed is True"}, true, false},
		"health is not known":            {steptest.Deployment("HasValidBundle=True", "Installed=True"), upgradestep.Rollout{State: upgradestep.RolloutUnhealthy, Detail: "its health is not known yet"}, true, false},
		"unhealthy":                      {steptest.Unhealthy(), upgradestep.Rollout{State: upgradestep.RolloutUnhealthy, Detail: "Healthy is False"}, true, false},
		"healthy, and still rolling out": {steptest.Deployment("HasValidBundle=True", "Installed=True", "Healthy=True", "Progressing=True"), upgradestep.Rollout{State: upgradestep.RolloutProgressing, Detail: "Progressing is True"}, true, false},
		"complete":                       {steptest.Healthy(), upgradestep.Rollout{State: upgradestep.RolloutComplete}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := upgradestep.RolloutOf(test.deployment)
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if got.HoldsNextStep() != test.holds {
				t.Errorf("it holds the next step: %t", got.HoldsNextStep())
			}
			if (got.Detail != "") != got.HoldsNextStep() {
				t.Errorf("%s has the detail %q", got.State, got.Detail)
			}
			if test.deployment != nil && upgradestep.IsComplete(test.deployment, false) != test.complete {
				t.Errorf("it is complete: %t", !test.complete)
			}
		})
	}
}

func TestFirstInstallationIsCompleteWhenEverythingIsApplied(t *testing.T) {
	paused, stale, back := steptest.Unhealthy(), steptest.Stale(), steptest.RolledBack()
	paused.Spec.Paused = true
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		want       bool
	}{
		"applied, not healthy": {steptest.Unhealthy(), true},
		"the same, paused":     {paused, true},
		"not applied":          {steptest.Deployment("HasValidBundle=True", "Installed=False"), false},
		"of an earlier spec":   {stale, false},
		"rolled back":          {back, false},
	} {
		if got := upgradestep.IsComplete(test.deployment, true); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	paused = steptest.Healthy()
	paused.Spec.Paused = true
	if upgradestep.IsComplete(paused, false) {
		t.Error("a later step completes while the BundleDeployment is paused")
	}
}

func TestInstallationOf(t *testing.T) {
	withReason := func(deployment *corev1alpha2.BundleDeployment, reason string) *corev1alpha2.BundleDeployment {
		deployment.Status.Conditions[len(deployment.Status.Conditions)-1].Reason = reason
		return deployment
	}
	for name, test := range map[string]struct {
		deployment *corev1alpha2.BundleDeployment
		reason     string
	}{
		"it has not been observed yet": {steptest.Stale(), platformv1alpha1.ReasonUnpackPending},
		"no condition yet":             {steptest.Deployment(), platformv1alpha1.ReasonUnpackPending},
		"being unpacked":               {withReason(steptest.Deployment("Unpacked=Unknown"), corev1alpha2.ReasonUnpacking), platformv1alpha1.ReasonUnpackPending},
		"being unpacked, as False":     {withReason(steptest.Deployment("Unpacked=False"), corev1alpha2.ReasonUnpacking), platformv1alpha1.ReasonUnpackPending},
		"the image cannot be pulled":   {withReason(steptest.Deployment("Unpacked=False"), corev1alpha2.ReasonUnpackFailed), platformv1alpha1.ReasonUnpackFailed},
		"the class does not exist":     {withReason(steptest.Deployment("Unpacked=Unknown"), corev1alpha2.ReasonProvisionerNotFound), platformv1alpha1.ReasonUnpackFailed},
		"the bundle cannot be used":    {steptest.Deployment("Unpacked=True", "HasValidBundle=False"), platformv1alpha1.ReasonValidationFailed},
		"not applied yet":              {withReason(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=False"), corev1alpha2.ReasonInstallPending), platformv1alpha1.ReasonInstallPending},
		"the API server refuses it":    {withReason(steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=False"), corev1alpha2.ReasonInstallFailed), platformv1alpha1.ReasonInstallFailed},
		"everything is there, just so": {steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True"), platformv1alpha1.ReasonInstallPending},
	} {
		t.Run(name, func(t *testing.T) {
			installation := upgradestep.InstallationOf(test.deployment)
			if installation.Reason != test.reason {
				t.Errorf("got %s: %q, want %s", installation.Reason, installation.Message, test.reason)
			}
			if message := installation.Message; len(message) < 2 || !strings.HasSuffix(message, ".") || strings.HasSuffix(message, "..") {
				t.Errorf("%q is no sentence", message)
			}
			if pending := strings.HasSuffix(test.reason, "Pending"); installation.NeedsAction() == pending {
				t.Errorf("%s needs action: %t", test.reason, installation.NeedsAction())
			}
		})
	}
}

func TestWhetherAVersionWasReadyBefore(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	failed, ready := platformv1alpha1.HistoryEntry{State: platformv1alpha1.HistoryFailed}, platformv1alpha1.HistoryEntry{State: platformv1alpha1.HistoryReady, ReadyTime: &now}
	for name, test := range map[string]struct {
		history []platformv1alpha1.HistoryEntry
		want    bool
	}{
		"from before history was kept":  {nil, true},
		"tried, never ready":            {[]platformv1alpha1.HistoryEntry{failed}, false},
		"ready once":                    {[]platformv1alpha1.HistoryEntry{failed, ready}, true},
		"so many that one is forgotten": {make([]platformv1alpha1.HistoryEntry, platformv1alpha1.MaxHistory), true},
	} {
		if got := upgradestep.BundleToRestore(platformv1alpha1.PlatformOperatorStatus{Installed: steptest.Bundle("1.0.0"), History: test.history}) != nil; got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
