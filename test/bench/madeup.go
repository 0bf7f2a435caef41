package main

import "github.com/openshift/platform-operators/pkg/catalog"

// syntheticPackages returns packages that require each other and conflict, which the real packages rarely do.
func syntheticPackages() []catalog.Package {
	kinds := func(names ...string) (kinds []catalog.GVK) {
		for _, name := range names {
			kinds = append(kinds, catalog.GVK{Group: "synthetic.example.com", Version: "v1", Kind: name})
		}
		return kinds
	}
	requires := func(names ...string) (requirements []catalog.Requirement) {
		for _, gvk := range kinds(names...) {
			requirements = append(requirements, catalog.Requirement{GVK: &gvk})
		}
		return requirements
	}
	requiresPackage := func(name, versions string) []catalog.Requirement {
		return []catalog.Requirement{{Package: &catalog.PackageRange{Name: name, Range: versions}}}
	}
	return []catalog.Package{
		syntheticPackage("synthetic-a",
			catalog.Bundle{Version: "1.0.0"},
			catalog.Bundle{Version: "1.1.0", Requirements: requiresPackage("synthetic-b", ">=1.0.0")},
			catalog.Bundle{Version: "2.0.0", Requirements: requires("C")}),
		syntheticPackage("synthetic-b",
			catalog.Bundle{Version: "1.0.0", ProvidedGVKs: kinds("B")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("B"), Requirements: requiresPackage("synthetic-a", ">=1.1.0")}),
		syntheticPackage("synthetic-c",
			catalog.Bundle{Version: "1.0.0", ProvidedGVKs: kinds("C"), Requirements: requires("B")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("B")}),
		syntheticPackage("synthetic-d",
			catalog.Bundle{Version: "1.0.0"},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("C")}),
		syntheticPackage("synthetic-e",
			catalog.Bundle{Version: "1.0.0", ProvidedGVKs: kinds("E")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("E", "F")}),
		syntheticPackage("synthetic-f",
			catalog.Bundle{Version: "1.0.0", Requirements: requires("E", "F")}),
		syntheticPackage("synthetic-g",
			catalog.Bundle{Version: "1.0.0", Requirements: requires("E")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("B"), Requirements: requires("F")}),
	}
}

// syntheticPackage returns a package with one channel, in which each bundle replaces the previous one.
func syntheticPackage(name string, bundles ...catalog.Bundle) catalog.Package {
	pkg := catalog.Package{Name: name, DefaultChannel: "stable", Bundles: bundles, Channels: []catalog.Channel{{Name: "stable"}}}
	before := ""
	for i := range bundles {
		b := &bundles[i]
		b.Name = name + ".v" + b.Version
		b.Image = "example.com/" + name + ":" + b.Version
		b.InstallModes = map[string]bool{"AllNamespaces": true}
		pkg.Channels[0].Entries = append(pkg.Channels[0].Entries, catalog.Entry{Name: b.Name, Replaces: before})
		before = b.Name
	}
	return pkg
}
