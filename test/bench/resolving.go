package main

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// Versions of the cluster that is resolved for. They fit the real catalogs.
const (
	resolveClusterVersion = "4.20.0"
	resolveKubeVersion    = "v1.33.0"
)

// measureResolve measures choosing the version of each of the named packages, out of what was read from the catalogs.
func measureResolve(catalogs map[string][]catalog.Package, names []string, n int) (part, error) {
	p := part{
		title: "Resolving a package",
		text: fmt.Sprintf("The decision for one PlatformOperator, over %d catalogs, for OpenShift %s: newest fitting version, and why each other one was refused. "+
			"The baseline is a floor that nothing can go below that reads versions: it parses the version of every bundle of the package and keeps the highest, and refuses nothing.",
			len(catalogs), resolveClusterVersion),
		ours: "`pkg/resolve.Resolve`", baseline: "parse and compare versions",
	}
	for _, name := range names {
		figures, err := compareResolve(catalogs, name, n)
		if err != nil {
			return part{}, err
		}
		p.figures = append(p.figures, figures...)
	}
	return p, nil
}

func compareResolve(catalogs map[string][]catalog.Package, name string, n int) ([]figure, error) {
	var offers []resolve.Catalog
	var bundles []catalog.Bundle
	for id, packages := range catalogs {
		offer := resolve.Catalog{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: id}}
		for i := range packages {
			if packages[i].Name == name {
				offer.Package = &packages[i]
				bundles = append(bundles, packages[i].Bundles...)
			}
		}
		offers = append(offers, offer)
	}
	request := resolve.Request{Operator: name, Package: name, ClusterVersion: resolveClusterVersion, KubeVersion: resolveKubeVersion}
	costs, err := inTurns(n,
		subject{"pkg/resolve", func() error {
			if decision := resolve.Resolve(request, offers); decision.Chosen == nil {
				return fmt.Errorf("resolving package %q: %s", name, decision.Message)
			}
			return nil
		}},
		subject{"parsing versions", func() error { return highest(bundles) }})
	if err != nil {
		return nil, err
	}
	return costFigures(fmt.Sprintf("%s, %d bundles", name, len(bundles)), costs[0], costs[1], n), nil
}

// highest looks for the highest version; it is the baseline.
func highest(bundles []catalog.Bundle) error {
	var best *semver.Version
	for _, b := range bundles {
		version, err := semver.NewVersion(b.Version)
		if err != nil {
			return fmt.Errorf("parsing the version of bundle %q: %w", b.Name, err)
		}
		if best == nil || version.GreaterThan(best) {
			best = version
		}
	}
	if best == nil {
		return fmt.Errorf("looking for the highest version: there are no bundles")
	}
	return nil
}
