package operatorstatus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
	"github.com/openshift/platform-operators/pkg/upgradestep"
	"github.com/openshift/platform-operators/test/steptest"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// running returns the input for a PlatformOperator that runs version 1.0.0 in namespace "op-system", healthy and shown as ready, on a
// cluster with version 4.21.3. It applies the changes before it decides the step as the controller does.
func running(changes ...func(*Input)) Input {
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "op", Generation: 3}}
	operator.Spec.Package.Name = "op"
	operator.Status.Installed, operator.Status.ObservedGeneration = steptest.Bundle("1.0.0"), 3
	operator.Status.History = []platformv1alpha1.HistoryEntry{{
		Version: "1.0.0", Bundle: "op.v1.0.0", State: platformv1alpha1.HistoryReady, Trigger: platformv1alpha1.TriggerInstallation,
		StartedTime: metav1.NewTime(noon.Add(-time.Hour)), ReadyTime: &metav1.Time{Time: noon}, CompletedTime: &metav1.Time{Time: noon},
	}}
	deployment := steptest.Active(steptest.Healthy())
	deployment.Name, deployment.Spec.InstallNamespace = "op", "op-system"
	in := Input{Operator: operator, ClusterVersion: "4.21.3", Now: noon}
	in.Current = upgradestep.Current{Deployment: deployment, Recorded: steptest.Bundle("1.0.0"), Installed: operator.Status.Installed, History: operator.Status.History}
	in.Decided.Decision = steptest.Choosing("1.0.0")
	for _, change := range changes {
		change(&in)
	}
	in.Decided.Current, in.Decided.Now = in.Current, noon
	in.Decided.Spec = upgradestep.SpecOf(in.Operator, "")
	in.Step = upgradestep.Decide(in.Decided)
	return in
}

// becomes returns a change that replaces the generation and the status of the BundleDeployment by those of other, except for the active
// revision.
func becomes(other *corev1alpha2.BundleDeployment) func(*Input) {
	return func(in *Input) {
		active := in.Current.Deployment.Status.ActiveRevision
		in.Current.Deployment.Generation, in.Current.Deployment.Status = other.Generation, other.Status
		in.Current.Deployment.Status.ActiveRevision = active
	}
}

// decided returns a change that replaces the resolver's decision.
func decided(decision resolve.Decision) func(*Input) {
	return func(in *Input) { in.Decided.Decision = decision }
}

// movesTo returns a change after which the step to a version is under way.
func movesTo(version string) func(*Input) {
	return func(in *Input) { in.Current.Recorded = steptest.Bundle(version) }
}

// neverReady is a change after which the first installation is under way.
func neverReady(in *Input) {
	in.Operator.Status.Installed, in.Operator.Status.History = nil, nil
	in.Current.Installed, in.Current.History, in.Current.Deployment.Status.ActiveRevision = nil, nil, 0
}

// absent is a change after which there is no BundleDeployment and never was one.
func absent(in *Input) {
	neverReady(in)
	in.Current.Deployment, in.Current.Recorded = nil, nil
}

func paused(in *Input) { in.Operator.Spec.Paused = true }

func refused(in *Input) { in.Refusal = &Refusal{"It is refused."} }

func condition(status platformv1alpha1.PlatformOperatorStatus, kind string) string {
	found := meta.FindStatusCondition(status.Conditions, kind)
	if found == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s: %s", found.Status, found.Reason, found.Message)
}

func TestInstalledAndProgressing(t *testing.T) {
	newer := steptest.Choosing("1.1.0", "1.0.0")
	awaiting := steptest.Choosing("1.0.0")
	next := steptest.Candidate("1.1.0")
	awaiting.Awaiting = &next
	unavailable := resolve.Decision{Reason: platformv1alpha1.ReasonSourceFailed, Message: "no version is in the range."}
	deleted := func(in *Input) { in.Current.Deployment.DeletionTimestamp = &metav1.Time{Time: noon} }
	gone := func(in *Input) { in.Current.Deployment = nil }
	failed := steptest.Deployment("Unpacked=True", "HasValidBundle=True", "Installed=False")
	failed.Status.Conditions[2].Reason = corev1alpha2.ReasonInstallFailed
	anotherImage := func(in *Input) {
		in.Current.Recorded.Image = "registry.invalid/op:again"
		in.Decided.Decision.Chosen = nil
	}
	const installed = `True InstallSuccessful: op.v1.0.0 is installed in namespace "op-system".`
	for name, test := range map[string]struct {
		in                     Input
		installed, progressing string
	}{
		"up to date": {running(), installed, "False AsExpected: The installed version 1.0.0 is the newest that may be installed."},
		"paused":     {running(paused), installed, "False Paused: Nothing is changed while spec.paused is set."},
		"refused":    {running(refused), installed, "False Blocked: It is refused."},
		"refused before anything was installed": {running(absent, refused),
			"False ValidationFailed: It is refused.", "False Blocked: It is refused."},
		"nothing can be chosen": {running(absent, decided(unavailable)),
			"False SourceFailed: no version is in the range.", "False Blocked: Nothing can be installed yet; the Installed condition says why."},
		"paused before anything was installed": {running(absent, paused),
			"False InstallPending: Version 1.0.0 is not installed while spec.paused is set.", "False Paused: Nothing is changed while spec.paused is set."},
		"deleted while paused": {running(gone, paused),
			"False InstallPending: The BundleDeployment of op.v1.0.0 was deleted, and the operator with it. The manager installs the bundle again when spec.paused is no longer set.",
			"False Paused: Nothing is changed while spec.paused is set."},
		"being deleted": {running(deleted),
			`False InstallPending: BundleDeployment "op" is being deleted, and the operator with it; it is installed again when that is done.`,
			"False AsExpected: The installed version 1.0.0 is the newest that may be installed."},
		"being installed": {running(neverReady, becomes(steptest.Deployment("Unpacked=Unknown"))),
			"False UnpackPending: The bundle is being unpacked.", "True Installing: Installing version 1.0.0: its bundle is being unpacked."},
		"cannot be installed": {running(neverReady, becomes(failed)),
			"False InstallFailed: Installed is False.", "False Blocked: Version 1.0.0 cannot be installed: Installed is False."},
		"moving": {running(movesTo("1.1.0"), decided(newer), becomes(steptest.Unhealthy())), installed,
			"True Upgrading: Moving from version 1.0.0 to version 1.1.0: Healthy is False."},
		"moving, of which the BundleDeployment does not know": {running(movesTo("1.1.0"), decided(newer), becomes(steptest.Stale())), installed,
			"True Upgrading: Moving from version 1.0.0 to version 1.1.0: its installation has just begun."},
		"moving to another image": {running(anotherImage, becomes(steptest.Unhealthy())), installed,
			"True Upgrading: Moving to another image of version 1.0.0: Healthy is False."},
		"being restored": {running(func(in *Input) {
			in.Current.Start = &upgradestep.StepStart{Started: metav1.NewTime(noon), Trigger: platformv1alpha1.TriggerRestored, Restores: true}
			in.Current.Deployment.Status.ActiveRevision = 0
		}, becomes(steptest.Deployment("Unpacked=Unknown"))),
			"False UnpackPending: The bundle is being unpacked.",
			"True Installing: Installing version 1.0.0 again, because its BundleDeployment was deleted: its bundle is being unpacked."},
		"a newer version, and what runs is not healthy": {running(decided(newer), becomes(steptest.Unhealthy())), installed,
			`False Blocked: Version 1.1.0 is available, but is not installed until version 1.0.0 is healthy. That version is not healthy: Healthy is False. Remove the cause, or exclude version 1.0.0 in spec.package.version, for example "!=1.0.0".`},
		"a newer version awaits approval": {running(decided(awaiting)), installed,
			`False AwaitingApproval: Version 1.1.0 is available and waits for approval: set spec.upgrades.approvedVersion to "1.1.0".`},
		"the same, and another one is approved": {running(decided(awaiting), func(in *Input) {
			in.Decided.Decision.ApprovalProblem = `the approved version "3.0.0" is in no selected catalog`
		}), installed,
			`False AwaitingApproval: Version 1.1.0 is available and waits for approval: set spec.upgrades.approvedVersion to "1.1.0". The approved version "3.0.0" is in no selected catalog.`},
		"a version is reached, and the next one waits for status": {running(decided(newer), func(in *Input) { in.Current.History = nil }), installed,
			"False AsExpected: Version 1.0.0 is reached, and version 1.1.0 is next."},
		"rolled back": {running(movesTo("1.1.0"), becomes(steptest.RolledBack())), installed,
			"False AsExpected: The installed version 1.0.0 is the newest that may be installed."},
		"held after its deadline, and the spec asks for what is not available": {running(movesTo("1.1.0"), decided(unavailable), becomes(steptest.Overdue())), installed,
			"False DeadlineExceeded: no version is in the range. Until then: Moving from version 1.0.0 to version 1.1.0: Progressing is False."},
		"the same, and a catalog cannot be read": {running(movesTo("1.1.0"), decided(resolve.Decision{Message: unavailable.Message, UnreadCatalogs: "a catalog"}), becomes(steptest.Overdue())), installed,
			"False DeadlineExceeded: Moving from version 1.0.0 to version 1.1.0: Progressing is False."},
		"held after its deadline": {running(movesTo("1.1.0"), decided(steptest.Choosing("1.1.0")), becomes(steptest.Overdue())), installed,
			"False DeadlineExceeded: Moving from version 1.0.0 to version 1.1.0: Progressing is False."},
	} {
		t.Run(name, func(t *testing.T) {
			status := Compute(test.in).Status
			if diff := cmp.Diff(test.installed, condition(status, platformv1alpha1.ConditionInstalled)); diff != "" {
				t.Errorf("Installed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.progressing, condition(status, platformv1alpha1.ConditionProgressing)); diff != "" {
				t.Errorf("Progressing (-want +got):\n%s", diff)
			}
		})
	}
}

// TestComputeOfItsOwnResult checks that Compute does not change a status that it has computed, and does not modify its input.
func TestComputeOfItsOwnResult(t *testing.T) {
	newer := steptest.Choosing("1.1.0", "1.0.0")
	newer.Updates = []resolve.Update{{Candidate: steptest.Candidate("1.1.0"), Path: []string{"1.1.0"}, Reachable: true}}
	for name, in := range map[string]Input{
		"up to date": running(), "paused": running(paused), "refused": running(refused), "absent": running(absent),
		"being installed": running(neverReady, becomes(steptest.Deployment("Unpacked=Unknown"))),
		"moving":          running(movesTo("1.1.0"), decided(newer), becomes(steptest.Unhealthy())),
		"rolled back":     running(movesTo("1.1.0"), decided(newer), becomes(steptest.RolledBack())),
		"unhealthy":       running(decided(newer), becomes(steptest.Unhealthy())),
	} {
		before := in.Operator.DeepCopy()
		first := Compute(in).Status
		if diff := cmp.Diff(before, in.Operator); diff != "" {
			t.Errorf("%s: the operator was modified (-before +after):\n%s", name, diff)
		}
		in.Operator = in.Operator.DeepCopy()
		in.Operator.Status = first
		in.Current.Installed, in.Current.History = first.Installed, first.History
		in.Now = in.Now.Add(time.Hour)
		if diff := cmp.Diff(first, Compute(in).Status); diff != "" {
			t.Errorf("%s: computed again (-first +second):\n%s", name, diff)
		}
	}
}

func TestTargetHasThePathToTheVersionThatIsAimedAt(t *testing.T) {
	onThePath := steptest.Choosing("1.1.0", "1.0.0")
	aim := steptest.Candidate("1.2.0")
	onThePath.Target = &aim
	onThePath.Path = []resolve.Step{{Candidate: steptest.Candidate("1.1.0")}, {Candidate: aim}}
	for name, test := range map[string]struct {
		in   Input
		want string
	}{
		"nothing is under way":          {running(), ""},
		"one step":                      {running(movesTo("1.1.0"), decided(steptest.Choosing("1.1.0")), becomes(steptest.Unhealthy())), "1.1.0 by [1.1.0], now op.v1.1.0"},
		"the first of two":              {running(movesTo("1.1.0"), decided(onThePath), becomes(steptest.Unhealthy())), "1.2.0 by [1.1.0 1.2.0], now op.v1.1.0"},
		"one that leads somewhere else": {running(movesTo("1.3.0"), decided(onThePath), becomes(steptest.Unhealthy())), "1.3.0 by [1.3.0], now op.v1.3.0"},
		"rolled back":                   {running(movesTo("1.1.0"), becomes(steptest.RolledBack())), ""},
	} {
		got := ""
		if target := Compute(test.in).Status.Target; target != nil {
			got = fmt.Sprintf("%s by %v, now %s", target.Version, target.Path, target.Hop.Bundle)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestUpdateThatIsBlockedNow(t *testing.T) {
	newer := steptest.Choosing("1.1.0", "1.0.0")
	inChannels := steptest.Candidate("1.1.0")
	inChannels.Channels = []string{"b", "a", strings.Repeat("x", resolve.MaxName+1)}
	newer.Updates = []resolve.Update{{Candidate: inChannels, Path: []string{"1.1.0"}, Reachable: true}}
	blocked := steptest.Choosing("1.0.0")
	blocked.Updates = []resolve.Update{{Candidate: steptest.Candidate("1.1.0"), Reason: platformv1alpha1.BlockedUnfit, Cause: reason.Rendered("does not fit.")}}
	updating := func(in *Input) { in.Decided.ClusterUpdate = "4.22.0" }
	approved := func(in *Input) {
		in.Operator.Spec.Upgrades = &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual, ApprovedVersion: "1.1.0"}
	}
	lackedPermissions := func(in *Input) {
		failed := &in.Current.Deployment.Status.Revisions[1]
		failed.Bundle, failed.FailedFor = "op.v1.1.0", corev1alpha2.FailedForPermissions
	}
	// tried returns a change after which the newest entry of history is about 1.1.0, with this state.
	tried := func(state platformv1alpha1.HistoryState) func(*Input) {
		return func(in *Input) {
			in.Current.History = append([]platformv1alpha1.HistoryEntry{{Version: "1.1.0", Bundle: "op.v1.1.0", State: state, StartedTime: metav1.NewTime(noon)}}, in.Current.History...)
			in.Current.Start = &upgradestep.StepStart{Started: metav1.NewTime(noon)}
		}
	}
	for name, test := range map[string]struct {
		in   Input
		want string
	}{
		"it is moved to":               {running(decided(newer)), " "},
		"paused":                       {running(decided(newer), paused), "Paused Version 1.1.0 is not installed while spec.paused is set."},
		"what runs is not healthy":     {running(decided(newer), becomes(steptest.Unhealthy())), "Unhealthy Version 1.1.0 is not installed until version 1.0.0 is healthy; the Progressing condition says why, and what to do."},
		"the cluster is being updated": {running(decided(newer), updating), "ClusterUpdating Version 1.1.0 is not installed while the cluster itself is being updated to 4.22.0."},
		"the same, and it is approved": {running(decided(newer), updating, approved), " "},
		"it was rolled back":           {running(decided(newer), movesTo("1.1.0"), becomes(steptest.RolledBack()), tried(platformv1alpha1.HistoryRolledBack)), "Failed Version 1.1.0 was tried, missed its deadline and was rolled back; it is not tried again until its bundle, spec.install.config, spec.install.adoption or spec.install.progressDeadlineSeconds changes, or annotation platform.openshift.io/retry is set to a new value."},
		"it lacked permissions": {
			running(decided(newer), movesTo("1.1.0"), becomes(steptest.RolledBack()), lackedPermissions, tried(platformv1alpha1.HistoryRolledBack)),
			"Failed Version 1.1.0 was tried, missed its deadline and was rolled back; it is not tried again until its bundle, spec.install.config, spec.install.adoption or spec.install.progressDeadlineSeconds changes, the manager has the permissions that it lacked, or annotation platform.openshift.io/retry is set to a new value.",
		},
		"it is being tried and fails": {running(decided(newer), movesTo("1.1.0"), becomes(steptest.Overdue()), tried(platformv1alpha1.HistoryFailed)), "Failed Version 1.1.0 is being tried and fails; the Progressing condition says why."},
		"what blocks it anyway":       {running(decided(blocked), paused), "Unfit Version 1.1.0 does not fit."},
	} {
		t.Run(name, func(t *testing.T) {
			status := Compute(test.in).Status
			if len(status.AvailableUpdates) != 1 || status.AvailableUpdatesTotal != 1 {
				t.Fatalf("there are %d updates of %d", len(status.AvailableUpdates), status.AvailableUpdatesTotal)
			}
			update := status.AvailableUpdates[0]
			if diff := cmp.Diff(test.want, string(update.BlockedReason)+" "+update.BlockedMessage); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if name != "what blocks it anyway" && !slices.Equal(update.Channels, []string{"a", "b"}) {
				t.Errorf("its channels are %q", update.Channels)
			}
		})
	}
}

func TestDeprecatedCondition(t *testing.T) {
	of := func(pkg catalog.Package) func(*Input) {
		return func(in *Input) {
			pkg.Name, pkg.DefaultChannel = "op", "stable"
			in.Catalogs = &CatalogView{resolve.Request{Package: "op"}, []resolve.Catalog{{ID: steptest.Candidate("").Catalog, Package: &pkg}}}
		}
	}
	bundle := steptest.Candidate("1.0.0").Bundle
	bundle.Deprecated = "it eats data."
	stable := catalog.Channel{Name: "stable", Entries: []catalog.Entry{{Name: bundle.Name}}}
	endOfLife := stable
	endOfLife.Deprecated = "end of life"
	for name, test := range map[string]struct {
		in   Input
		want string
	}{
		"no catalog was read":   {running(), "Unknown CatalogUnavailable: It is not known whether the operator is deprecated, because none of the selected catalogs that can be read contains the package."},
		"nothing is deprecated": {running(of(catalog.Package{Channels: []catalog.Channel{stable}})), `False NotDeprecated: Neither the package nor channel "stable" nor op.v1.0.0 is deprecated.`},
		"before anything is installed": {running(absent, of(catalog.Package{Channels: []catalog.Channel{stable}})),
			"False NotDeprecated: Nothing is installed, and the package is not deprecated."},
		"all of it is": {running(of(catalog.Package{Deprecated: "use another", Channels: []catalog.Channel{endOfLife}, Bundles: []catalog.Bundle{bundle}})),
			`True Deprecated: Package "op" is deprecated: use another; channel "stable" is deprecated: end of life; bundle "op.v1.0.0" is deprecated: it eats data.`},
		"refused": {running(refused), "none"},
	} {
		if diff := cmp.Diff(test.want, condition(Compute(test.in).Status, platformv1alpha1.ConditionDeprecated)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHealthyCondition(t *testing.T) {
	for name, test := range map[string]struct {
		in   Input
		want string
	}{
		"healthy":             {running(), "True AsExpected: Healthy is True."},
		"unhealthy":           {running(becomes(steptest.Unhealthy())), "False Unhealthy: Healthy is False."},
		"unknown":             {running(becomes(steptest.Deployment("Healthy=Unknown"))), "Unknown Unknown: Healthy is Unknown."},
		"not known yet":       {running(becomes(steptest.Deployment())), "Unknown Unknown: The operator's health is not known yet."},
		"nothing is deployed": {running(absent), "Unknown Unknown: Nothing is installed."},
	} {
		if diff := cmp.Diff(test.want, condition(Compute(test.in).Status, platformv1alpha1.ConditionHealthy)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWarningsAreBoundedAndInOrder(t *testing.T) {
	in := running(func(in *Input) {
		in.Decided.Decision.UnavailableCatalogs, in.Decided.Decision.Notes = []string{"a catalog"}, []string{"a rule", "a catalog"}
		in.Current.Deployment.Status.Warnings = []string{"the API server"}
		in.Operator.Spec.Install = &platformv1alpha1.Install{Namespace: "elsewhere"}
		in.Operator.Spec.CompatibilityOverrides = []corev1alpha2.CompatibilityOverride{{OpenShiftVersion: "4.22"}}
	})
	warnings := Compute(in).Status.Warnings
	if len(warnings) != 5 {
		t.Fatalf("there are %d: %q", len(warnings), warnings)
	}
	for i, start := range []string{"a catalog", "", `spec.install.namespace "elsewhere" has no effect: the operator stays in namespace "op-system".`, "the API server", "a rule"} {
		if !strings.HasPrefix(warnings[i], start) {
			t.Errorf("warning %d is %q, want %q first", i, warnings[i], start)
		}
	}
	if !strings.Contains(warnings[1], "4.22") {
		t.Errorf("the override is not named: %q", warnings[1])
	}
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("%d %s", i, strings.Repeat("x", 2000)))
	}
	in.Current.Deployment.Status.Warnings = many
	warnings = Compute(in).Status.Warnings
	if len(warnings) != maxWarnings {
		t.Errorf("there are %d", len(warnings))
	}
	for _, warning := range warnings {
		if len(warning) > maxWarning {
			t.Errorf("one has %d bytes", len(warning))
		}
	}
}

func TestARefusedSpecKeepsWhatTheCatalogsDeprecate(t *testing.T) {
	in := running(refused)
	in.Operator.Generation = 2
	in.Operator.Status.Conditions = []metav1.Condition{{
		Type: platformv1alpha1.ConditionDeprecated, Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonDeprecated,
		Message: "Package \"op\" is deprecated: gone.", ObservedGeneration: 1, LastTransitionTime: metav1.Time{Time: noon.Add(-time.Hour)},
	}}
	got := *meta.FindStatusCondition(Compute(in).Status.Conditions, platformv1alpha1.ConditionDeprecated)
	want := in.Operator.Status.Conditions[0]
	want.ObservedGeneration = 2
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
