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

// fleet is a cluster with operators, made of short texts.
type fleet struct {
	state    resolve.ClusterState
	requests []resolve.Request
	packages map[string]*catalog.Package
}

// gvk is a kind that is named by one word.
func gvk(kind string) catalog.GVK {
	return catalog.GVK{Group: "example.com", Version: "v1", Kind: kind}
}

// need reads a requirement: a kind, or a package and a range with a colon between them.
func need(text string) catalog.Requirement {
	if pkg, span, ok := strings.Cut(text, ":"); ok {
		return catalog.Requirement{Package: &catalog.PackageRange{Name: pkg, Range: strings.ReplaceAll(span, "_", " ")}}
	}
	kind := gvk(text)
	return catalog.Requirement{GVK: &kind}
}

// live makes a neighbourhood of operators in order of age, each a name (of its package, too), perhaps with the installed version
// after an @, and its versions: "2.0.0 brings=Kind,Kind needs=Kind,package:range". Whatever is older may follow whatever.
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
		n.packages[name] = madeOf(name, texts[1:]...)
	}
	n.state.Catalogs = func(pkg string) []resolve.Catalog {
		return []resolve.Catalog{{ID: community, Package: n.packages[pkg]}}
	}
	return n
}

func madeOf(pkg string, versions ...string) *catalog.Package {
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
				case "brings":
					bundle.ProvidedGVKs = append(bundle.ProvidedGVKs, gvk(each))
				case "needs":
					bundle.Requirements = append(bundle.Requirements, need(each))
				case "after": // reached from nothing below this
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

// outcome is what runs next of every operator: "a 1.0.0, b nothing".
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

// everyKindBy are catalogs in which these packages bring every kind.
func everyKindBy(catalogs ...resolve.ProviderHint) func(catalog.GVK) []resolve.ProviderHint {
	return func(catalog.GVK) []resolve.ProviderHint { return catalogs }
}
