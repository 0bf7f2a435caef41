package upgrade_test

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// example returns a package with these versions, semver semantics and one step.
func example(versions ...string) (upgrade.Package, error) {
	rules, err := upgrade.ReadRules("example", upgrade.Schema, []byte(`{
		"semantics": "semver",
		"steps": [{"from": "<1.3.0", "to": ">=1.4.0", "through": "1.3.x", "reason": "1.3 migrates stored objects"}]
	}`))
	if err != nil {
		return upgrade.Package{}, err
	}
	rules.Location = "ClusterCatalog/operators"
	pkg := upgrade.Package{Name: "example", Rules: []upgrade.Rules{rules}}
	for _, text := range versions {
		version, err := upgrade.ParseVersion(text, "")
		if err != nil {
			return upgrade.Package{}, err
		}
		pkg.Bundles = append(pkg.Bundles, upgrade.Bundle{Name: "example.v" + text, Version: version})
	}
	return pkg, nil
}

func Example() {
	pkg, err := example("1.2.0", "1.3.0", "1.3.5", "1.4.0", "2.0.0")
	if err != nil {
		fmt.Println(err)
		return
	}
	graph := upgrade.New(pkg)
	bundles := graph.Bundles()
	reach := graph.From(bundles[0], nil)
	for to := len(bundles) - 1; to > 0; to-- {
		path, ok := reach.Path(to)
		if !ok {
			fmt.Println(bundles[to].Version, reach.Refusal(to).Message)
			continue
		}
		fmt.Print(bundles[0].Version)
		for _, hop := range path {
			fmt.Print(" → ", bundles[hop.Bundle].Version)
		}
		fmt.Println()
	}
	// Output:
	// 2.0.0 cannot follow 1.2.0: semantic versioning promises nothing from major version 1 to 2; set spec.upgrades.edges to SelfCertified to move anyway, at your own risk
	// 1.2.0 → 1.3.5 → 1.4.0
	// 1.2.0 → 1.3.5
	// 1.2.0 → 1.3.0
}

func ExampleLint() {
	pkg, err := example("1.2.0", "1.4.0")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, finding := range upgrade.Lint(pkg) {
		if finding.Semantics == "" {
			fmt.Println(finding)
		}
	}
	// Output:
	// EmptyStep: steps[0] of ClusterCatalog/operators leads through "1.3.x", which has no version: an operator that needs it never reaches ">=1.4.0"; publish a version there, or correct the range
}

func ExampleSimulate() {
	pkg, err := example("1.2.0", "1.3.0", "1.4.0")
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation := upgrade.Simulate(pkg)
	for _, course := range simulation.Results {
		first := course.Outcomes[0]
		if first.Target < 0 {
			fmt.Println(course.Semantics, "stranded:", first.Stranded)
			continue
		}
		fmt.Println(course.Semantics, "gets to", simulation.Bundles[first.Target].Version, "in", len(first.Path), "hops")
	}
	// Output:
	// channel stranded: true
	// semver gets to 1.4.0 in 2 hops
	// both gets to 1.4.0 in 2 hops
}
