package main

import "github.com/openshift/platform-operators/pkg/catalog"

// madeUpPackages need one another and stand in each other's way, which real ones hardly do.
func madeUpPackages() []catalog.Package {
	kinds := func(names ...string) (kinds []catalog.GVK) {
		for _, name := range names {
			kinds = append(kinds, catalog.GVK{Group: "made-up.example.com", Version: "v1", Kind: name})
		}
		return kinds
	}
	needs := func(names ...string) (requirements []catalog.Requirement) {
		for _, gvk := range kinds(names...) {
			requirements = append(requirements, catalog.Requirement{GVK: &gvk})
		}
		return requirements
	}
	needsPackage := func(name, versions string) []catalog.Requirement {
		return []catalog.Requirement{{Package: &catalog.PackageRange{Name: name, Range: versions}}}
	}
	return []catalog.Package{
		madeUp("made-up-a",
			catalog.Bundle{Version: "1.0.0"},
			catalog.Bundle{Version: "1.1.0", Requirements: needsPackage("made-up-b", ">=1.0.0")},
			catalog.Bundle{Version: "2.0.0", Requirements: needs("C")}),
		madeUp("made-up-b",
			catalog.Bundle{Version: "1.0.0", ProvidedGVKs: kinds("B")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("B"), Requirements: needsPackage("made-up-a", ">=1.1.0")}),
		madeUp("made-up-c",
			catalog.Bundle{Version: "1.0.0", ProvidedGVKs: kinds("C"), Requirements: needs("B")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("B")}),
		madeUp("made-up-d",
			catalog.Bundle{Version: "1.0.0"},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("C")}),
		madeUp("made-up-e",
			catalog.Bundle{Version: "1.0.0", ProvidedGVKs: kinds("E")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("E", "F")}),
		madeUp("made-up-f",
			catalog.Bundle{Version: "1.0.0", Requirements: needs("E", "F")}),
		madeUp("made-up-g",
			catalog.Bundle{Version: "1.0.0", Requirements: needs("E")},
			catalog.Bundle{Version: "2.0.0", ProvidedGVKs: kinds("B"), Requirements: needs("F")}),
	}
}

// madeUp is a package with one channel, in which each bundle replaces the one before it.
func madeUp(name string, bundles ...catalog.Bundle) catalog.Package {
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
