package explain

import (
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/cli/status"
)

var in = Context{Tools: remedy.Tools{Client: "oc", Plugin: "oc platform"}, Now: time.Date(2026, 11, 28, 6, 0, 0, 0, time.UTC)}

// operatorWith returns an operator at version 1.0.0 with one condition.
func operatorWith(kind, state, reason string) platformv1alpha1.PlatformOperator {
	o := platformv1alpha1.PlatformOperator{}
	o.Name = "quay"
	o.Spec.Package.Name = "project-quay"
	o.Status.Installed = &platformv1alpha1.InstalledBundle{Bundle: "quay.v1.0.0", Version: "1.0.0", MaxOpenShiftVersion: "4.21"}
	o.Status.Conditions = []metav1.Condition{{Type: kind, Status: metav1.ConditionStatus(state), Reason: reason}}
	return o
}

// deploymentOf returns an empty BundleDeployment that a PlatformOperator owns.
func deploymentOf(operator *platformv1alpha1.PlatformOperator) corev1alpha2.BundleDeployment {
	owner := *metav1.NewControllerRef(operator, platformv1alpha1.SchemeGroupVersion.WithKind("PlatformOperator"))
	return corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: operator.Name, OwnerReferences: []metav1.OwnerReference{owner}}}
}

func objectsOf(operator platformv1alpha1.PlatformOperator) status.Objects {
	version := &configv1.ClusterVersion{Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: "4.21.3"}}}
	return status.Objects{ClusterVersion: version, Operators: []platformv1alpha1.PlatformOperator{operator}}
}

func TestCLI_8_TheRemedyOfALimit(t *testing.T) {
	update := func(reason platformv1alpha1.BlockedReason) []platformv1alpha1.AvailableUpdate {
		return []platformv1alpha1.AvailableUpdate{{Version: "1.2.0", BlockedReason: reason}}
	}
	for name, test := range map[string]struct {
		after   string // status.compatibility.afterUpdates
		updates []platformv1alpha1.AvailableUpdate
		command string // a part of the command
	}{
		"Approve":             {"4.22", update(platformv1alpha1.BlockedAwaitingApproval), `"approvedVersion":"1.2.0"`},
		"ApproveThePlan":      {"4.22", update(platformv1alpha1.BlockedAwaitingPlanApproval), "oc platform approve quay"},
		"Unpause":             {"4.23", update(platformv1alpha1.BlockedPaused), `"paused":false`},
		"Wait":                {"4.22", update(""), "oc platform updates quay"},
		"TheUpdateIsTooOld":   {"4.21", update(platformv1alpha1.BlockedAwaitingApproval), `"compatibilityOverrides":[{`},
		"AnotherReason":       {"4.22", update(platformv1alpha1.BlockedNoEdge), "oc platform updates quay"},
		"OutsideTheRange":     {"4.21", update(platformv1alpha1.BlockedRange), "oc platform updates quay"},
		"NoUpdate":            {"", nil, `"expires":"2027-01-01T00:00:00Z"`},
		"UnreadableAfter":     {"soon", update(""), `"compatibilityOverrides":[{`},
		"TheNewNameOfOneLine": {"5.0", update(""), "oc platform updates quay"},
	} {
		t.Run(name, func(t *testing.T) {
			operator := operatorWith("Upgradeable", "False", platformv1alpha1.ReasonIncompatibleOperator)
			operator.Status.Compatibility = &platformv1alpha1.Compatibility{AfterUpdates: test.after}
			operator.Status.AvailableUpdates = test.updates
			report := NewOperatorReport(objectsOf(operator), in)
			if got := report.Chains[0].Links[0]; got.Remedy == nil || !strings.Contains(got.Remedy.Command, test.command) {
				t.Errorf("got %+v, want a command with %s", got.Remedy, test.command)
			}
			if !report.Blocked || !report.Chains[0].BlocksCluster {
				t.Error("the operator blocks the cluster, and the report does not")
			}
		})
	}
}

func TestCLI_8_TheRemedyOfAnApproval(t *testing.T) {
	const withdraw, widen = `"approvedVersion":null`, `"version":">=1.0.0 <=1.2.0"`
	for name, test := range map[string]struct {
		approved string
		total    int32
		command  string // a part of the command
	}{
		"a version that is not available":    {"1.3.0", 1, withdraw},
		"a text that is not a version":       {"latest", 1, withdraw},
		"the version of an earlier upgrade":  {"0.9.0", 1, widen},
		"the installed version":              {"1.0.0", 1, widen},
		"the update":                         {"1.2.0", 1, widen},
		"an update that the status may omit": {"1.3.0", 30, widen},
		"none":                               {"", 1, widen},
	} {
		t.Run(name, func(t *testing.T) {
			operator := operatorWith("Progressing", "False", platformv1alpha1.ReasonBlocked)
			operator.Spec.Upgrades = &platformv1alpha1.Upgrades{ApprovedVersion: test.approved}
			operator.Status.AvailableUpdates = []platformv1alpha1.AvailableUpdate{{Version: "1.2.0", BlockedReason: platformv1alpha1.BlockedRange}}
			operator.Status.AvailableUpdatesTotal = test.total
			report := NewOperatorReport(objectsOf(operator), in)
			if got := report.Chains[0].Links[0]; got.Remedy == nil || !strings.Contains(got.Remedy.Command, test.command) {
				t.Errorf("got %+v, want a command with %s", got.Remedy, test.command)
			}
		})
	}
}

func TestCLI_8_DriftDuringAPauseIsExplainedByThePause(t *testing.T) {
	operator := operatorWith("Progressing", "False", platformv1alpha1.ReasonPaused)
	operator.Spec.Paused = true
	objects := objectsOf(operator)
	deployment := deploymentOf(&operator)
	deployment.Status.Conditions = []metav1.Condition{{Type: corev1alpha2.ConditionDrifted, Status: metav1.ConditionTrue, Reason: corev1alpha2.ReasonDriftReported}}
	objects.Deployments = append(objects.Deployments, deployment)
	links := NewOperatorReport(objects, in).Chains[0].Links
	if got := links[len(links)-1]; got.Condition != corev1alpha2.ConditionDrifted || !strings.Contains(got.Remedy.Text, "end the pause") ||
		!strings.Contains(got.Remedy.Command, `"paused":false`) {
		t.Errorf("got %+v", got)
	}
}

func TestCLI_8_WhatIsBlocked(t *testing.T) {
	for name, test := range map[string]struct {
		kind, state, reason string
		blocked             bool
		links               int
	}{
		"Healthy":          {"Healthy", "True", platformv1alpha1.ReasonAsExpected, false, 0},
		"Unhealthy":        {"Healthy", "False", platformv1alpha1.ReasonUnhealthy, false, 1},
		"Upgrading":        {"Progressing", "True", platformv1alpha1.ReasonUpgrading, false, 1},
		"AwaitingApproval": {"Progressing", "False", platformv1alpha1.ReasonAwaitingApproval, false, 1},
		"Paused":           {"Progressing", "False", platformv1alpha1.ReasonPaused, false, 1},
		"Held":             {"Progressing", "False", platformv1alpha1.ReasonDeadlineExceeded, true, 1},
		"NotFound":         {"Installed", "False", platformv1alpha1.ReasonSourceFailed, true, 1},
		"Acknowledged":     {"Upgradeable", "True", platformv1alpha1.ReasonOverrideAcknowledged, false, 1},
		"NewerManager":     {"Progressing", "False", "FromTheFuture", false, 1},
		"NewerInstall":     {"Installed", "False", "FromTheFuture", true, 1},
	} {
		report := NewOperatorReport(objectsOf(operatorWith(test.kind, test.state, test.reason)), in)
		if report.Blocked != test.blocked || len(report.Chains[0].Links) != test.links {
			t.Errorf("%s: got blocked %t and %d links, want %t and %d", name, report.Blocked, len(report.Chains[0].Links), test.blocked,
				test.links)
		}
	}
}

// TestCLI_8_OneDefinitionOfBlocked compares what this package explains as blocking with what list and status report as blocked.
func TestCLI_8_OneDefinitionOfBlocked(t *testing.T) {
	for _, each := range Explained() {
		explanation, _ := Explain(each)
		condition := metav1.Condition{Type: each.Condition, Status: metav1.ConditionFalse, Reason: each.Reason}
		operator, deployment := &platformv1alpha1.PlatformOperator{}, &corev1alpha2.BundleDeployment{}
		switch {
		case each.Kind == KindPlatformOperator && each.Condition != platformv1alpha1.ConditionUpgradeable: // which blocks the cluster
			if each.Condition == platformv1alpha1.ConditionInstalled && explanation.Effect == Normal {
				condition.Status = metav1.ConditionTrue
			}
			operator.Status.Conditions = []metav1.Condition{condition}
		case each.Kind == KindBundleDeployment:
			deployment.Status.Conditions = []metav1.Condition{condition}
		default:
			continue
		}
		if got, want := operators.Summarize(operator, deployment).Blocked, explanation.Effect == Blocking; got != want {
			t.Errorf("%v: got blocked %t, and the effect is %s", each, got, explanation.Effect)
		}
	}
}

// TestCLI_8_ARemedyIsShownOnce checks that a chain does not repeat a command with the same advice.
func TestCLI_8_ARemedyIsShownOnce(t *testing.T) {
	operator := operatorWith("Upgradeable", "False", platformv1alpha1.ReasonIncompatibleOperator)
	operator.Status.Compatibility = &platformv1alpha1.Compatibility{AfterUpdates: "4.22"}
	operator.Status.AvailableUpdates = []platformv1alpha1.AvailableUpdate{{
		Version: "1.2.0", BlockedReason: platformv1alpha1.BlockedAwaitingApproval,
	}}
	operator.Status.Conditions = append(operator.Status.Conditions, metav1.Condition{
		Type: "Progressing", Status: "False", Reason: platformv1alpha1.ReasonAwaitingApproval,
	})
	links := NewOperatorReport(objectsOf(operator), in).Chains[0].Links
	if len(links) != 2 || links[0].Remedy == nil || links[1].Remedy != nil {
		t.Errorf("got %+v, want the remedy of the first link only", links)
	}
}

// TestCLI_8_DriftIsExplainedOnce checks that the PlatformOperator's condition is explained only if there is no BundleDeployment with it.
func TestCLI_8_DriftIsExplainedOnce(t *testing.T) {
	objects := objectsOf(operatorWith("Drifted", "True", platformv1alpha1.ReasonDriftReported))
	if links := NewOperatorReport(objects, in).Chains[0].Links; len(links) != 1 || links[0].Object != "PlatformOperator/quay" {
		t.Errorf("without a BundleDeployment, got %+v", links)
	}
	drifted := metav1.Condition{Type: "Drifted", Status: "True", Reason: corev1alpha2.ReasonDriftReported}
	objects.Deployments = []corev1alpha2.BundleDeployment{deploymentOf(&objects.Operators[0])}
	objects.Deployments[0].Status.Conditions = []metav1.Condition{drifted}
	if links := NewOperatorReport(objects, in).Chains[0].Links; len(links) != 1 || links[0].Object != "BundleDeployment/quay" {
		t.Errorf("with a BundleDeployment, got %+v", links)
	}
}

func TestCLI_8_AnUnreadCatalogIsNamedByTheWarnings(t *testing.T) {
	operator := operatorWith("Installed", "False", platformv1alpha1.ReasonSourceFailed)
	operator.Status.Warnings = []string{"ClusterCatalog/harbor cannot be read"}
	link := NewOperatorReport(objectsOf(operator), in).Chains[0].Links[0]
	for _, property := range link.Properties {
		if property.Name == "status.warnings" && property.Value == operator.Status.Warnings[0] {
			return
		}
	}
	t.Errorf("got %+v, want the warning", link.Properties)
}

// TestCLI_8_OnlyBlockersExplainTheUpgrade checks that healthy and merely waiting operators have no chain in the explanation of the upgrade.
func TestCLI_8_OnlyBlockersExplainTheUpgrade(t *testing.T) {
	objects := objectsOf(operatorWith("Upgradeable", "False", platformv1alpha1.ReasonIncompatibleOperator))
	waiting := operatorWith("Progressing", "False", platformv1alpha1.ReasonAwaitingApproval)
	waiting.Name, waiting.UID = "waiting", "waiting-uid"
	objects.Operators = append(objects.Operators, waiting)
	objects.Deployments = []corev1alpha2.BundleDeployment{deploymentOf(&objects.Operators[1])}
	report := NewUpgradeReport(objects, in)
	if len(report.Chains) != 1 || report.Chains[0].Operator != "quay" || !report.Blocked {
		t.Errorf("got %+v", report.Chains)
	}
}

func TestCLI_8_SeveralReasonsOfTheClusterOperator(t *testing.T) {
	objects := objectsOf(operatorWith("Healthy", "True", platformv1alpha1.ReasonAsExpected))
	objects.ClusterOperator = &configv1.ClusterOperator{}
	objects.ClusterOperator.Name = "platform-operators-aggregated"
	objects.ClusterOperator.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{
		Type: "Upgradeable", Status: "False", Reason: "InstalledOperators_ErrorCheckingOperatorCompatibility::Other_NoData",
	}}
	links := NewUpgradeReport(objects, in).Links
	if len(links) != 2 || links[0].Effect != Blocking || links[1].Explanation != unknownReason.Text {
		t.Errorf("got %+v", links)
	}
}

// TestCLI_8_APauseHasOneRemedy checks that the command ends the pause of the PlatformOperator, and not that of its BundleDeployment, which the
// manager would set again.
func TestCLI_8_APauseHasOneRemedy(t *testing.T) {
	objects := objectsOf(operatorWith("Progressing", "False", platformv1alpha1.ReasonPaused))
	deployment := deploymentOf(&objects.Operators[0])
	deployment.Status.Conditions = []metav1.Condition{{Type: "Progressing", Status: "False", Reason: corev1alpha2.ReasonPaused}}
	objects.Deployments = []corev1alpha2.BundleDeployment{deployment}
	var commands []string
	for _, link := range NewOperatorReport(objects, in).Chains[0].Links {
		if link.Remedy != nil {
			commands = append(commands, link.Remedy.Command)
		}
	}
	if len(commands) != 1 || !strings.Contains(commands[0], " patch platformoperator quay ") {
		t.Errorf("got %q, want one command for the PlatformOperator", commands)
	}
}
