package upgradestep_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

// moves returns the version that a step moves to or keeps because it is chosen; empty if the step stays with the recorded bundle for
// another reason.
func moves(step upgradestep.Step) string {
	if step.Bundle == nil || step.Start == nil && step.Reason != upgradestep.ReasonUpToDate {
		return ""
	}
	return step.Bundle.Version
}

func TestDecideByTheRolloutOfTheRecordedBundle(t *testing.T) {
	type deployment = corev1alpha2.BundleDeployment
	for name, test := range map[string]struct {
		recorded   *platformv1alpha1.InstalledBundle
		deployment *deployment
		decision   resolve.Decision
		to         string
		blocked    []string
	}{
		"nothing was chosen: everything stays":                     {steptest.Bundle("1.0.0"), steptest.Healthy(), resolve.Decision{}, "", nil},
		"nothing is installed: the chosen version is":              {nil, nil, steptest.Choosing("1.0.0"), "1.0.0", nil},
		"the chosen version is there: it is kept":                  {steptest.Bundle("1.0.0"), steptest.Healthy(), steptest.Choosing("1.0.0"), "1.0.0", nil},
		"a newer version, and the one before is healthy":           {steptest.Bundle("1.0.0"), steptest.Healthy(), steptest.Choosing("1.1.0", "1.0.0"), "1.1.0", nil},
		"a newer version, and the one before has just begun":       {steptest.Bundle("1.0.0"), steptest.Stale(), steptest.Choosing("1.1.0", "1.0.0"), "", []string{"just begun", "1.1.0", "1.0.0"}},
		"a newer version, and the one before is being unpacked":    {steptest.Bundle("1.0.0"), steptest.Deployment("Unpacked=Unknown"), steptest.Choosing("1.1.0", "1.0.0"), "", []string{"being unpacked"}},
		"a newer version, and the one before is being applied":     {steptest.Bundle("1.0.0"), steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=False"), steptest.Choosing("1.1.0", "1.0.0"), "", []string{"Installed is False"}},
		"a newer version, and the one before is not healthy":       {steptest.Bundle("1.0.0"), steptest.Unhealthy(), steptest.Choosing("1.1.0", "1.0.0"), "", []string{"Healthy is False", `"!=1.0.0"`}},
		"a newer version, and the one before still rolls out":      {steptest.Bundle("1.0.0"), steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=True", "Progressing=True"), steptest.Choosing("1.1.0", "1.0.0"), "", []string{"Progressing is True"}},
		"an unhealthy version that was excluded or withdrawn":      {steptest.Bundle("1.0.0"), steptest.Deployment("HasValidBundle=True", "Installed=True", "Healthy=False"), steptest.Choosing("1.1.0"), "1.1.0", nil},
		"a version whose image cannot be pulled holds nothing":     {steptest.Bundle("1.0.0"), steptest.Deployment("Unpacked=False"), steptest.Choosing("1.1.0", "1.0.0"), "1.1.0", nil},
		"a version whose content cannot be rendered holds nothing": {steptest.Bundle("1.0.0"), steptest.Deployment("Unpacked=True", "HasValidBundle=False"), steptest.Choosing("1.1.0", "1.0.0"), "1.1.0", nil},
		"a version that was rolled back holds nothing":             {steptest.Bundle("1.0.0"), steptest.RolledBack(), steptest.Choosing("1.1.0", "1.0.0"), "1.1.0", nil},
		"a version that was rolled back is not tried again":        {steptest.Bundle("1.0.0"), steptest.RolledBack(), steptest.Choosing("1.0.0"), "1.0.0", nil}, // the same spec: nothing is written
		"back from a failed step to the version before it":         {steptest.Bundle("1.1.0"), steptest.Deployment("HasValidBundle=True", "Installed=True", "Healthy=False"), steptest.Choosing("1.0.0"), "1.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := upgradestep.Input{Current: upgradestep.Current{Recorded: test.recorded, Deployment: test.deployment, Installed: test.recorded}, Decision: test.decision}
			in.Current.History = shownAsReady(in.Current)
			step := upgradestep.Decide(in)
			message := upgradestep.Message(in, step)
			if got := moves(step); got != test.to {
				t.Errorf("moves to %q, want %q (blocked: %s)", got, test.to, message)
			}
			if (message == "") != (len(test.blocked) == 0) {
				t.Errorf("blocked is %q, want it to have %q", message, test.blocked)
			}
			for _, word := range test.blocked {
				if !strings.Contains(message, word) {
					t.Errorf("blocked does not name %q: %s", word, message)
				}
			}
		})
	}
}

// shownAsReady returns a history that shows the recorded bundle as ready, so that no step waits for status. It is nil if nothing is
// recorded.
func shownAsReady(current upgradestep.Current) []platformv1alpha1.HistoryEntry {
	if current.Recorded == nil {
		return nil
	}
	entry := platformv1alpha1.HistoryEntry{Bundle: current.Recorded.Bundle, State: platformv1alpha1.HistoryReady}
	if current.Start != nil {
		entry.StartedTime = current.Start.Started
	}
	return []platformv1alpha1.HistoryEntry{entry}
}

func TestWhenAStepStarts(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	before := &upgradestep.StepStart{Started: metav1.NewTime(now.Add(-time.Hour)), Trigger: platformv1alpha1.TriggerAutomatic, SpecHash: "as now"}
	approved := func(hash string) upgradestep.Spec {
		return upgradestep.Spec{Hash: hash, Manual: true, ApprovedVersion: "1.1.0"}
	}
	unchanged, changed := upgradestep.Spec{Hash: "as now"}, upgradestep.Spec{Hash: "something else"}
	selfCertified := steptest.Choosing("1.1.0")
	selfCertified.Path = []resolve.Step{{Candidate: steptest.Candidate("1.1.0"), Sources: []upgrade.Source{{Kind: upgrade.FromSelfCertified}}}}
	onThePath := steptest.Choosing("1.2.0")
	onThePath.Updates = []resolve.Update{{Candidate: steptest.Candidate("1.2.0"), Reachable: true}, {Candidate: steptest.Candidate("1.1.0"), Reachable: true, Reason: platformv1alpha1.BlockedRange}}
	excluding := steptest.Choosing("1.2.0")
	excluding.Updates = []resolve.Update{{Candidate: steptest.Candidate("1.1.0"), Reachable: true, Reason: platformv1alpha1.BlockedRange}}
	excluding.Refused = []resolve.Refusal{{Candidate: steptest.Candidate("1.1.0"), Rule: resolve.RuleRange}}
	deleted := steptest.Healthy()
	deleted.DeletionTimestamp = &metav1.Time{Time: now}
	// at returns a Current with these recorded and installed versions, this BundleDeployment, and the start of the step to the recorded
	// version.
	at := func(recorded, installed string, deployment *corev1alpha2.BundleDeployment, start *upgradestep.StepStart) upgradestep.Current {
		return upgradestep.Current{Recorded: steptest.Bundle(recorded), Installed: steptest.Bundle(installed), Deployment: deployment, Start: start}
	}
	for name, test := range map[string]struct {
		in       upgradestep.Input
		decision resolve.Decision
		to       string
		trigger  platformv1alpha1.Trigger
		blocked  string
	}{
		"a first installation": {upgradestep.Input{Spec: unchanged}, steptest.Choosing("1.0.0"), "1.0.0", platformv1alpha1.TriggerInstallation, ""},
		"a first installation while the cluster is being updated":     {upgradestep.Input{ClusterUpdate: "4.21.0"}, steptest.Choosing("1.0.0"), "1.0.0", platformv1alpha1.TriggerInstallation, ""},
		"a newer version in a catalog":                                {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Healthy(), before), Spec: unchanged}, steptest.Choosing("1.1.0"), "1.1.0", platformv1alpha1.TriggerAutomatic, ""},
		"a newer version in a catalog, long after an edit":            {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Active(steptest.Healthy()), before), Spec: changed}, steptest.Choosing("1.1.0"), "1.1.0", platformv1alpha1.TriggerAutomatic, ""},
		"a spec that asks for another":                                {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Active(steptest.Healthy()), before), Spec: upgradestep.Spec{Hash: "something else", Changed: true}}, steptest.Choosing("1.1.0"), "1.1.0", platformv1alpha1.TriggerSpecChange, ""},
		"an approval":                                                 {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Healthy(), before), Spec: approved("something else")}, steptest.Choosing("1.1.0"), "1.1.0", platformv1alpha1.TriggerApproved, ""},
		"self-certified":                                              {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Healthy(), nil), Spec: approved("")}, selfCertified, "1.1.0", platformv1alpha1.TriggerSelfCertified, ""},
		"none while the cluster is being updated":                     {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Active(steptest.Healthy()), nil), ClusterUpdate: "4.21.0"}, steptest.Choosing("1.1.0"), "", "", "while the cluster itself is being updated to 4.21.0"},
		"but one that is approved":                                    {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Active(steptest.Healthy()), nil), ClusterUpdate: "4.21.0", Spec: approved("")}, steptest.Choosing("1.1.0"), "1.1.0", platformv1alpha1.TriggerApproved, ""},
		"the one that is under way goes on while it is being updated": {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), nil), ClusterUpdate: "4.21.0"}, steptest.Choosing("1.1.0"), "1.1.0", "", ""},
		"none over one that is stuck":                                 {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), before), Spec: unchanged}, steptest.Choosing("1.2.0", "1.1.0"), "", "", "is healthy. "},
		"none over one that is stuck on the path":                     {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), before), Spec: unchanged}, onThePath, "", "", "is healthy. "},
		"none over one that got unhealthy after its step, whatever the spec has said since that started":  {upgradestep.Input{Current: at("1.1.0", "1.1.0", steptest.Active(steptest.Unhealthy()), before), Spec: changed}, steptest.Choosing("1.2.0", "1.1.0"), "", "", "is healthy. "},
		"a first version that was never healthy is left for another while the cluster is being installed": {upgradestep.Input{Current: at("1.0.0", "1.0.0", steptest.Unhealthy(), before), Spec: changed, ClusterUpdate: "4.21.0"}, steptest.Choosing("1.1.0"), "1.1.0", platformv1alpha1.TriggerSpecChange, ""},
		"at once when a first version was never healthy, and the spec has changed":                        {upgradestep.Input{Current: at("1.1.0", "1.1.0", steptest.Unhealthy(), before), Spec: changed}, steptest.Choosing("1.2.0", "1.1.0"), "1.2.0", platformv1alpha1.TriggerSpecChange, ""},
		"when one is excluded that is stuck, and it is unknown how its step started":                      {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), nil), Spec: unchanged}, excluding, "1.2.0", platformv1alpha1.TriggerAutomatic, ""},
		"the same while its catalog cannot be read":                                                       {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), nil), Spec: unchanged, CatalogUnreadable: true}, excluding, "1.2.0", platformv1alpha1.TriggerAutomatic, ""},
		"none back while the catalog cannot be read that has the version which is under way":              {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), before), Spec: unchanged, CatalogUnreadable: true}, steptest.Choosing("1.0.0"), "", "", "is healthy. "},
		"at once when the spec has changed since that one started, though the cluster is being updated":   {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Active(steptest.Unhealthy()), before), Spec: changed, ClusterUpdate: "4.21.0"}, steptest.Choosing("1.2.0", "1.1.0"), "1.2.0", platformv1alpha1.TriggerSpecChange, ""},
		"none where the BundleDeployment is being deleted":                                                {upgradestep.Input{Current: at("1.0.0", "1.0.0", deleted, before), Spec: unchanged}, steptest.Choosing("1.1.0"), "", "", ""},
		"back to what was installed where it was deleted":                                                 {upgradestep.Input{Current: at("1.0.0", "1.0.0", nil, nil), Spec: unchanged}, steptest.Choosing("1.1.0"), "1.0.0", platformv1alpha1.TriggerRestored, ""},
		"the same while no catalog can be read":                                                           {upgradestep.Input{Current: at("1.0.0", "1.0.0", nil, nil), Spec: unchanged}, resolve.Decision{}, "1.0.0", platformv1alpha1.TriggerRestored, ""},
		"the same while the cluster is being updated":                                                     {upgradestep.Input{Current: at("1.0.0", "1.0.0", nil, nil), Spec: unchanged, ClusterUpdate: "4.21.0"}, resolve.Decision{}, "1.0.0", platformv1alpha1.TriggerRestored, ""},
		"at once when the spec has changed since that one started":                                        {upgradestep.Input{Current: at("1.1.0", "1.0.0", steptest.Unhealthy(), before), Spec: changed}, steptest.Choosing("1.2.0", "1.1.0"), "1.2.0", platformv1alpha1.TriggerSpecChange, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := test.in
			in.Now, in.Decision, in.Current.History = now, test.decision, shownAsReady(test.in.Current)
			step := upgradestep.Decide(in)
			trigger, message := platformv1alpha1.Trigger(""), upgradestep.Message(in, step)
			if step.Start != nil {
				trigger = step.Start.Trigger
				if step.Start.SpecHash != in.Spec.Hash || !step.Start.Started.Time.Equal(now) {
					t.Errorf("it is recorded as %+v", step.Start)
				}
			}
			if got := moves(step); got != test.to {
				t.Errorf("moves to %q, want %q", got, test.to)
			}
			if trigger != test.trigger {
				t.Errorf("the trigger is %q, want %q", trigger, test.trigger)
			}
			if (test.blocked == "") != (message == "") || !strings.Contains(message, test.blocked) {
				t.Errorf("blocked: %q, want %q", message, test.blocked)
			}
			if (step.Action == upgradestep.Hold) != (message != "") {
				t.Errorf("action %s with message %q", step.Action, message)
			}
		})
	}
}

func TestSpecHashIsOfWhatTheSpecSaysOfVersions(t *testing.T) {
	spec := platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "quay", Version: "1.x"}}
	hash := upgradestep.SpecHash(spec)
	spec.Paused, spec.Install = true, &platformv1alpha1.Install{Namespace: "quay"}
	if upgradestep.SpecHash(spec) != hash {
		t.Error("to pause, or to install otherwise, changes the hash")
	}
	spec.Upgrades = &platformv1alpha1.Upgrades{Edges: platformv1alpha1.EdgesSemver}
	if upgradestep.SpecHash(spec) == hash {
		t.Error("other edges do not change the hash")
	}
}
