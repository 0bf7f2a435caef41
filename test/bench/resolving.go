package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Versions of the cluster that is resolved for. They fit the real catalogs.
const (
	resolveClusterVersion = "4.20.0"
	resolveKubeVersion    = "v1.33.0"
)

// market is what the catalogs offer of each package.
type market map[string][]resolve.Catalog

func newMarket(catalogs map[string][]catalog.Package) market {
	m := market{}
	for _, id := range slices.Sorted(maps.Keys(catalogs)) {
		for i := range catalogs[id] {
			pkg := &catalogs[id][i]
			m[pkg.Name] = append(m[pkg.Name], resolve.Catalog{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: id}, Package: pkg})
		}
	}
	return m
}

func (m market) world() resolve.ClusterState {
	return resolve.ClusterState{Catalogs: func(pkg string) []resolve.Catalog { return m[pkg] }}
}

func (m market) bundles(requests ...resolve.Request) (bundles int) {
	for _, req := range requests {
		for _, offer := range m[req.Package] {
			bundles += len(offer.Package.Bundles)
		}
	}
	return bundles
}

// request asks for a package, perhaps with the oldest version of its default channel installed.
func (m market) request(pkg string, installed bool) resolve.Request {
	req := resolve.Request{Operator: pkg, Package: pkg, ClusterVersion: resolveClusterVersion, KubeVersion: resolveKubeVersion}
	if !installed || len(m[pkg]) == 0 {
		return req
	}
	offer := m[pkg][0].Package
	channel, _ := offer.Channel(offer.DefaultChannel)
	var oldest upgrade.Version
	for _, entry := range channel.Entries {
		bundle, _ := offer.Bundle(entry.Name)
		version, err := upgrade.ParseVersion(bundle.Version, bundle.Release)
		if err == nil && (oldest.IsZero() || version.Compare(oldest) < 0) {
			oldest, req.InstalledVersion, req.InstalledRelease, req.InstalledBundle = version, bundle.Version, bundle.Release, bundle.Name
		}
	}
	return req
}

// measureResolve measures deciding about single operators of the named packages, and about all at once: those of the
// catalogs, and made-up ones that have to do with one another; and about single operators of made-up packages of large sizes.
func measureResolve(catalogs map[string][]catalog.Package, names []string, large []int, n int) (part, error) {
	all := maps.Clone(catalogs)
	all["made-up"] = madeUpPackages()
	m := newMarket(all)
	p := part{
		title: "Resolving",
		text: fmt.Sprintf("The decision for one PlatformOperator, and for all together, over %d catalogs for OpenShift %s: the newest version that fits and can be reached, the path there, why each other one was refused, and every update with what is in its way. “Installed” ones run the oldest version of their default channel, of all operators every other one. "+
			"Among all are %d made-up operators that need one another's kinds and packages or bring the same ones. "+
			"The baseline is deppy v0.3.0, which OLM v1 once had for this: a mandatory variable for each operator, one for each bundle of its package in the same order of preference, at most one of these, what a bundle requires, at most one that brings a kind; bundles that do not fit by themselves are prohibited. The second baseline has the bundles that fit only. "+
			"Which bundles fit, their order and the variables are made beforehand, from what ours found, and operators that cannot be installed are left out: only solving is measured, which gives no reasons. That both choose the same is checked. "+
			"In the rows “one package changed” the content of one package is another one each time, and what was decided before is kept (joint.Cache), which the baseline has nothing for: it solves everything again. "+
			"The last rows are made-up packages beside a second catalog of the same priority, with the lowest version installed. At c02a7af, which made each path for each version, the chain of 1,000 versions took 14.2 s of processor.",
			len(catalogs), resolveClusterVersion, len(all["made-up"])),
		ours: "`pkg/resolve`", baseline: "deppy v0.3.0, solving only",
		details: table{caption: "Growth of time, ten times as many operators, or versions of one package:", head: []string{"operators, or versions", "ours", "baseline"}},
	}
	for _, name := range names {
		for _, installed := range []bool{false, true} {
			figures, err := m.compareOne(m.request(name, installed), n)
			if err != nil {
				return part{}, err
			}
			p.figures = append(p.figures, figures...)
		}
	}
	if err := m.addTogether(&p, n); err != nil {
		return p, err
	}
	figures, err := m.compareOneChanged(names[0], n)
	p.figures = append(p.figures, figures...)
	if err != nil {
		return p, err
	}
	figures, growth, err := measureLarge(large, n)
	p.figures, p.details.rows = append(p.figures, figures...), append(p.details.rows, growth...)
	return p, err
}

// addTogether measures all operators, and every tenth of them, at first with none installed and then with some.
func (m market) addTogether(p *part, n int) error {
	for _, installed := range []bool{false, true} {
		var requests, tenth []resolve.Request
		for i, name := range slices.Sorted(maps.Keys(m)) {
			requests = append(requests, m.request(name, installed && i%2 == 0))
			if i%10 == i/10%2 { // of these, too, every other one is installed
				tenth = append(tenth, requests[i])
			}
		}
		few, err := m.compareTogether(tenth, n)
		if err != nil {
			return err
		}
		many, err := m.compareTogether(requests, n)
		if err != nil {
			return err
		}
		p.figures = append(p.figures, slices.Concat(few, many)...)
		p.details.rows = append(p.details.rows, []string{strings.TrimSuffix(many[0].name, ": time"), formatRatio(many[0].ours / few[0].ours), formatRatio(many[0].baseline / few[0].baseline)})
	}
	return nil
}

func (m market) compareOne(req resolve.Request, n int) ([]figure, error) {
	offers := m[req.Package]
	decide := func() (map[string]resolve.Decision, error) {
		decision := resolve.Resolve(req, offers)
		if decision.Chosen == nil {
			return nil, errors.New(decision.Message)
		}
		return map[string]resolve.Decision{req.Operator: decision}, nil
	}
	name := fmt.Sprintf("%s, %d bundles%s", req.Package, m.bundles(req), installedIn(req))
	return compareDecisions(name, []resolve.Request{req}, decide, n)
}

func (m market) compareTogether(requests []resolve.Request, n int) ([]figure, error) {
	world := m.world()
	decide := func() (map[string]resolve.Decision, error) { return joint.ResolveAll(requests, world), nil }
	name := fmt.Sprintf("%d operators, %d bundles%s", len(requests), m.bundles(requests...), installedIn(requests...))
	return compareDecisions(name, requests, decide, n)
}

// compareOneChanged measures all operators after the content of one package has changed, with what was decided before kept.
// The baseline keeps nothing and solves everything again.
func (m market) compareOneChanged(changed string, n int) ([]figure, error) {
	var requests []resolve.Request
	for i, name := range slices.Sorted(maps.Keys(m)) {
		requests = append(requests, m.request(name, i%2 == 0))
	}
	variants := [2]market{maps.Clone(m), maps.Clone(m)}
	for i, variant := range variants {
		variant[changed] = nil
		for _, offer := range m[changed] { // the second has a bundle less
			content := *offer.Package
			content.Bundles = slices.Clone(content.Bundles[i:])
			offer.Package = &content
			variant[changed] = append(variant[changed], offer)
		}
	}
	var cache joint.Cache
	turn := 0
	decide := func() (map[string]resolve.Decision, error) {
		turn = 1 - turn
		return cache.ResolveAll(requests, variants[turn].world()), nil
	}
	name := fmt.Sprintf("%d operators, %d bundles%s, one package changed (%s)", len(requests), m.bundles(requests...), installedIn(requests...), changed)
	return compareDecisions(name, requests, decide, n)
}

func installedIn(requests ...resolve.Request) string {
	installed := 0
	for _, req := range requests {
		if req.InstalledVersion != "" {
			installed++
		}
	}
	switch {
	case installed == 0:
		return ""
	case len(requests) == 1:
		return ", installed"
	}
	return fmt.Sprintf(", %d installed", installed)
}

func compareDecisions(name string, requests []resolve.Request, decide func() (map[string]resolve.Decision, error), n int) ([]figure, error) {
	decisions, err := decide()
	if err != nil {
		return nil, fmt.Errorf("resolving %s: %w", name, err)
	}
	whole, err := newDeppyProblem(requests, decisions, false)
	if err != nil {
		return nil, err
	}
	fitting, err := newDeppyProblem(requests, decisions, true)
	if err != nil {
		return nil, err
	}
	costs, err := inTurns(n,
		subject{"pkg/resolve", func() error { _, err := decide(); return err }},
		subject{fmt.Sprintf("deppy on %s", name), whole.solve},
		subject{fmt.Sprintf("deppy on what fits of %s", name), fitting.solve})
	if err != nil {
		return nil, err
	}
	return append(costFigures(name, costs[0], costs[1], n),
		costFigures(name+", beside deppy on what fits", costs[0], costs[2], n)[0]), nil
}
