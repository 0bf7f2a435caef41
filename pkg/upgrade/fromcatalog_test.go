package upgrade

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// catalogPackage returns the only package of a catalog.
func catalogPackage(t *testing.T, content string) *catalog.Package {
	t.Helper()
	packages, err := catalog.Read(strings.NewReader(content), nil)
	if err != nil || len(packages) != 1 {
		t.Fatalf("got %d packages, error %v", len(packages), err)
	}
	return &packages[0]
}

const portCatalog = `
schema: olm.package
name: port
---
schema: olm.channel
package: port
name: stable
entries: [{name: port.v1.0.0}, {name: port.v1.1.0, replaces: port.v1.0.0}]
---
schema: olm.channel
package: port
name: fast
entries: [{name: port.v1.1.0-rc.1}]
---
schema: olm.bundle
package: port
name: port.v1.0.0
properties: [{type: olm.package, value: {packageName: port, version: 1.0.0}}]
---
schema: olm.bundle
package: port
name: port.v1.1.0-rc.1
properties: [{type: olm.package, value: {packageName: port, version: 1.1.0-rc.1}}]
---
schema: olm.bundle
package: port
name: port.v1.1.0
properties: [{type: olm.package, value: {packageName: port, version: next}}]
---
schema: olm.bundle
package: port
name: port.v2.0.0
properties: text
---
schema: io.openshift.operators.upgrades.v1alpha1
package: port
semantics: both
`

func TestCLI_17_APackageOfACatalog(t *testing.T) {
	pkg, findings := FromCatalog(catalogPackage(t, portCatalog))
	var kinds []string
	for _, finding := range findings {
		kinds = append(kinds, string(finding.Kind)+" "+finding.Subject)
	}
	want := []string{"UnusableContent the package", `UnreadableVersion bundle "port.v1.1.0"`}
	if diff := gocmp.Diff(want, kinds); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if len(pkg.Bundles) != 2 || len(pkg.Entries) != 3 || pkg.OnlyPrereleases || len(pkg.Rules) != 1 || len(pkg.Unreadable) != 0 {
		t.Errorf("got %+v", pkg)
	}
	if got := pkg.EffectiveSemantics(); got != Both {
		t.Errorf("got semantics %s, want those of the rules", got)
	}
	if got := (&Package{Override: Both, Default: Semver}).EffectiveSemantics(); got != Semver {
		t.Errorf("got semantics %s without rules, want the default", got)
	}
}

func TestCLI_17_RulesOfACatalogThatCannotBeUsed(t *testing.T) {
	const schema = "\n---\nschema: io.openshift.operators.upgrades.v1alpha1\npackage: port\n"
	for name, test := range map[string]struct{ rules, want string }{
		"Several":      {portCatalog + schema + "semantics: semver\n", "there are 2 different ones: blob "},
		"UnknownField": {"schema: olm.package\nname: port" + schema + "soak: 24h\n", `unknown field "soak"`},
		"TooLong":      {"schema: olm.package\nname: port" + schema + "name: " + strings.Repeat("x", 70_000) + "\n", "bytes, but at most 65536 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			pkg, _ := FromCatalog(catalogPackage(t, test.rules))
			if len(pkg.Rules) != 0 || len(pkg.Unreadable) != 1 || !strings.Contains(pkg.Unreadable[0], test.want) {
				t.Errorf("got rules %v and %q, want %q", pkg.Rules, pkg.Unreadable, test.want)
			}
			if !slices.ContainsFunc(Lint(pkg), func(f Finding) bool { return f.Kind == RulesUnreadable }) {
				t.Error("Lint does not report the rules")
			}
		})
	}
}

func TestCLI_17_UpgradesThatAStepForbids(t *testing.T) {
	for name, test := range map[string]struct {
		lines string
		steps []string
		want  []string
	}{
		"no steps": {lines: "1.2.0\n1.3.0\n1.4.0"},
		"all possible": {"1.1.0\n1.2.0\n1.3.0\n1.4.0\n1.5.0", []string{"<1.3.0 → 1.3.x → >=1.4.0"},
			[]string{"forbids 4 direct upgrades; 4 possible by another path, such as from 1.2.0 to 1.5.0 through 1.3.0"}},
		"none possible": {"1.2.0\n1.4.0", []string{"<1.3.0 → 1.3.x → >=1.4.0"},
			[]string{"forbids 1 direct upgrade; 1 no longer possible, such as from 1.2.0 to 1.4.0"}},
		"some possible": {"1.2.0\n1.3.0\n1.4.0\n1.5.0", []string{"<1.3.0 → 1.3.x → >=1.4.0", "<1.3.0 → 1.6.x → >=1.5.0"},
			[]string{
				"forbids 2 direct upgrades; 1 possible by another path, such as from 1.2.0 to 1.4.0 through 1.3.0; " +
					"1 no longer possible, such as from 1.2.0 to 1.5.0",
				"forbids 1 direct upgrade; 1 no longer possible, such as from 1.2.0 to 1.5.0",
			}},
		"a step for nobody": {lines: "1.2.0\n1.3.0", steps: []string{"<1.0.0 → 1.3.x → >=1.4.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			pkg := parsePackage(t, test.lines)
			if len(test.steps) > 0 {
				pkg = steps(t, pkg, Semver, test.steps...)
			}
			var got []string
			for _, finding := range ForbiddenUpgradesOf(pkg) {
				got = append(got, finding.Problem)
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	pkg := parsePackage(t, "1.2.0\n1.4.0")
	pkg.Unreadable = []string{"broken"}
	if got := ForbiddenUpgradesOf(pkg); got != nil {
		t.Errorf("rules that cannot be read: got %v", got)
	}
}
