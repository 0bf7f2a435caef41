package joint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// random returns a fleet of operators with random dependencies.
func random(seed uint64) *fleet {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func() string { return string(rune('A' + r.IntN(6))) }
	var operators [][]string
	for i := range 2 + r.IntN(7) {
		texts := []string{fmt.Sprintf("op%d", i)}
		if r.IntN(2) == 0 {
			texts[0] += "@1.0.0"
		}
		for minor := range 1 + r.IntN(5) {
			version := fmt.Sprintf("1.%d.0", minor)
			if r.IntN(2) == 0 {
				version += " provides=" + pick()
			}
			if r.IntN(3) == 0 {
				version += " requires=" + pick()
			}
			if r.IntN(4) == 0 {
				version += fmt.Sprintf(" requires=op%d:%s1.%d.0", r.IntN(8), []string{"<", ">=", "="}[r.IntN(3)], r.IntN(4))
			}
			if minor > 1 && r.IntN(3) == 0 {
				version += fmt.Sprintf(" after=1.%d.0", minor-1)
			}
			texts = append(texts, version)
		}
		operators = append(operators, texts)
	}
	n := newFleet(operators...)
	if r.IntN(2) == 0 {
		n.state.Kinds = append(n.state.Kinds, resolve.Kind{GVK: gvk(pick())})
	}
	if r.IntN(2) == 0 {
		n.state.ExternalPackages = append(n.state.ExternalPackages, resolve.ExternalPackage{Package: fmt.Sprintf("op%d", r.IntN(8)), Version: "1.2.0", Installer: "ClusterExtension x"})
	}
	return n
}

// running has the running bundle of each package; nil if none runs.
type running map[string]*catalog.Bundle

// violations checks the change from one state to another without the solver. It returns new bundles with unmet requirements, requirements
// that are no longer met, and kinds with a second provider.
func violations(n *fleet, before, after running) (violations []string) {
	met := func(state running, r catalog.Requirement) bool {
		return r.Evaluate(true, func(leaf catalog.Requirement, want bool) bool {
			there := false
			for _, kind := range n.state.Kinds {
				there = there || leaf.GVK != nil && kind.GVK == *leaf.GVK
			}
			index := resolve.NewClusterIndex(nil, n.state)
			there = there || leaf.Package != nil && index.IsMetByCluster(leaf)
			for pkg, bundle := range state {
				if bundle != nil && leaf.GVK != nil && slices.Contains(bundle.ProvidedGVKs, *leaf.GVK) {
					there = true
				}
				if bundle != nil && leaf.Package != nil && pkg == leaf.Package.Name {
					version, _ := upgrade.ParseVersion(bundle.Version, "")
					covers, _ := index.Range(leaf.Package.Range)
					there = there || version.IsIn(covers)
				}
			}
			return there == want
		})
	}
	brings := func(state running, pkg string, kind catalog.GVK) bool {
		return state[pkg] != nil && slices.Contains(state[pkg].ProvidedGVKs, kind)
	}
	for pkg, bundle := range after {
		if bundle == nil {
			continue
		}
		for _, r := range bundle.Requirements {
			if !met(after, r) && (bundle != before[pkg] || met(before, r)) {
				violations = append(violations, fmt.Sprintf("%s %s needs %s", pkg, bundle.Version, r))
			}
		}
		for _, kind := range bundle.ProvidedGVKs {
			for other := range after {
				if other == pkg || !brings(after, other, kind) && (!brings(before, other, kind) || brings(before, pkg, kind)) {
					continue
				}
				if !brings(before, pkg, kind) || !brings(before, other, kind) {
					violations = append(violations, fmt.Sprintf("%s and %s both bring %s", pkg, other, kind))
				}
			}
		}
	}
	return violations
}

func TestUPG_R3_SolutionsAreValidAndBreakNoInstalledOperator(t *testing.T) {
	moved, refusedFor := 0, 0
	for seed := range uint64(1_500) {
		n := random(seed)
		before, next := running{}, running{}
		got := n.decide()
		for _, req := range n.requests {
			pkg := n.packages[req.Package]
			before[req.Package], next[req.Package] = nil, nil
			if bundle, ok := pkg.Bundle(req.Package + ".v" + req.InstalledVersion); ok {
				before[req.Package], next[req.Package] = &bundle, &bundle
			}
			decision := got[req.Operator]
			if decision.Chosen == nil && req.InstalledVersion != "" {
				t.Fatalf("seed %d: %s loses its installed version: %s", seed, req.Operator, decision.Message)
			}
			if decision.Chosen != nil && decision.Chosen.Bundle.Version != req.InstalledVersion {
				moved++
				next[req.Package] = &decision.Chosen.Bundle
			}
			if len(decision.Conflicts) > 0 {
				refusedFor++
			}
			for _, conflict := range decision.Conflicts {
				if conflict.Why() == "" || slices.Contains(conflict.With, req.Operator) {
					t.Errorf("seed %d: %s: %+v", seed, req.Operator, conflict)
				}
				for _, with := range conflict.With {
					if !strings.Contains(strings.Join(got[with].Notes, "\n"), fmt.Sprintf("%q does without %s", req.Operator, conflict.Version)) {
						t.Errorf("seed %d: %s has no note that it blocks %s: %v", seed, with, req.Operator, got[with].Notes)
					}
				}
			}
		}
		if all := violations(n, before, next); len(all) > 0 {
			t.Errorf("seed %d: %s: %v", seed, outcome(got), all)
		}
	}
	if moved < 1_000 || refusedFor < 300 {
		t.Errorf("only %d upgrades and %d conflicts: the generated clusters are too simple", moved, refusedFor)
	}
}

func TestIndependentOperatorsAreDecidedAsIfAlone(t *testing.T) {
	n := random(1)
	crowd := newFleet([]string{"quiet@1.0.0", "1.0.0", "1.1.0 provides=Q", "2.0.0 after=1.1.0"}, []string{"still", "1.0.0", "2.0.0"}, []string{"none"})
	maps.Copy(n.packages, crowd.packages)
	n.requests = append(n.requests, crowd.requests...)
	got := n.decide()
	for _, req := range crowd.requests {
		if diff := cmp.Diff(resolve.Resolve(req, n.state.Catalogs(req.Package)), got[req.Operator]); diff != "" {
			t.Errorf("%s (-alone +together):\n%s", req.Operator, diff)
		}
	}
}

func TestUPG_R5_OrderOfOperatorsDoesNotMatter(t *testing.T) {
	for seed := range uint64(20) {
		n := random(seed)
		n.state.ProviderHints = everyKindBy(resolve.ProviderHint{Catalog: community, Packages: []string{"x", "y"}})
		first := n.decide()
		for run := range uint64(100) {
			r := rand.New(rand.NewPCG(run, 3))
			for _, shuffle := range []struct {
				n    int
				swap func(i, j int)
			}{
				{len(n.requests), func(i, j int) { n.requests[i], n.requests[j] = n.requests[j], n.requests[i] }},
				{len(n.state.Kinds), func(i, j int) { n.state.Kinds[i], n.state.Kinds[j] = n.state.Kinds[j], n.state.Kinds[i] }},
				{len(n.state.ExternalPackages), func(i, j int) {
					n.state.ExternalPackages[i], n.state.ExternalPackages[j] = n.state.ExternalPackages[j], n.state.ExternalPackages[i]
				}},
			} {
				r.Shuffle(shuffle.n, shuffle.swap)
			}
			if diff := cmp.Diff(first, n.decide()); diff != "" {
				t.Fatalf("seed %d, run %d (-first +now):\n%s", seed, run, diff)
			}
		}
	}
}
