package scenarios

import (
	"testing"

	"github.com/Masterminds/semver/v3"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestVersionModelPermitsSteps(t *testing.T) {
	offers := []offer{{Version: "1.0.0"}, {Version: "1.1.0"}, {Version: "1.2.0", MaxOpenShiftVersion: "4.20"}, {Version: "1.3.0"}}
	manual := func(approved string) *platformv1alpha1.Upgrades {
		return &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual, ApprovedVersion: approved}
	}
	selfCertified := &platformv1alpha1.Upgrades{Edges: platformv1alpha1.EdgesSelfCertified}
	for name, test := range map[string]struct {
		versions, from, to string
		upgrades           *platformv1alpha1.Upgrades
		want               bool
	}{
		"to the next version":                       {"", "1.0.0", "1.1.0", nil, true},
		"to a version for another OpenShift":        {"", "1.1.0", "1.2.0", nil, false},
		"through a version for another OpenShift":   {"", "1.1.0", "1.3.0", nil, false},
		"to a version out of the range":             {"1.0.x", "1.0.0", "1.1.0", nil, false},
		"back":                                      {"", "1.1.0", "1.0.0", nil, false},
		"back at the user's own risk":               {"", "1.1.0", "1.0.0", selfCertified, true},
		"to the approved version":                   {"", "1.0.0", "1.1.0", manual("1.1.0"), true},
		"without approval":                          {"", "1.0.0", "1.1.0", manual(""), false},
		"a first installation needs no approval":    {"", "", "1.1.0", manual(""), true},
		"a first installation must be in the range": {"1.0.x", "", "1.1.0", nil, false},
		"a version that the catalog does not have":  {"", "0.9.0", "1.0.0", nil, true},
	} {
		model := versionModel{
			offers: offers, cluster: semver.MustParse("4.21.0"), operator: &platformv1alpha1.PlatformOperator{},
			defaultApproval: platformv1alpha1.ApprovalAutomatic,
		}
		model.operator.Spec.Package.Version, model.operator.Spec.Upgrades = test.versions, test.upgrades
		if got := model.permitsStep(test.from, test.to); got != test.want {
			t.Errorf("%s: permitted is %t", name, got)
		}
	}
}
