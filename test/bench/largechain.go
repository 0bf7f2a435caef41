package main

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

const (
	// unmetSteps is the number of required upgrade steps that no version meets. It is the maximum number of steps in upgrade rules.
	unmetSteps = 32
	// entriesPerVersion is the number of channel entries without a bundle that are added for each version. Each has its own skipRange.
	entriesPerVersion = 10
)

// largeSizes are the numbers of versions of the synthetic packages. Packages with more entries than bundles have a tenth as many versions.
var largeSizes = []int{100, 1000, 10_000}

// largeOffer is a kind of package for which a search for upgrade paths takes long (HRD-B1).
type largeOffer struct {
	// name is the name of the measurement, a format string with a verb for the number of versions.
	name string
	// share divides a size of largeSizes; the quotient is the number of versions of the package.
	share   int
	guarded bool
	entries int
}

var largeOffers = []largeOffer{
	{name: "a chain of %d versions", share: 1},
	{name: fmt.Sprintf("a chain of %%d versions with %d required steps that no version meets", unmetSteps), share: 1, guarded: true},
	{name: fmt.Sprintf("a chain of %%d versions with %d times as many entries without bundles", entriesPerVersion), share: entriesPerVersion, entries: entriesPerVersion},
}

// measureLarge measures the decision for one operator whose lowest version is installed. For each offer and each size except the first, a
// row of growth shows how the time grew from the previous size. There is no baseline, because no other solver gives reasons.
func measureLarge(sizes []int, n int) (figures []figure, growth [][]string, err error) {
	for _, offer := range largeOffers {
		var before figure
		for _, size := range sizes {
			versions := max(size/offer.share, 2)
			request, catalogs := offer.build(versions)
			name := fmt.Sprintf(offer.name, versions)
			costs, err := measureAlternately(min(n, maxLongSamples), subject{name, func() error {
				if got := resolve.Resolve(request, catalogs); len(got.Updates) != versions-1 {
					return fmt.Errorf("%d updates of %d versions: %s", len(got.Updates), versions, got.Message)
				}
				return nil
			}})
			if err != nil {
				return nil, nil, err
			}
			measured := costFigures(name, costs[0], cost{}, min(n, maxLongSamples))
			if figures = append(figures, measured...); before.ours > 0 {
				growth = append(growth, []string{name, formatRatio(measured[0].ours / before.ours), ""})
			}
			before = measured[0]
		}
	}
	return figures, growth, nil
}

// build returns a request for a package and two catalogs of the same priority. The first catalog contains the package with the given number
// of versions, and the second contains a lower version of the package.
func (o largeOffer) build(versions int) (resolve.Request, []resolve.Catalog) {
	const pkg = "large"
	first := &catalog.Package{Name: pkg, DefaultChannel: "stable", Channels: []catalog.Channel{{Name: "stable"}}}
	add := func(to *catalog.Package, version, replaces string) {
		name := pkg + ".v" + version
		to.Bundles = append(to.Bundles, catalog.Bundle{Name: name, Version: version, Image: "registry.invalid/large@sha256:" + version})
		to.Channels[0].Entries = append(to.Channels[0].Entries, catalog.Entry{Name: name, Replaces: replaces})
	}
	version := func(i int) string { return fmt.Sprintf("1.%d.0", 10_000+i) } // names sort in the same order as versions
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
		for i := range unmetSteps {
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
