package explain

import (
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/status"
)

// TestCLI_8_AnUnknownVerdictIsExplained checks that the status of the condition decides, whatever its reason is.
func TestCLI_8_AnUnknownVerdictIsExplained(t *testing.T) {
	for _, reason := range []string{"NoData", "AsExpected", "InstalledOperators_ErrorCheckingOperatorCompatibility", ""} {
		objects := objectsOf(operatorWith("Healthy", "True", platformv1alpha1.ReasonAsExpected))
		objects.ClusterOperator = &configv1.ClusterOperator{}
		objects.ClusterOperator.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{Type: "Upgradeable", Status: "Unknown", Reason: reason}}
		onlyManager := objectsOf(objects.Operators[0])
		onlyManager.Manager = &operatorv1alpha1.PlatformOperatorManager{}
		onlyManager.Manager.Status.Conditions = []operatorv1.OperatorCondition{{Type: conditionUpgradeable, Status: "Unknown", Reason: reason}}
		for name, of := range map[string]status.Objects{"ClusterOperator": objects, "PlatformOperatorManager": onlyManager} {
			report := NewUpgradeReport(of, in)
			if len(report.Links) != 1 || report.Links[0].Explanation != unknownVerdict.Text || report.Links[0].Remedy.Command == "" || report.Blocked {
				t.Errorf("%s with reason %q: got %+v", name, reason, report.Links)
			}
			if sentence := report.Cluster.Sentence(); !strings.Contains(sentence, "Upgradeable of "+name) {
				t.Errorf("%s with reason %q: got %s", name, reason, sentence)
			}
		}
	}
}
