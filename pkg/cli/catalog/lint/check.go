package lint

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Edges counts the edges of a package under each of the semantics. The edges under semantics channel are also counted by the fields that
// declare them: an edge that several of replaces, skips and skipRange declare is counted for each of these fields.
type Edges struct {
	Replaces  int `json:"replaces"`
	Skips     int `json:"skips"`
	SkipRange int `json:"skipRange"`
	Counts    `json:",inline"`
	// Downgrades is the number of edges that the channels declare from a higher version to a lower one. No operator follows them.
	Downgrades int `json:"downgrades"`
}

// check returns the counts for a package and all findings about it. Closing done stops the work early; the result is then incomplete.
func check(from *catalog.Package, done <-chan struct{}) (Package, []upgrade.Finding) {
	pkg, findings := upgrade.FromCatalog(from)
	pkg.Limit.Done = done
	findings = append(findings, upgrade.Lint(pkg)...)
	findings = append(findings, upgrade.ForbiddenUpgradesOf(pkg)...)
	graph := upgrade.New(pkg)
	checked := Package{Name: pkg.Name, Semantics: pkg.EffectiveSemantics(), Versions: len(graph.Bundles()), Edges: countEdges(pkg)}
	if head := graph.Head(); head >= 0 {
		checked.Head = graph.Bundles()[head].Version.String()
	}
	for _, finding := range findings {
		switch finding.Kind {
		case upgrade.StrandedVersion:
			checked.Stranded.add(finding.Semantics, 1)
		case upgrade.CutOffVersion:
			checked.CutOff.add(finding.Semantics, 1)
		}
	}
	return checked, findings
}

func countEdges(pkg upgrade.Package) Edges {
	var edges Edges
	for _, semantics := range []upgrade.Semantics{upgrade.Channel, upgrade.Semver, upgrade.Both} {
		pkg.Override = semantics
		graph := upgrade.New(pkg)
		if semantics != upgrade.Channel {
			edges.add(semantics, graph.EdgeCount())
			continue
		}
		declared := graph.Edges()
		edges.add(semantics, len(declared))
		edges.Replaces, edges.Skips = countSource(declared, upgrade.FromReplaces), countSource(declared, upgrade.FromSkips)
		edges.SkipRange = countSource(declared, upgrade.FromSkipRange)
		edges.Downgrades = len(graph.Downgrades())
	}
	return edges
}

func countSource(edges []upgrade.Edge, kind upgrade.SourceKind) int {
	count := 0
	for _, edge := range edges {
		if slices.ContainsFunc(edge.Sources, func(source upgrade.Source) bool { return source.Kind == kind }) {
			count++
		}
	}
	return count
}

func (c *Counts) add(semantics upgrade.Semantics, number int) {
	switch semantics {
	case upgrade.Channel:
		c.Channel += number
	case upgrade.Semver:
		c.Semver += number
	case upgrade.Both:
		c.Both += number
	}
}
