package upgradegate

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// declaring returns operator compass with 1.0.0 installed, which declares the values installed. If hop is not nil, it has a step to 1.1.0,
// which declares the values hop.
func declaring(installed, hop []string) *platformv1alpha1.PlatformOperator {
	operator := compass("", "none", "none")
	of := func(version string, values []string) *platformv1alpha1.InstalledBundle {
		bundle := &platformv1alpha1.InstalledBundle{Bundle: "compass.v" + version, Version: version}
		bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions = compat.Record(values)
		return bundle
	}
	operator.Status.Installed = of("1.0.0", installed)
	if hop != nil {
		operator.Status.Target = &platformv1alpha1.Target{Version: "1.1.0", Hop: of("1.1.0", hop)}
	}
	return operator
}

func TestDeclarationsThatCannotBeReadBlockWithALineOfTheirOwn(t *testing.T) {
	on := resolve.Cluster{Version: "4.21.0", KubeVersion: "v1.36.3"}
	for name, test := range map[string]struct {
		operator *platformv1alpha1.PlatformOperator
		line     string
	}{
		"two values":                         {declaring([]string{`"4.22"`, `"4.23"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.23"), once is allowed: `},
		"one value twice":                    {declaring([]string{`"4.22"`, `"4.22"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.22"), once is allowed: `},
		"a word":                             {declaring([]string{`"garbage"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected: `},
		"a list with a version":              {declaring([]string{`["4.22"]`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion ["4.22"] cannot be read, `},
		"null":                               {declaring([]string{`null`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion null cannot be read, `},
		"no text at all":                     {declaring([]string{``}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion cannot be read, `},
		"a patch version":                    {declaring([]string{`"4.22.1"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion "4.22.1" cannot be read, `},
		"of what is moved to":                {declaring([]string{`"4.22"`}, []string{`true`}), `- compass 1.1.0 olm.maxOpenShiftVersion true cannot be read, `},
		"of what is left, in a hop":          {declaring([]string{`{}`}, []string{`"4.22"`}), `- compass 1.0.0 olm.maxOpenShiftVersion {} cannot be read, `},
		"recorded by an earlier manager":     {compass("", `"4.22" "4.23"`, "none"), `- compass 1.0.0 olm.maxOpenShiftVersion "\"4.22\" \"4.23\"" cannot be read, `},
		"readable, and lower, of the new":    {declaring([]string{`"4.22"`}, []string{`"4.21"`}), `- compass 1.1.0 allows at most 4.21: `},
		"readable, and lower, of the old":    {declaring([]string{`4.21`}, []string{`"4.22"`}), `- compass 1.0.0 allows at most 4.21: `},
		"of the old, of a new one with none": {declaring([]string{`4.21`}, []string{}), `- compass 1.0.0 allows at most 4.21: `},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controller{catalogs: twoVersions{}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
			verdict, err := compat.Evaluate(on.Version, alone(c, test.operator, on), start)
			if err != nil || verdict.Upgradeable || verdict.Reason != compat.ReasonIncompatible || len(verdict.Blockers) != 1 {
				t.Fatalf("%t/%s, %d blockers, %v", verdict.Upgradeable, verdict.Reason, len(verdict.Blockers), err)
			}
			if _, line, _ := strings.Cut(verdict.Message, "\n"); !strings.HasPrefix(line, test.line) || !strings.Contains(line, ": update to >=1.1.0") && !strings.Contains(line, ": no version") {
				t.Errorf("the line is\n%s\nwant\n%s… and a remedy", line, test.line)
			}
		})
	}
}

func TestCLU_G5_OnlyTheInstalledSetAndTheClusterVersionAreErrorsOfTheCheck(t *testing.T) {
	for name, test := range map[string]struct {
		unlisted error
		version  string
		reason   string
	}{
		"what one operator declares":         {nil, "4.21.0", compat.ReasonIncompatible},
		"the installed set":                  {errors.New("the cache is broken"), "4.21.0", compat.ReasonErrorChecking},
		"the cluster's version":              {nil, "banana", compat.ReasonErrorChecking},
		"the cluster's version, not set yet": {nil, "", compat.ReasonErrorChecking},
	} {
		t.Run(name, func(t *testing.T) {
			g := gateOf(t, declaring([]string{`"garbage"`}, nil))
			g.lists.err = test.unlisted
			version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}, Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: test.version}}}
			if err := g.versions.Add(version); err != nil {
				t.Fatal(err)
			}
			if verdict := g.judge().verdict; verdict == nil || verdict.Upgradeable || verdict.Reason != test.reason {
				t.Errorf("the verdict is %+v, want one of reason %s", verdict, test.reason)
			}
		})
	}
}
