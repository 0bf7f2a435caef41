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

// resolveClusterVersion and resolveKubeVersion are the versions of OpenShift and Kubernetes for which operators are resolved. They belong
// to the OpenShift release of the real catalogs.
const (
	resolveClusterVersion = "4.20.0"
	resolveKubeVersion    = "v1.33.0"
)

// packageIndex maps a package name to the catalogs that contain the package.
type packageIndex map[string][]resolve.Catalog

func newPackageIndex(catalogs map[string][]catalog.Package) packageIndex {
	m := packageIndex{}
	for _, id := range slices.Sorted(maps.Keys(catalogs)) {
		for i := range catalogs[id] {
			pkg := &catalogs[id][i]
			m[pkg.Name] = append(m[pkg.Name], resolve.Catalog{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: id}, Package: pkg})
		}
	}
	return m
}

func (m packageIndex) clusterState() resolve.ClusterState {
	return resolve.ClusterState{Catalogs: func(pkg string) []resolve.Catalog { return m[pkg] }}
}

func (m packageIndex) bundles(requests ...resolve.Request) (bundles int) {
	for _, req := range requests {
		for _, offer := range m[req.Package] {
			bundles += len(offer.Package.Bundles)
		}
	}
	return bundles
}

// request returns a request for a package. If installed is set and a catalog contains the package, the oldest version in the default
// channel is the installed version. Otherwise no version is installed.
func (m packageIndex) request(pkg string, installed bool) resolve.Request {
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

// measureResolve measures decisions for single operators, from the named packages and from large synthetic packages. It also measures
// decisions for all operators of the catalogs together with synthetic operators, and how long they take after the first named package has
// changed.
func measureResolve(catalogs map[string][]catalog.Package, names []string, large []int, n int) (part, error) {
	all := maps.Clone(catalogs)
	all["synthetic"] = syntheticPackages()
	m := newPackageIndex(all)
	p := part{
		title: "Resolving",
		text: fmt.Sprintf("The time to decide for one PlatformOperator, or for all together, over %d catalogs for OpenShift %s. A decision has the newest permitted version that can be reached, its upgrade path, why every other version was refused, and every available update with what blocks it. “Installed” operators run the oldest version of their default channel; of all operators, every other one is installed. All operators include %d synthetic ones that require or provide the same kinds.\n\n"+
			"The baseline is deppy v0.3.0, the solver that OLM v1 once used. It gets a mandatory variable for each operator and a variable for each bundle in the same order of preference. It also gets the requirements of the bundles and the conflicts between providers of a kind. Bundles that are not permitted by themselves are prohibited; the second baseline does not have them. The variables are built before the measurement, and operators that cannot be installed are left out. The baseline therefore only solves, and gives no reasons. The benchmark checks that both sides choose the same bundles.\n\n"+
			"In the rows “one package changed”, the content of one package changes each time and earlier decisions are cached (joint.Cache). The baseline has no cache. The last rows are synthetic packages beside a second catalog of the same priority, with the lowest version installed. Commit c02a7af took 14.2 s of processor time for the chain of 1,000 versions.", len(catalogs), resolveClusterVersion, len(all["synthetic"])),
		ours: "`pkg/resolve`", baseline: "deppy v0.3.0, solving only",
		details: table{caption: "Growth of time with ten times as many operators or versions:", head: []string{"operators or versions", "ours", "baseline"}},
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

// addTogether measures decisions for all operators and for a tenth of them, first with no operator installed and then with half of the
// operators installed. It adds the figures and their growth to the part.
func (m packageIndex) addTogether(p *part, n int) error {
	for _, installed := range []bool{false, true} {
		var requests, tenth []resolve.Request
		for i, name := range slices.Sorted(maps.Keys(m)) {
			requests = append(requests, m.request(name, installed && i%2 == 0))
			if i%10 == i/10%2 { // selects a tenth, of which half are installed
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

func (m packageIndex) compareOne(req resolve.Request, n int) ([]figure, error) {
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

func (m packageIndex) compareTogether(requests []resolve.Request, n int) ([]figure, error) {
	clusterState := m.clusterState()
	decide := func() (map[string]resolve.Decision, error) {
		return new(joint.Cache).ResolveAll(requests, clusterState), nil
	}
	name := fmt.Sprintf("%d operators, %d bundles%s", len(requests), m.bundles(requests...), installedIn(requests...))
	return compareDecisions(name, requests, decide, n)
}

// compareOneChanged measures decisions for all operators after the content of one package has changed. Earlier decisions are cached; the
// baseline has no cache.
func (m packageIndex) compareOneChanged(changed string, n int) ([]figure, error) {
	var requests []resolve.Request
	for i, name := range slices.Sorted(maps.Keys(m)) {
		requests = append(requests, m.request(name, i%2 == 0))
	}
	variants := [2]packageIndex{maps.Clone(m), maps.Clone(m)}
	for i, variant := range variants {
		variant[changed] = nil
		for _, offer := range m[changed] { // the second variant has one bundle fewer
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
		return cache.ResolveAll(requests, variants[turn].clusterState()), nil
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
	costs, err := measureAlternately(n,
		subject{"pkg/resolve", func() error { _, err := decide(); return err }},
		subject{fmt.Sprintf("deppy on %s", name), whole.solve},
		subject{fmt.Sprintf("deppy on the permitted bundles of %s", name), fitting.solve})
	if err != nil {
		return nil, err
	}
	return append(costFigures(name, costs[0], costs[1], n),
		costFigures(name+"; baseline with permitted bundles only", costs[0], costs[2], n)[0]), nil
}
