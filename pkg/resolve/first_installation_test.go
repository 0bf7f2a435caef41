package resolve

import (
	"path/filepath"
	"slices"
	"testing"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/realdata"
)

// Promise HRD-F5: If edges of the author lead on from the newest release to pre-releases, a first installation gets at once what an
// operator at that release would be upgraded to, on the same conditions. A pre-release to which no such edge leads stays refused.
func TestHRD_F5_AFirstInstallationGetsWhatAnInstalledOneWouldBeLedTo(t *testing.T) {
	led := []string{"1.0.0", "1.1.0", "1.2.0-rc.1", "1.3.0-rc.1", "1.3.0-rc.2"}
	// Edges lead to 1.2.0-rc.1 and on to 1.3.0-rc.1, and none leads to 1.3.0-rc.2.
	partly := func() *catalog.Package {
		pkg := chained(led...)
		pkg.Channels[0].Entries[4].Replaces = ""
		return pkg
	}
	// An edge leads from 1.0.0 to 1.2.0-rc.1, and none from 1.1.0.
	fromOlder := func() *catalog.Package {
		pkg := chained(led[:3]...)
		pkg.Channels[0].Entries[2].Replaces = pkg.Channels[0].Entries[0].Name
		return pkg
	}
	for name, test := range map[string]struct {
		req  func(*Request)
		pkg  *catalog.Package
		want string
	}{
		"edges lead on to the newest pre-release":         {nil, chained(led...), "1.3.0-rc.2"},
		"edges lead on to some pre-releases":              {nil, partly(), "1.3.0-rc.1"},
		"no edges":                                        {nil, guarded("", led...), "1.1.0"},
		"edges from an older release only":                {nil, fromOlder(), "1.1.0"},
		"a range that ends before the pre-releases":       {versionRange("1.0.x || 1.1.x"), chained(led...), "1.1.0"},
		"a range that includes some":                      {versionRange("<=1.2.0"), chained(led...), "1.2.0-rc.1"},
		"semver edges do not lead from a release to them": {edges(platformv1alpha1.EdgesSemver), chained(led...), "1.1.0"},
		"SelfCertified edges are none of the author":      {edges(platformv1alpha1.EdgesSelfCertified), guarded("", led...), "1.1.0"},
		"a deprecated pre-release":                        {nil, deprecating(chained(led...), "1.3.0-rc.2"), "1.3.0-rc.1"},
		"a deprecated release leads on":                   {nil, deprecating(chained(led...), "1.0.0", "1.1.0"), "1.3.0-rc.2"},
		"an operator whose upgrades need approval":        {manual(""), chained(led...), "1.1.0"},
		"pre-releases only":                               {nil, chained("1.2.0-rc.1", "1.3.0-rc.1"), "1.3.0-rc.1"},
	} {
		t.Run(name, func(t *testing.T) {
			request := newRequest(test.req)
			first := Resolve(request, one(test.pkg))
			if first.Chosen == nil || first.Chosen.Version.String() != test.want || len(first.Path) > 0 {
				t.Fatalf("got %s with %d steps, want %s at once: %s", describe(first.Chosen), len(first.Path), test.want, first.Message)
			}
			if next := next(request, first, one(test.pkg)); !next.Target.Version.Equal(first.Chosen.Version) {
				t.Errorf("once installed, it would be led on to %s", next.Target.Version)
			}
		})
	}
}

// next returns the decision for an operator at the version that another decision has chosen.
func next(request Request, first Decision, catalogs []Catalog) Decision {
	request.InstalledVersion, request.InstalledBundle, request.InstalledRelease = first.Chosen.Bundle.Version, first.Chosen.Bundle.Name, first.Chosen.Bundle.Release
	return Resolve(request, catalogs)
}

func TestHRD_F5_RealChannelsLeadNoFirstInstallationOn(t *testing.T) {
	channels, ledOn := 0, map[string]bool{}
	for _, file := range realdata.Glob(t, filepath.Join("catalogs", "*", "*", "catalog.yaml")) {
		for _, pkg := range readFile(t, file) {
			catalogs := []Catalog{{ID: cluster, Package: &pkg}}
			for _, channel := range pkg.Channels {
				request := Request{Operator: pkg.Name, Package: pkg.Name, Channels: []string{channel.Name}, ClusterVersion: "4.20.0", KubeVersion: "v1.33.0"}
				first := Resolve(request, catalogs)
				if first.Chosen == nil {
					continue
				}
				channels++
				if after := next(request, first, catalogs); after.Target == nil || !after.Target.Version.Equal(first.Chosen.Version) {
					t.Errorf("%s, channel %s: %s is installed, and led on to %s", pkg.Name, channel.Name, first.Chosen.Version, describe(after.Target))
				}
				release := slices.IndexFunc(first.Available, func(c Candidate) bool { return !c.Version.IsPrerelease() })
				if first.Chosen.Version.IsPrerelease() && release >= 0 {
					before := next(request, Decision{Chosen: &first.Available[release]}, catalogs)
					ledOn[pkg.Name+" "+channel.Name] = true
					t.Logf("%s, channel %s: %s at once, instead of %s and %d upgrade steps", pkg.Name, channel.Name, first.Chosen.Version, first.Available[release].Version, len(before.Path))
					if pkg.Name == "hive-operator" && channel.Name == "ocm-2.4" && len(before.Path) != 13 {
						t.Errorf("hive-operator ocm-2.4: %d upgrade steps, want 13", len(before.Path))
					}
				}
			}
		}
	}
	if channels < 200 || len(ledOn) < 4 || !ledOn["hive-operator ocm-2.4"] || !ledOn["slurm-operator alpha"] {
		t.Errorf("of %d channels, edges of %d lead on to a pre-release: %v; want at least 4, hive-operator's ocm-2.4 and slurm-operator's alpha among them", channels, len(ledOn), ledOn)
	}
}
