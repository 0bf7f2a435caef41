package upgradegate

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	configv1 "github.com/openshift/api/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// recorded is compass with 1.0.0 installed, which declares these values, and with a hop to 1.1.0 if that declares any.
func recorded(installed, hop []string) *platformv1alpha1.PlatformOperator {
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
		"two values":                         {recorded([]string{`"4.22"`, `"4.23"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.23"), once is allowed: `},
		"one value twice":                    {recorded([]string{`"4.22"`, `"4.22"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion is declared 2 times ("4.22", "4.22"), once is allowed: `},
		"a word":                             {recorded([]string{`"garbage"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion "garbage" cannot be read, a minor version such as "4.20" is expected: `},
		"a list with a version":              {recorded([]string{`["4.22"]`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion ["4.22"] cannot be read, `},
		"null":                               {recorded([]string{`null`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion null cannot be read, `},
		"no text at all":                     {recorded([]string{``}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion cannot be read, `},
		"a patch version":                    {recorded([]string{`"4.22.1"`}, nil), `- compass 1.0.0 olm.maxOpenShiftVersion "4.22.1" cannot be read, `},
		"of what is moved to":                {recorded([]string{`"4.22"`}, []string{`true`}), `- compass 1.1.0 olm.maxOpenShiftVersion true cannot be read, `},
		"of what is left, in a hop":          {recorded([]string{`{}`}, []string{`"4.22"`}), `- compass 1.0.0 olm.maxOpenShiftVersion {} cannot be read, `},
		"recorded by an earlier manager":     {compass("", `"4.22" "4.23"`, "none"), `- compass 1.0.0 olm.maxOpenShiftVersion "\"4.22\" \"4.23\"" cannot be read, `},
		"readable, and lower, of the new":    {recorded([]string{`"4.22"`}, []string{`"4.21"`}), `- compass 1.1.0 allows at most 4.21: `},
		"readable, and lower, of the old":    {recorded([]string{`4.21`}, []string{`"4.22"`}), `- compass 1.0.0 allows at most 4.21: `},
		"of the old, of a new one with none": {recorded([]string{`4.21`}, []string{}), `- compass 1.0.0 allows at most 4.21: `},
	} {
		t.Run(name, func(t *testing.T) {
			c := &controller{catalogs: twoVersions{}, inventory: nothingElse{}, kubeVersion: "v1.36.3"}
			verdict, err := compat.Evaluate(on.Version, c.bundlesOf(test.operator, on))
			if err != nil || verdict.Upgradeable || verdict.Reason != compat.ReasonIncompatible || len(verdict.Blockers) != 1 {
				t.Fatalf("%t/%s, %d blockers, %v", verdict.Upgradeable, verdict.Reason, len(verdict.Blockers), err)
			}
			if _, line, _ := strings.Cut(verdict.Message, "\n"); !strings.HasPrefix(line, test.line) || !strings.Contains(line, ": update to ≥1.1.0") && !strings.Contains(line, ": no version") {
				t.Errorf("the line is\n%s\nwant\n%s… and a remedy", line, test.line)
			}
		})
	}
}

// failing is a lister of operators that fails.
type failing struct {
	platformlisters.PlatformOperatorLister
}

func (failing) List(labels.Selector) ([]*platformv1alpha1.PlatformOperator, error) {
	return nil, errors.New("the cache is broken")
}

func TestOnlyTheInstalledSetAndTheClusterVersionAreErrorsOfTheCheck(t *testing.T) {
	operators := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	if err := operators.Add(recorded([]string{`"garbage"`}, nil)); err != nil {
		t.Fatal(err)
	}
	listed := platformlisters.NewPlatformOperatorLister(operators)
	for name, test := range map[string]struct {
		operators platformlisters.PlatformOperatorLister
		version   string
		reason    string
	}{
		"what one operator declares":         {listed, "4.21.0", compat.ReasonIncompatible},
		"the installed set":                  {failing{}, "4.21.0", compat.ReasonErrorChecking},
		"the cluster's version":              {listed, "banana", compat.ReasonErrorChecking},
		"the cluster's version, not set yet": {listed, "", compat.ReasonErrorChecking},
	} {
		t.Run(name, func(t *testing.T) {
			versions := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
			version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}, Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: test.version}}}
			if err := versions.Add(version); err != nil {
				t.Fatal(err)
			}
			c := &controller{
				operators: test.operators, clusterVersions: configv1listers.NewClusterVersionLister(versions),
				managers: operatorlisters.NewPlatformOperatorManagerLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)),
				catalogs: twoVersions{}, inventory: nothingElse{}, kubeVersion: "v1.36.3",
			}
			if verdict := c.evaluate(); verdict.Upgradeable || verdict.Reason != test.reason {
				t.Errorf("%t/%s: %s", verdict.Upgradeable, verdict.Reason, verdict.Message)
			}
		})
	}
}
