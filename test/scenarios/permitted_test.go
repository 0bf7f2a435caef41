package scenarios

import (
	"testing"

	"github.com/Masterminds/semver/v3"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
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
		"a first installation of another version":   {"", "", "1.1.0", manual("1.0.0"), false},
		"a first installation as approved":          {"", "", "1.0.0", manual("1.0.0"), true},
		"a first installation must be in the range": {"1.0.x", "", "1.1.0", nil, false},
		"from a version that the catalog lacks":     {"", "0.9.0", "1.0.0", nil, true},
		"from there to a version out of the range":  {"1.1.x", "0.9.0", "1.0.0", nil, false},
		"to a version that the catalog lacks":       {"", "1.0.0", "1.4.0", nil, false},
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

func TestVersionModelKnowsPausesAndOverrides(t *testing.T) {
	offers := []offer{{Version: "1.0.0"}, {Version: "1.1.0", MaxOpenShiftVersion: "4.20"}, {Version: "1.2.0"}}
	override := []corev1alpha2.CompatibilityOverride{{OpenShiftVersion: "4.21"}}
	manual := &platformv1alpha1.Upgrades{Approval: platformv1alpha1.ApprovalManual}
	for name, test := range map[string]struct {
		spec platformv1alpha1.PlatformOperatorSpec
		want bool // whether the step from 1.0.0 to 1.2.0 is permitted
	}{
		"a version for another OpenShift is between": {platformv1alpha1.PlatformOperatorSpec{}, false},
		"an override may permit it":                  {platformv1alpha1.PlatformOperatorSpec{CompatibilityOverrides: override}, true},
		"an override approves nothing":               {platformv1alpha1.PlatformOperatorSpec{CompatibilityOverrides: override, Upgrades: manual}, false},
		"a paused operator begins no step":           {platformv1alpha1.PlatformOperatorSpec{CompatibilityOverrides: override, Paused: true}, false},
	} {
		model := versionModel{
			offers: offers, cluster: semver.MustParse("4.21.0"), operator: &platformv1alpha1.PlatformOperator{Spec: test.spec},
			defaultApproval: platformv1alpha1.ApprovalAutomatic,
		}
		if got := model.permitsStep("1.0.0", "1.2.0"); got != test.want {
			t.Errorf("%s: permitted is %t", name, got)
		}
	}
}

func TestVersionModelExpectsAnInstallation(t *testing.T) {
	for name, test := range map[string]struct {
		offers   []offer
		versions string
		paused   bool
		want     string // the version that must be installed, or empty if none must
	}{
		"the newest version":                    {[]offer{{Version: "1.0.0"}, {Version: "1.1.0"}}, "", false, "1.1.0"},
		"a version that is never ready":         {[]offer{{Version: "1.0.0", NeverReady: true}}, "", false, "1.0.0"},
		"the version of this OpenShift":         {[]offer{{Version: "1.0.0"}, {Version: "1.1.0", MaxOpenShiftVersion: "4.20"}}, "", false, "1.0.0"},
		"the catalog has no version":            {nil, "", false, ""},
		"the range excludes all versions":       {[]offer{{Version: "1.0.0"}}, "2.x", false, ""},
		"the newest version has no image":       {[]offer{{Version: "1.0.0"}, {Version: "1.1.0", NoBundle: true}}, "", false, ""},
		"a paused operator installs no version": {[]offer{{Version: "1.0.0"}}, "", true, ""},
	} {
		model := versionModel{offers: test.offers, cluster: semver.MustParse("4.21.0"), operator: &platformv1alpha1.PlatformOperator{}}
		model.operator.Name = "memo"
		model.operator.Spec.Package.Version, model.operator.Spec.Paused = test.versions, test.paused
		want := ""
		if test.want != "" {
			want = `PlatformOperator "memo" has nothing installed, but must have installed version ` + test.want
		}
		if err := model.check(); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
