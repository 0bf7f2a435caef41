package catalogsource_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// fullCatalog writes a catalog with every feature of real catalogs, and some that they do not have yet. It returns the directory.
func fullCatalog(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	lamp := catalog.GVK{Group: "lamps.example.com", Version: "v1", Kind: "Lamp"}
	steps := "steps:\n- {from: \">=1.0.0 <2.0.0\", to: \">=2.0.0\", through: \"1.1.x\", reason: \"<&> stored objects\"}\n"
	asProperty := samples.Property{
		Type:  samples.RulesSchema,
		Value: `{"steps": [{"through": "1.1.x", "to": ">=2.0.0", "from": ">=1.0.0 <2.0.0", "reason": "\u003c&> stored objects"}]}`,
	}
	later := catalog.UpgradeSchemaPrefix + "v1beta1"
	err := samples.WritePackages(root,
		[]samples.Package{{
			Name:  "lamp",
			Blobs: []string{samples.Rules("lamp", steps), `{"schema": "` + later + `", "package": "lamp", "weight": 1.50, "list": [1e2, 9007199254740993]}`, "schema: example.com.other\npackage: lamp"},
			Deprecations: []samples.Deprecation{
				{Message: "use lantern"}, {Channel: "old", Message: "use stable\n"}, {Version: "1.0.0", Message: "has a hole"},
			},
		}, {
			Name: "switch", DefaultChannel: "fast",
		}},
		samples.Operator{Package: "lamp", Version: "1.0.0", Channels: []string{"old", "stable"}, CreatedAt: "2026-01-02T03:04:05Z", NoBundle: true},
		samples.Operator{Package: "lamp", Version: "2.0.0", MaxOpenShiftVersion: `"4.21"`, MinKubeVersion: "1.30.0", SkipRange: ">=1.1.0 <2.0.0", Skips: []string{"1.5.0"},
			OwnsAPIService: true, NoBundle: true, Properties: []samples.Property{
				samples.Provides(lamp), samples.Provides(catalog.GVK{Version: "v2", Kind: "Bulb"}), asProperty,
				samples.RequiresKind(catalog.GVK{Group: "power.example.com", Version: "v1", Kind: "Socket"}),
				samples.RequiresPackage("switch", ">=1.0.0 <2.0.0"),
				{Type: "olm.constraint", Value: `{"failureMessage": "needs current", "any": {"constraints": [
					{"package": {"packageName": "mains", "versionRange": ">1.0.0"}},
					{"not": {"constraints": [{"gvk": {"group": "power.example.com", "version": "v1", "kind": "Outage"}}]}}]}}`},
				{Type: "olm.constraint", Value: `{"cel": {"rule": "true"}}`},
			}},
		samples.Operator{Package: "switch", Version: "0.9.0", Channels: []string{"fast"}, Plain: true, NoBundle: true},
		samples.Operator{Package: "switch", Version: "1.0.0", Release: "3", Channels: []string{"fast"}, NoBundle: true,
			Properties: []samples.Property{{Type: samples.RulesSchema, Value: `{"package": "lamp", "semantics": "both"}`}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "catalog")
}

// withoutImages removes the images from packages, because they depend on the registry's port, and returns packages.
func withoutImages(packages []catalog.Package) []catalog.Package {
	for p := range packages {
		for b := range packages[p].Bundles {
			packages[p].Bundles[b].Image = ""
		}
	}
	return packages
}

func fullPackages() []catalog.Package {
	modes := map[string]bool{"AllNamespaces": true, "OwnNamespace": false, "SingleNamespace": false, "MultiNamespace": false}
	return []catalog.Package{
		{
			Name: "lamp", DefaultChannel: "stable", Deprecated: "use lantern",
			Channels: []catalog.Channel{
				{Name: "old", Deprecated: "use stable", Entries: []catalog.Entry{{Name: "lamp.v1.0.0"}}},
				{Name: "stable", Entries: []catalog.Entry{
					{Name: "lamp.v1.0.0"},
					{Name: "lamp.v2.0.0", Replaces: "lamp.v1.0.0", Skips: []string{"lamp.v1.5.0"}, SkipRange: ">=1.1.0 <2.0.0"},
				}},
			},
			Bundles: []catalog.Bundle{
				{Name: "lamp.v1.0.0", Version: "1.0.0", InstallModes: modes, SuggestedNamespace: "lamp", Deprecated: "has a hole", CreatedAt: "2026-01-02T03:04:05Z"},
				{
					Name: "lamp.v2.0.0", Version: "2.0.0", InstallModes: modes, SuggestedNamespace: "lamp", APIServices: true,
					MaxOpenShiftVersions: []string{`"4.21"`}, MinKubeVersion: "1.30.0",
					ProvidedGVKs: []catalog.GVK{{Version: "v2", Kind: "Bulb"}, {Group: "lamps.example.com", Version: "v1", Kind: "Lamp"}},
					Requirements: []catalog.Requirement{
						{Unsupported: "a CEL rule in an olm.constraint"},
						{Message: "needs current", Any: []catalog.Requirement{
							{Not: []catalog.Requirement{{GVK: &catalog.GVK{Group: "power.example.com", Version: "v1", Kind: "Outage"}}}},
							{Package: &catalog.PackageRange{Name: "mains", Range: ">1.0.0"}},
						}},
						{GVK: &catalog.GVK{Group: "power.example.com", Version: "v1", Kind: "Socket"}},
						{Package: &catalog.PackageRange{Name: "switch", Range: ">=1.0.0 <2.0.0"}},
					},
				},
			},
			UpgradeRules: []catalog.UpgradeRules{
				{
					Schema: "io.openshift.operators.upgrades.v1alpha1", Location: "blob io.openshift.operators.upgrades.v1alpha1",
					Raw: `{"package":"lamp","schema":"io.openshift.operators.upgrades.v1alpha1","steps":[{"from":">=1.0.0 <2.0.0","reason":"<&> stored objects","through":"1.1.x","to":">=2.0.0"}]}`,
				},
				{
					Schema: "io.openshift.operators.upgrades.v1beta1", Location: "blob io.openshift.operators.upgrades.v1beta1",
					Raw: `{"list":[100,9007199254740992],"package":"lamp","schema":"io.openshift.operators.upgrades.v1beta1","weight":1.5}`,
				},
			},
		},
		{
			Name: "switch", DefaultChannel: "fast",
			Channels: []catalog.Channel{{Name: "fast", Entries: []catalog.Entry{{Name: "switch-v1.0.0-3", Replaces: "switch.v0.9.0"}, {Name: "switch.v0.9.0"}}}},
			Bundles: []catalog.Bundle{
				{Name: "switch-v1.0.0-3", Version: "1.0.0", Release: "3", InstallModes: modes, SuggestedNamespace: "switch"},
				{Name: "switch.v0.9.0", Version: "0.9.0", MediaTypes: []string{"plain+v0"}},
			},
			UpgradeRules: []catalog.UpgradeRules{{
				Schema: "io.openshift.operators.upgrades.v1alpha1", Location: `property io.openshift.operators.upgrades.v1alpha1 of bundle "switch-v1.0.0-3"`,
				Raw: `{"package":"lamp","schema":"io.openshift.operators.upgrades.v1alpha1","semantics":"both"}`,
			}},
		},
	}
}

func TestFullContentIsEqualOverBothProtocols(t *testing.T) {
	folder := fullCatalog(t)
	packages := withoutImages(readBoth(t, folder, nil))
	if diff := cmp.Diff(fullPackages(), packages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	t.Run("package by package over HTTPS", func(t *testing.T) {
		server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{folder}})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		client := http.New(http.Options{CAFile: server.CAFile()})
		defer client.Close()
		reading, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), []string{"lamp", "switch"}, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fullPackages(), withoutImages(reading.Packages)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestOlderServerServesUpgradeRulesOnBundlesOnly(t *testing.T) {
	server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{fullCatalog(t)}, WithoutCustomSchemas: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	packages, _, err := grpc.Client{}.Read(t.Context(), server.GRPCAddress(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := fullPackages()
	want[0].UpgradeRules = want[0].UpgradeRules[:1]
	want[0].UpgradeRules[0].Location = `property io.openshift.operators.upgrades.v1alpha1 of bundle "lamp.v2.0.0"`
	if diff := cmp.Diff(want, withoutImages(packages)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if err := server.Update(t.Context(), testdata+"/first"); err != nil {
		t.Fatal(err)
	}
	if packages, _, err = (grpc.Client{}).Read(t.Context(), server.GRPCAddress(), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "does not serve upgrade rules") {
			t.Errorf("package %q without rules on its bundles has notes %q", p.Name, p.Notes)
		}
	}
}
