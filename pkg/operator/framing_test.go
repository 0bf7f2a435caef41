package operator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/status"

	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
)

// twoBlockers returns the message of the ClusterOperator for two operators that block the next minor version, as library-go merges it.
func twoBlockers() string {
	verdict, err := compat.Evaluate("4.21.3", []compat.Operator{
		{Name: "cert-manager", Package: "cert-manager", Version: "1.16.0", Max: []string{`"4.21"`}},
		{Name: "quay", Package: "quay", Version: "3.14.0", Max: []string{`"4.21"`}, Candidates: []compat.Candidate{
			{Version: "3.15.0", Max: []string{`"4.22"`}, Approve: "3.15.0"},
		}},
	}, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return err.Error()
	}
	return status.UnionClusterCondition(configv1.OperatorUpgradeable, operatorv1.ConditionTrue, nil, operatorv1.OperatorCondition{
		Type: upgradegate.ConditionType, Status: operatorv1.ConditionFalse, Reason: verdict.Reason, Message: verdict.Message,
	}).Message
}

// Promise HRD-T2: A CVO shows the gate's message without the ClusterOperator and the reason. So its first words name the component and the
// kind, each blocker has one line with its version, its limit and the remedy, sentences have a full stop, and the last line is the command
// for the first blocker.
func TestHRD_T2_MessageNeedsNoReasonAndNoName(t *testing.T) {
	var lines []string
	for _, line := range strings.Split(twoBlockers(), "\n") {
		text, found := strings.CutPrefix(line, upgradegate.ConditionType+": ")
		if !found {
			t.Errorf("library-go does not begin the line with the condition's type: %s", line)
		}
		lines = append(lines, text)
	}
	last := len(lines) - 1
	if !strings.HasPrefix(lines[0], "platform-operators: 2 PlatformOperators block OpenShift 4.22:") {
		t.Errorf("the first line is %q", lines[0])
	}
	if !strings.HasPrefix(lines[last], "Next step for cert-manager: oc patch platformoperator cert-manager ") {
		t.Errorf("the last line is %q", lines[last])
	}
	for i, want := range []string{"- cert-manager 1.16.0 allows at most 4.21: ", "- quay 3.14.0 allows at most 4.21: "} {
		if !strings.HasPrefix(lines[1+i], want) {
			t.Errorf("line %d is %q, want %q", 1+i, lines[1+i], want)
		}
	}
	for _, line := range lines[1:last] {
		if !strings.HasSuffix(line, ".") {
			t.Errorf("%q has no full stop", line)
		}
	}
	if size := len(twoBlockers()); size > compat.MaxMessage {
		t.Errorf("the message has %d bytes", size)
	}
}

// printUpgradeable prints ClusterVersion's condition Upgradeable as `oc adm upgrade` does: it indents each line of the message.
func printUpgradeable(reason, message string) {
	fmt.Println("Upgradeable=False")
	fmt.Println()
	fmt.Println("  Reason:", reason)
	fmt.Println("  Message:", strings.ReplaceAll(message, "\n", "\n  "))
}

// A CVO up to 4.22 names the ClusterOperator before the message.
func Example_upgradeableInFormerVersions() {
	printUpgradeable("InstalledOperators_IncompatibleOperatorsInstalled",
		"Cluster operator "+ClusterOperatorName+" should not be upgraded between minor versions: "+twoBlockers())
	// Output:
	// Upgradeable=False
	//
	//   Reason: InstalledOperators_IncompatibleOperatorsInstalled
	//   Message: Cluster operator platform-operators-aggregated should not be upgraded between minor versions: InstalledOperatorsUpgradeable: platform-operators: 2 PlatformOperators block OpenShift 4.22:
	//   InstalledOperatorsUpgradeable: - cert-manager 1.16.0 allows at most 4.21: no version in the catalogs allows 4.22.
	//   InstalledOperatorsUpgradeable: - quay 3.14.0 allows at most 4.21: set spec.upgrades.approvedVersion to "3.15.0" (allows 4.22).
	//   InstalledOperatorsUpgradeable: Where no version allows it, acknowledge the risk for a limited time in spec.compatibilityOverrides.
	//   InstalledOperatorsUpgradeable: With the plugin, "oc platform explain upgrade" shows the next step for each operator.
	//   InstalledOperatorsUpgradeable: Next step for cert-manager: oc patch platformoperator cert-manager --type=merge -p '{"spec":{"compatibilityOverrides":[{"expires":"2026-04-01T00:00:00Z","openShiftVersion":"4.22","reason":"WHO ACKNOWLEDGES THE RISK, AND WHY"}]}}'
}

// A CVO from 4.23 on shows the message alone.
func Example_upgradeable() {
	printUpgradeable("RiskNameNotCompatibleWithReasonProperty", twoBlockers())
	// Output:
	// Upgradeable=False
	//
	//   Reason: RiskNameNotCompatibleWithReasonProperty
	//   Message: InstalledOperatorsUpgradeable: platform-operators: 2 PlatformOperators block OpenShift 4.22:
	//   InstalledOperatorsUpgradeable: - cert-manager 1.16.0 allows at most 4.21: no version in the catalogs allows 4.22.
	//   InstalledOperatorsUpgradeable: - quay 3.14.0 allows at most 4.21: set spec.upgrades.approvedVersion to "3.15.0" (allows 4.22).
	//   InstalledOperatorsUpgradeable: Where no version allows it, acknowledge the risk for a limited time in spec.compatibilityOverrides.
	//   InstalledOperatorsUpgradeable: With the plugin, "oc platform explain upgrade" shows the next step for each operator.
	//   InstalledOperatorsUpgradeable: Next step for cert-manager: oc patch platformoperator cert-manager --type=merge -p '{"spec":{"compatibilityOverrides":[{"expires":"2026-04-01T00:00:00Z","openShiftVersion":"4.22","reason":"WHO ACKNOWLEDGES THE RISK, AND WHY"}]}}'
}

// If other ClusterOperators block the update too, a CVO shows a list.
func Example_upgradeableAmongOthers() {
	printUpgradeable("MultipleReasons", "Cluster should not be upgraded between minor or major versions for multiple reasons:\n"+
		"* Cluster operator config-operator should not be upgraded between minor versions: FeatureGatesUpgradeable: \"TechPreviewNoUpgrade\" does not allow updates\n"+
		"* "+twoBlockers())
	// Output:
	// Upgradeable=False
	//
	//   Reason: MultipleReasons
	//   Message: Cluster should not be upgraded between minor or major versions for multiple reasons:
	//   * Cluster operator config-operator should not be upgraded between minor versions: FeatureGatesUpgradeable: "TechPreviewNoUpgrade" does not allow updates
	//   * InstalledOperatorsUpgradeable: platform-operators: 2 PlatformOperators block OpenShift 4.22:
	//   InstalledOperatorsUpgradeable: - cert-manager 1.16.0 allows at most 4.21: no version in the catalogs allows 4.22.
	//   InstalledOperatorsUpgradeable: - quay 3.14.0 allows at most 4.21: set spec.upgrades.approvedVersion to "3.15.0" (allows 4.22).
	//   InstalledOperatorsUpgradeable: Where no version allows it, acknowledge the risk for a limited time in spec.compatibilityOverrides.
	//   InstalledOperatorsUpgradeable: With the plugin, "oc platform explain upgrade" shows the next step for each operator.
	//   InstalledOperatorsUpgradeable: Next step for cert-manager: oc patch platformoperator cert-manager --type=merge -p '{"spec":{"compatibilityOverrides":[{"expires":"2026-04-01T00:00:00Z","openShiftVersion":"4.22","reason":"WHO ACKNOWLEDGES THE RISK, AND WHY"}]}}'
}
