package platformoperator

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// candidate is version v of the one package that these tests have.
func candidate(v string) resolve.Candidate {
	version, _ := upgrade.ParseVersion(v, "") // the zero Version of what is none
	return resolve.Candidate{
		Catalog: catalog.ID{Kind: "ClusterCatalog", Name: "c"}, Channel: "stable",
		Bundle: catalog.Bundle{Name: "op.v" + v, Version: v, Image: "registry.invalid/op:" + v}, Version: version,
	}
}

// offering is a decision for the first of these versions; all of them are candidates.
func offering(versions ...string) resolve.Decision {
	decision := resolve.Decision{}
	for _, v := range versions {
		decision.Available = append(decision.Available, candidate(v))
	}
	decision.Chosen, decision.Target = &decision.Available[0], &decision.Available[0]
	return decision
}

func at(v string) *platformv1alpha1.InstalledBundle {
	bundle := bundleOf(candidate(v))
	return &bundle
}

// movingTo is the target of a single hop that is under way.
func movingTo(v string) *platformv1alpha1.Target {
	return &platformv1alpha1.Target{Version: v, Path: []string{v}, Hop: at(v)}
}

// deploymentThat has these conditions, as "Type=Status"; its status is of its present spec.
func deploymentThat(conditions ...string) *corev1alpha2.BundleDeployment {
	deployment := &corev1alpha2.BundleDeployment{}
	deployment.Generation, deployment.Status.ObservedGeneration = 1, 1
	for _, text := range conditions {
		name, status, _ := strings.Cut(text, "=")
		deployment.Status.Conditions = append(deployment.Status.Conditions,
			metav1.Condition{Type: name, Status: metav1.ConditionStatus(status), Reason: "Test", Message: name + " is " + status + "."})
	}
	return deployment
}

func healthy() *corev1alpha2.BundleDeployment {
	return deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=True", "Progressing=False")
}

func stale() *corev1alpha2.BundleDeployment {
	deployment := healthy()
	deployment.Generation++
	return deployment
}

// rolledBackFrom is a deployment whose newest revision was given up; what runs is the one before it.
func rolledBackFrom() *corev1alpha2.BundleDeployment {
	deployment := healthy()
	deployment.Status.Revisions = []corev1alpha2.Revision{
		{Number: 1, State: corev1alpha2.RevisionActive},
		{Number: 2, State: corev1alpha2.RevisionFailed, FailedGeneration: deployment.Generation},
	}
	return deployment
}

// failedBefore is a deployment with a revision that failed for an earlier spec.
func failedBefore() *corev1alpha2.BundleDeployment {
	deployment := rolledBackFrom()
	deployment.Status.Revisions[1].FailedGeneration--
	return deployment
}

func TestVersionThatWasRolledBackIsNotInstalled(t *testing.T) {
	if hopDone(rolledBackFrom(), false) {
		t.Error("a version that was rolled back counts as installed")
	}
	if !hopDone(failedBefore(), false) {
		t.Error("a version does not count as installed because one before it failed")
	}
}

func TestVersionThatIsRefusedIsNotInstalledThoughTheOneBeforeIsWell(t *testing.T) {
	refused := healthy()
	meta.FindStatusCondition(refused.Status.Conditions, corev1alpha2.ConditionInstalled).Reason = corev1alpha2.ReasonUpgradeFailed
	if hopDone(refused, false) {
		t.Error("a version counts as installed that the API server refuses")
	}
	if rolloutProblem(refused) == "" {
		t.Error("it can be left for another before it is there")
	}
}

func TestDecideHop(t *testing.T) {
	for name, test := range map[string]struct {
		record     *platformv1alpha1.InstalledBundle
		deployment *corev1alpha2.BundleDeployment
		decision   resolve.Decision
		to         string
		blocked    []string
	}{
		"nothing was chosen: everything stays":                    {at("1.0.0"), healthy(), resolve.Decision{}, "", nil},
		"nothing is installed: the chosen version is":             {nil, nil, offering("1.0.0"), "1.0.0", nil},
		"the chosen version is there: it is kept":                 {at("1.0.0"), healthy(), offering("1.0.0"), "1.0.0", nil},
		"a newer version, and the one before is healthy":          {at("1.0.0"), healthy(), offering("1.1.0", "1.0.0"), "1.1.0", nil},
		"a newer version, and the one before has just begun":      {at("1.0.0"), stale(), offering("1.1.0", "1.0.0"), "", []string{"just begun", "1.1.0", "1.0.0"}},
		"a newer version, and the one before is being unpacked":   {at("1.0.0"), deploymentThat("Unpacked=Unknown"), offering("1.1.0", "1.0.0"), "", []string{"being unpacked"}},
		"a newer version, and the one before is being applied":    {at("1.0.0"), deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=False"), offering("1.1.0", "1.0.0"), "", []string{"Installed is False"}},
		"a newer version, and the one before is not healthy":      {at("1.0.0"), deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False"), offering("1.1.0", "1.0.0"), "", []string{"Healthy is False", `"!=1.0.0"`}},
		"a newer version, and the one before still rolls out":     {at("1.0.0"), deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=True", "Progressing=True"), offering("1.1.0", "1.0.0"), "", []string{"Progressing is True"}},
		"an unhealthy version that was excluded or withdrawn":     {at("1.0.0"), deploymentThat("HasValidBundle=True", "Installed=True", "Healthy=False"), offering("1.1.0"), "1.1.0", nil},
		"a version whose image cannot be pulled holds nobody":     {at("1.0.0"), deploymentThat("Unpacked=False"), offering("1.1.0", "1.0.0"), "1.1.0", nil},
		"a version whose content cannot be rendered holds nobody": {at("1.0.0"), deploymentThat("Unpacked=True", "HasValidBundle=False"), offering("1.1.0", "1.0.0"), "1.1.0", nil},
		"a version that was rolled back holds nobody":             {at("1.0.0"), rolledBackFrom(), offering("1.1.0", "1.0.0"), "1.1.0", nil},
		"a version that was rolled back is not tried again":       {at("1.0.0"), rolledBackFrom(), offering("1.0.0"), "1.0.0", nil}, // the same spec: nothing is written
		"back from a failed hop to the version before it":         {at("1.1.0"), deploymentThat("HasValidBundle=True", "Installed=True", "Healthy=False"), offering("1.0.0"), "1.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := decideHop(situation{record: test.record, deployment: test.deployment}, test.decision)
			to := ""
			if got.to != nil {
				to = got.to.Version
			}
			if to != test.to {
				t.Errorf("moves to %q, want %q (blocked: %s)", to, test.to, got.blocked)
			}
			if (got.blocked == "") != (len(test.blocked) == 0) {
				t.Errorf("blocked is %q, want it to have %q", got.blocked, test.blocked)
			}
			for _, word := range test.blocked {
				if !strings.Contains(got.blocked, word) {
					t.Errorf("blocked does not name %q: %s", word, got.blocked)
				}
			}
		})
	}
}

func TestWhenAHopBegins(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	stuck := deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False")
	before := &beginning{Started: now, Trigger: platformv1alpha1.TriggerAutomatic, Wish: "as now"}
	ownWord := offering("1.1.0")
	ownWord.Path = []resolve.Hop{{Candidate: candidate("1.1.0"), Sources: []upgrade.Source{{Kind: upgrade.FromSelfCertified}}}}
	onTheWay := offering("1.2.0")
	onTheWay.Updates = []resolve.Update{{Candidate: candidate("1.2.0"), Reachable: true}, {Candidate: candidate("1.1.0"), Reachable: true, Reason: platformv1alpha1.BlockedRange}}
	excluding := offering("1.2.0")
	excluding.Updates = []resolve.Update{{Candidate: candidate("1.1.0"), Reachable: true, Reason: platformv1alpha1.BlockedRange}}
	excluding.Refused = []resolve.Refusal{{Candidate: candidate("1.1.0"), Rule: resolve.RuleRange}}
	ill := deploymentThat("Unpacked=True", "HasValidBundle=True", "Installed=True", "Healthy=False")
	ill.Status.ActiveRevision = 1
	ready := healthy()
	ready.Status.ActiveRevision = 1
	going := healthy()
	going.DeletionTimestamp = &now
	for name, test := range map[string]struct {
		in       situation
		decision resolve.Decision
		to       string
		trigger  platformv1alpha1.Trigger
		blocked  string
	}{
		"a first installation": {situation{wish: "as now"}, offering("1.0.0"), "1.0.0", platformv1alpha1.TriggerInstallation, ""},
		"a first installation while the cluster is being updated":     {situation{updating: "4.21.0"}, offering("1.0.0"), "1.0.0", platformv1alpha1.TriggerInstallation, ""},
		"a newer version in a catalog":                                {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: healthy(), began: before, wish: "as now"}, offering("1.1.0"), "1.1.0", platformv1alpha1.TriggerAutomatic, ""},
		"a newer version in a catalog, long after an edit":            {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: ready, began: before, wish: "something else"}, offering("1.1.0"), "1.1.0", platformv1alpha1.TriggerAutomatic, ""},
		"a spec that asks for another":                                {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: ready, began: before, wish: "something else", edited: true}, offering("1.1.0"), "1.1.0", platformv1alpha1.TriggerSpecChange, ""},
		"an approval":                                                 {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: healthy(), began: before, wish: "something else", approved: true}, offering("1.1.0"), "1.1.0", platformv1alpha1.TriggerApproved, ""},
		"on one's own word":                                           {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: healthy(), approved: true}, ownWord, "1.1.0", platformv1alpha1.TriggerSelfCertified, ""},
		"none while the cluster is being updated":                     {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: ready, updating: "4.21.0"}, offering("1.1.0"), "", "", "while the cluster itself is being updated to 4.21.0"},
		"but one that is approved":                                    {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: ready, updating: "4.21.0", approved: true}, offering("1.1.0"), "1.1.0", platformv1alpha1.TriggerApproved, ""},
		"the one that is under way goes on while it is being updated": {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, updating: "4.21.0"}, offering("1.1.0"), "1.1.0", "", ""},
		"none over one that is stuck":                                 {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, began: before, wish: "as now"}, offering("1.2.0", "1.1.0"), "", "", "is not healthy"},
		"none over one that is stuck on the way":                      {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, began: before, wish: "as now"}, onTheWay, "", "", "is not healthy"},
		"none over one that got ill after its hop, whatever the spec has said since that began":           {situation{record: at("1.1.0"), installed: at("1.1.0"), deployment: ill, began: before, wish: "something else"}, offering("1.2.0", "1.1.0"), "", "", "is not healthy"},
		"a first version that was never healthy is left for another while the cluster is being installed": {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: stuck, began: before, wish: "something else", updating: "4.21.0"}, offering("1.1.0"), "1.1.0", platformv1alpha1.TriggerSpecChange, ""},
		"at once when a first version was never healthy, and the spec has changed":                        {situation{record: at("1.1.0"), installed: at("1.1.0"), deployment: stuck, began: before, wish: "something else"}, offering("1.2.0", "1.1.0"), "1.2.0", platformv1alpha1.TriggerSpecChange, ""},
		"when one is excluded that is stuck, and nobody knows how its hop began":                          {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, wish: "as now"}, excluding, "1.2.0", platformv1alpha1.TriggerAutomatic, ""},
		"the same while its catalog is away":                                                              {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, wish: "as now", away: true}, excluding, "1.2.0", platformv1alpha1.TriggerAutomatic, ""},
		"none back while the catalog is away that has the version which is under way":                     {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, began: before, wish: "as now", away: true}, offering("1.0.0"), "", "", "is not healthy"},
		"at once when the spec has changed since that one began, though the cluster is being updated":     {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: ill, began: before, wish: "something else", updating: "4.21.0"}, offering("1.2.0", "1.1.0"), "1.2.0", platformv1alpha1.TriggerSpecChange, ""},
		"none where the BundleDeployment is being deleted":                                                {situation{record: at("1.0.0"), installed: at("1.0.0"), deployment: going, began: before, wish: "as now"}, offering("1.1.0"), "", "", ""},
		"back to what was installed where it was deleted":                                                 {situation{record: at("1.0.0"), installed: at("1.0.0"), wish: "as now"}, offering("1.1.0"), "1.0.0", platformv1alpha1.TriggerRestored, ""},
		"the same while no catalog can be read":                                                           {situation{record: at("1.0.0"), installed: at("1.0.0"), wish: "as now"}, resolve.Decision{}, "1.0.0", platformv1alpha1.TriggerRestored, ""},
		"the same while the cluster is being updated":                                                     {situation{record: at("1.0.0"), installed: at("1.0.0"), wish: "as now", updating: "4.21.0"}, resolve.Decision{}, "1.0.0", platformv1alpha1.TriggerRestored, ""},
		"at once when the spec has changed since that one began":                                          {situation{record: at("1.1.0"), installed: at("1.0.0"), deployment: stuck, began: before, wish: "something else"}, offering("1.2.0", "1.1.0"), "1.2.0", platformv1alpha1.TriggerSpecChange, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.start = now
			got := decideHop(test.in, test.decision)
			to, trigger := "", platformv1alpha1.Trigger("")
			if got.to != nil {
				to = got.to.Version
			}
			if got.began != nil {
				trigger = got.began.Trigger
				if got.began.Wish != test.in.wish || !got.began.Started.Equal(&now) {
					t.Errorf("it is written down as %+v", got.began)
				}
			}
			if to != test.to || trigger != test.trigger || (test.blocked == "") != (got.blocked == "") || !strings.Contains(got.blocked, test.blocked) {
				t.Errorf("moves to %q by %q, blocked: %q; want %q by %q, blocked: %q", to, trigger, got.blocked, test.to, test.trigger, test.blocked)
			}
		})
	}
}

func TestWishIsWhatTheSpecSaysOfVersions(t *testing.T) {
	spec := platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "quay", Version: "1.x"}}
	wish := wishOf(spec)
	spec.Paused, spec.Install = true, &platformv1alpha1.Install{Namespace: "quay"}
	if wishOf(spec) != wish {
		t.Error("to pause, or to install otherwise, is another wish")
	}
	spec.Upgrades = &platformv1alpha1.Upgrades{Edges: platformv1alpha1.EdgesSemver}
	if wishOf(spec) == wish {
		t.Error("other edges are the same wish")
	}
}

func TestPackageHolder(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	later := metav1.NewTime(noon.Add(time.Second))
	operator := func(name, pkg string, created metav1.Time) *platformv1alpha1.PlatformOperator {
		return &platformv1alpha1.PlatformOperator{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: created},
			Spec:       platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: pkg}},
		}
	}
	all := []*platformv1alpha1.PlatformOperator{
		operator("younger", "quay", later), operator("older", "quay", noon), operator("same-age", "quay", noon), operator("other", "nfs", noon),
	}
	for _, asked := range all {
		want := "older"
		if asked.Spec.Package.Name == "nfs" {
			want = "other"
		}
		if got := packageHolder(asked, all); got != want {
			t.Errorf("asked for %q: %q holds the package, want %q", asked.Name, got, want)
		}
	}
	all[2].Status.ActiveBundleDeployment = &platformv1alpha1.ActiveBundleDeployment{Name: "same-age"}
	if got := packageHolder(all[1], all); got != "same-age" {
		t.Errorf("%q took the package from an operator of the same second that has it deployed", got)
	}
}

func TestRecordSurvivesTheDeployment(t *testing.T) {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", UID: "1"}}
	want := *at("1.0.0+build.7")
	want.MaxOpenShiftVersion, want.MaxOpenShiftVersionFrom = "4.21", platformv1alpha1.FromCatalog
	deployment := newDeployment(operator, want, nil, "ns")
	if got := recordOf(deployment); !cmp.Equal(&want, got) {
		t.Errorf("recorded and read back (-want +got):\n%s", cmp.Diff(&want, got))
	}
	if got := deployment.Labels[platformv1alpha1.LabelVersion]; got != "1.0.0_build.7" {
		t.Errorf("the version's label is %q", got)
	}
	if !ownership.BelongsTo(deployment, operator) {
		t.Error("the deployment is not owned by its operator")
	}
	deployment.Annotations[platformv1alpha1.AnnotationBundle] = "{spoilt"
	if got := recordOf(deployment); got != nil {
		t.Errorf("a spoilt record reads as %v", got)
	}
}
