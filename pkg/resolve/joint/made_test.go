package joint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

var (
	community = catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "community"}
	cluster   = catalog.ID{Kind: catalog.KindClusterCatalog, Name: "operators"}
)

// fleet is a cluster with PlatformOperators and catalogs that newFleet builds from short texts.
type fleet struct {
	state    resolve.ClusterState
	requests []resolve.Request
	packages map[string]*catalog.Package
}

// gvk returns the kind of this name in the group and version of the tests.
func gvk(kind string) catalog.GVK {
	return catalog.GVK{Group: "example.com", Version: "v1", Kind: kind}
}

// requirement parses a requirement: the name of a kind, or a package and a range, separated by a colon.
func requirement(text string) catalog.Requirement {
	if pkg, span, ok := strings.Cut(text, ":"); ok {
		return catalog.Requirement{Package: &catalog.PackageRange{Name: pkg, Range: strings.ReplaceAll(span, "_", " ")}}
	}
	kind := gvk(text)
	return catalog.Requirement{GVK: &kind}
}

// newFleet returns a fleet with operators in order of age. An operator is its name, which is also that of its package, optionally with the
// installed version after "@", and its versions: "2.0.0 provides=Kind,Kind requires=Kind,package:range". Each version replaces all older ones.
func newFleet(operators ...[]string) *fleet {
	n := &fleet{packages: map[string]*catalog.Package{}}
	for i, texts := range operators {
		name, installed, _ := strings.Cut(texts[0], "@")
		req := resolve.Request{
			Operator: name, Package: name, ClusterVersion: "4.20.3", KubeVersion: "v1.33.4",
			Created: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC), InstalledVersion: installed,
		}
		if installed != "" {
			req.InstalledBundle = name + ".v" + installed
		}
		n.requests = append(n.requests, req)
		n.packages[name] = newPackage(name, texts[1:]...)
	}
	n.state.Catalogs = func(pkg string) []resolve.Catalog {
		return []resolve.Catalog{{ID: community, Package: n.packages[pkg]}}
	}
	return n
}

func newPackage(pkg string, versions ...string) *catalog.Package {
	var builder catalog.Builder
	builder.AddPackage(pkg, "stable")
	builder.AddChannel(pkg, "stable")
	for _, text := range versions {
		fields := strings.Fields(text)
		bundle := catalog.Bundle{Name: pkg + ".v" + fields[0], Version: fields[0], Image: "registry.example/" + pkg + "@sha256:" + fields[0]}
		entry := catalog.Entry{Name: bundle.Name, SkipRange: "<" + fields[0]}
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			for _, each := range strings.Split(value, ",") {
				switch key {
				case "provides":
					bundle.ProvidedGVKs = append(bundle.ProvidedGVKs, gvk(each))
				case "requires":
					bundle.Requirements = append(bundle.Requirements, requirement(each))
				case "after": // no version below this one can be upgraded to it
					entry.SkipRange = fmt.Sprintf(">=%s <%s", each, fields[0])
				case "mode":
					bundle.InstallModes = map[string]bool{each: true}
				}
			}
		}
		builder.AddBundle(pkg, bundle)
		builder.AddChannel(pkg, "stable", entry)
	}
	return &builder.Build()[0]
}

func (n *fleet) with(change func(*fleet)) *fleet {
	change(n)
	return n
}

func (n *fleet) decide() map[string]resolve.Decision { return ResolveAll(n.requests, n.state) }

// outcome returns the chosen version of every operator as text, such as "a 1.0.0, b nothing".
func outcome(decisions map[string]resolve.Decision) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(decisions)) {
		version := "nothing"
		if chosen := decisions[name].Chosen; chosen != nil {
			version = chosen.Version.String()
		}
		parts = append(parts, name+" "+version)
	}
	return strings.Join(parts, ", ")
}

// everyKindBy returns a function ProviderHints that returns the same hints for every kind.
func everyKindBy(catalogs ...resolve.ProviderHint) func(catalog.GVK) []resolve.ProviderHint {
	return func(catalog.GVK) []resolve.ProviderHint { return catalogs }
}
