package status

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func clusterVersion(version string) *configv1.ClusterVersion {
	return &configv1.ClusterVersion{Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: version}}}
}

func clusterOperator(upgradeable configv1.ConditionStatus) *configv1.ClusterOperator {
	return &configv1.ClusterOperator{Status: configv1.ClusterOperatorStatus{Conditions: []configv1.ClusterOperatorStatusCondition{
		{Type: configv1.OperatorUpgradeable, Status: upgradeable, Reason: "FromClusterOperator", Message: "cluster operator"},
	}}}
}

func manager(upgradeable operatorv1.ConditionStatus) *operatorv1alpha1.PlatformOperatorManager {
	m := &operatorv1alpha1.PlatformOperatorManager{}
	m.Name = "cluster"
	m.Status.Conditions = []operatorv1.OperatorCondition{
		{Type: "InstalledOperatorsUpgradeable", Status: upgradeable, Reason: "FromManager", Message: "manager"},
	}
	return m
}

func TestCLI_18_VerdictOfTheCluster(t *testing.T) {
	blocking := platformv1alpha1.PlatformOperator{}
	blocking.Name = "compass"
	blocking.Status.Conditions = []metav1.Condition{{Type: "Upgradeable", Status: "False"}}
	for name, test := range map[string]struct {
		objects                         Objects
		decision                        Decision
		nextMinor, message, source, why string
	}{
		"Nothing": {Objects{}, Unknown, "", "", "", "no object reports anything"},
		"ClusterOperatorPermits": {Objects{ClusterVersion: clusterVersion("4.21.3"), ClusterOperator: clusterOperator("True"),
			Manager: manager("True")},
			Permitted, "4.22", "manager", "ClusterOperator/platform-operators-aggregated", "both agree, and the manager's message has no prefixes"},
		"ClusterOperatorBlocks": {Objects{ClusterVersion: clusterVersion("4.21.3"), ClusterOperator: clusterOperator("False"),
			Manager: manager("True")},
			Blocked, "4.22", "cluster operator", "ClusterOperator/platform-operators-aggregated", "the cluster-version operator reads the " +
				"ClusterOperator"},
		"OnlyTheManager": {Objects{Manager: manager("False")}, Blocked, "", "manager", "PlatformOperatorManager/cluster",
			"Kubernetes has no ClusterOperator"},
		"UnknownCondition": {Objects{ClusterOperator: clusterOperator("Unknown"), Manager: manager("Unknown")}, Unknown, "", "manager",
			"ClusterOperator/platform-operators-aggregated", "Unknown is no permission"},
		"SameReleaseTwoNames": {Objects{ClusterVersion: clusterVersion("4.22.0")}, Unknown, "4.23", "", "", "4.23 and 5.0 are one release"},
		"UnreadableVersion":   {Objects{ClusterVersion: clusterVersion("latest")}, Unknown, "", "", "", "the version is no version"},
		"OnlyOperators": {Objects{Operators: []platformv1alpha1.PlatformOperator{blocking}}, Blocked, "", "Upgradeable is False on: compass",
			"PlatformOperators",
			"a verdict that may not be read must not look like a permission"},
	} {
		t.Run(name, func(t *testing.T) {
			got := NewReport(test.objects).Cluster
			if got.Decision != test.decision || got.NextMinor != test.nextMinor || got.Message != test.message || got.Source != test.source {
				t.Errorf("%s: got %+v", test.why, got)
			}
		})
	}
}

func TestCLI_18_TheExitCodeIsThatOfTheNamedOperator(t *testing.T) {
	objects := Objects{ClusterOperator: clusterOperator("False"), Operators: make([]platformv1alpha1.PlatformOperator, 1)}
	if !NewReport(objects).IsBlocked() {
		t.Error("the ClusterOperator blocks, and the report about all operators does not")
	}
	if NewOperatorReport(objects).IsBlocked() {
		t.Error("the operator does not block, and the report about it does")
	}
	for _, condition := range []metav1.Condition{
		{Type: "Upgradeable", Status: "False"}, {Type: "Progressing", Status: "False", Reason: platformv1alpha1.ReasonDeadlineExceeded},
	} {
		objects.Operators[0].Status.Conditions = []metav1.Condition{condition}
		if !NewOperatorReport(objects).IsBlocked() {
			t.Errorf("%s is False, and the report about the operator does not say that it is blocked", condition.Type)
		}
	}
}
