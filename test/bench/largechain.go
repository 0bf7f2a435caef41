package main

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

const (
	// guards are the steps that nobody can meet, as many as rules may have.
	guards = 32
	// entriesEach is how many entries without bundles there are to each version, each with its own skipRange.
	entriesEach = 10
)

// largeSizes are how many versions the made-up packages have of which a decision is made; those with more entries than bundles have a
// tenth of that.
var largeSizes = []int{100, 1000, 10_000}

// largeOffer is a kind of package that makes a search for upgrade paths long (HRD-B1).
type largeOffer struct {
	// name has room for the number of versions.
	name string
	// share of a size is how many versions it has: one out of so many.
	share   int
	guarded bool
	entries int
}

var largeOffers = []largeOffer{
	{name: "a chain of %d versions", share: 1},
	{name: fmt.Sprintf("a chain of %%d versions under %d steps that cannot be met", guards), share: 1, guarded: true},
	{name: fmt.Sprintf("a chain of %%d versions with %d times as many entries without bundles", entriesEach), share: entriesEach, entries: entriesEach},
}

// measureLarge measures the decision for one operator that runs the lowest version. Nothing else gives reasons, so there is no baseline.
func measureLarge(sizes []int, n int) (figures []figure, growth [][]string, err error) {
	for _, offer := range largeOffers {
		var before figure
		for _, size := range sizes {
			versions := max(size/offer.share, 2)
			request, catalogs := offer.made(versions)
			name := fmt.Sprintf(offer.name, versions)
			costs, err := inTurns(min(n, mostLongSamples), subject{name, func() error {
				if got := resolve.Resolve(request, catalogs); len(got.Updates) != versions-1 {
					return fmt.Errorf("%d updates of %d versions: %s", len(got.Updates), versions, got.Message)
				}
				return nil
			}})
			if err != nil {
				return nil, nil, err
			}
			measured := costFigures(name, costs[0], cost{}, min(n, mostLongSamples))
			if figures = append(figures, measured...); before.ours > 0 {
				growth = append(growth, []string{name, formatRatio(measured[0].ours / before.ours), ""})
			}
			before = measured[0]
		}
	}
	return figures, growth, nil
}

// made are the request and two catalogs of the same priority: the one has the package, the other one lower version of it.
func (o largeOffer) made(versions int) (resolve.Request, []resolve.Catalog) {
	const pkg = "large"
	first := &catalog.Package{Name: pkg, DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	add := func(to *catalog.Package, version, replaces string) {
		name := pkg + ".v" + version
		to.Bundles = append(to.Bundles, catalog.Bundle{Name: name, Version: version, Image: "registry.invalid/large@sha256:" + version})
		to.Channels[0].Entries = append(to.Channels[0].Entries, catalog.Entry{Name: name, Replaces: replaces})
	}
	version := func(i int) string { return fmt.Sprintf("1.%d.0", 10_000+i) } // names in order are versions in order
	for i := range versions {
		replaces := ""
		if i > 0 {
			replaces = first.Bundles[i-1].Name
		}
		add(first, version(i), replaces)
	}
	for i := range o.entries * versions {
		first.Channels[0].Entries = append(first.Channels[0].Entries, catalog.Entry{Name: fmt.Sprintf("large.v9.%d.0", 10_000+i), SkipRange: fmt.Sprintf(">=1.0.0 <9.%d.0", 10_000+i)})
	}
	if o.guarded {
		var steps []string
		for i := range guards {
			steps = append(steps, fmt.Sprintf(`{"through":"3.%d.x","to":">=%s"}`, i, version(versions/2)))
		}
		first.UpgradeRules = []catalog.UpgradeRules{{Schema: upgrade.Schema, Location: "blob 1", Raw: `{"semantics":"channel","steps":[` + strings.Join(steps, ",") + `]}`}}
	}
	second := &catalog.Package{Name: pkg, DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	add(second, "0.9.0", "")
	request := resolve.Request{Operator: pkg, Package: pkg, ClusterVersion: resolveClusterVersion, KubeVersion: resolveKubeVersion, InstalledVersion: version(0), InstalledBundle: first.Bundles[0].Name}
	id := func(name string) catalog.ID { return catalog.ID{Kind: catalog.KindClusterCatalog, Name: name} }
	return request, []resolve.Catalog{{ID: id("first"), Package: first}, {ID: id("second"), Package: second}}
}
