// Package graph implements the command "graph": it prints the upgrade graph of a package, with the installed version, the edges by kind,
// the author's step rules, and what blocks an edge or a version. The report is a pure function of a package from a catalog, a
// PlatformOperator and the version of the cluster. Edges, paths and refusals come from pkg/upgrade, which the manager uses too.
package graph

import (
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Input holds the data from which NewReport makes a report.
type Input struct {
	// Catalog is the name of the catalog that contains Package.
	Catalog string
	Package *catalog.Package
	// Operator is the PlatformOperator for the package; nil for the graph of a package that need not be installed.
	Operator *platformv1alpha1.PlatformOperator
	// Channels are the channels whose entries are edges. If it is empty, they are those of the operator or, without an operator, all
	// channels.
	Channels []string
	// DefaultEdges is spec.defaultEdges of the PlatformOperatorManager.
	DefaultEdges operatorv1alpha1.DefaultEdges
	// ClusterVersion is the version of OpenShift; empty if it is not known. Then no version is blocked for not supporting the cluster.
	ClusterVersion string
	// Done cancels the report when it is closed; nil means never. The report is then incomplete.
	Done <-chan struct{}
}

// Report is the result of the command.
type Report struct {
	printer.Type `json:",inline"`
	Package      string `json:"package"`
	Catalog      string `json:"catalog"`
	// Operator is the name of the PlatformOperator, and Installed is its installed version. Both are empty if no version is installed.
	Operator  string `json:"operator,omitempty"`
	Installed string `json:"installedVersion,omitempty"`
	// Channels are the channels whose entries are edges.
	Channels       []string `json:"channels"`
	DefaultChannel string   `json:"defaultChannel,omitempty"`
	// Semantics define which edges exist: channel, semver, both or self-certified. If there are several, all of them must permit an edge.
	Semantics []string `json:"edgeSemantics"`
	// StepRules are the rules by the author that an edge must not bypass.
	StepRules []StepRule `json:"stepRules,omitempty"`
	// Nodes are the versions, in ascending order.
	Nodes []Node `json:"nodes"`
	// Notes are sentences about parts of the package that cannot be used.
	Notes []string `json:"notes,omitempty"`
	// EdgeTotal is the number of all edges. Omitted is the number of edges that Edges omits: edges that begin at older versions.
	EdgeTotal int `json:"edgeCount"`
	Omitted   int `json:"omittedEdgeCount,omitempty"`
	// Edges are ordered by their first and second node. Edges to lower versions follow, and then edges from an installed version that the
	// catalog does not contain. The field is the last one in JSON, because writeJSON writes its elements one by one.
	Edges []Edge `json:"edges"`

	// into[i] holds the groups of the edges to Nodes[i]. unlisted is the number of edges whose group counts them, but does not contain the
	// version at which they begin.
	into     [][]edgeGroup
	unlisted int
	// firstKept is the oldest version whose edges are in Edges; empty if Edges contains those of all versions.
	firstKept string
}

// StepRule is one rule for upgrade steps. An operator that has been ready at a version in From may be upgraded to a version in To only
// after it has been ready at a version in Through.
type StepRule struct {
	// Rules identifies the upgrade rules that contain the step rule.
	Rules   string `json:"rules"`
	From    string `json:"from"`
	To      string `json:"to"`
	Through string `json:"through"`
	// Select is any or latest, and defines which versions in Through count.
	Select string `json:"select"`
	// Reason is the author's explanation; empty if there is none.
	Reason string `json:"reason,omitempty"`
}

// Node is one version.
type Node struct {
	Version string `json:"version"`
	// Bundle is the name of the bundle, which Edge refers to.
	Bundle string `json:"bundle"`
	// Channels are the channels in the report that contain the version.
	Channels   []string `json:"channels,omitempty"`
	Installed  bool     `json:"installed,omitempty"`
	Deprecated bool     `json:"deprecated,omitempty"`
	// Missing means that this is the installed version, and that the catalog does not contain it.
	Missing bool `json:"missing,omitempty"`
	// MaxOpenShift is the last minor version of OpenShift that the bundle supports; empty if it declares none.
	MaxOpenShift string `json:"maxOpenShiftVersion,omitempty"`
	// Steps is the number of upgrade steps from the installed version; 0 if there is no path. Path holds the versions of these steps; it is
	// empty if there are more of them than status.availableUpdates of a PlatformOperator may contain.
	Steps int      `json:"stepsFromInstalled,omitempty"`
	Path  []string `json:"pathFromInstalled,omitempty"`
	// Reason and Message say why the operator is not upgraded to the version; empty if nothing is known to block it.
	Reason  string `json:"blockedReason,omitempty"`
	Message string `json:"blockedMessage,omitempty"`

	version upgrade.Version
}

// Edge is an upgrade from one version to another.
type Edge struct {
	// From and To are names of bundles.
	From    string   `json:"from"`
	To      string   `json:"to"`
	Sources []Source `json:"sources"`
	// Reason and Message say why an operator at From may not take the edge; empty if nothing blocks the edge. For an edge from the
	// installed version, the history of the operator counts. For other edges, an operator without earlier versions is assumed.
	Reason  string `json:"blockedReason,omitempty"`
	Message string `json:"blockedMessage,omitempty"`
}

// Source is why an edge exists.
type Source struct {
	// Kind is replaces, skips, skipRange, semver or self-certified.
	Kind string `json:"kind"`
	// Channel is the channel whose entry declares the edge; empty for other kinds.
	Channel string `json:"channel,omitempty"`
}

// NewReport returns the report.
func NewReport(in Input) Report {
	pkg, notes := packageOf(in)
	graph := upgrade.New(pkg)
	report := Report{
		Type: printer.TypeOf("UpgradeGraph"), Package: in.Package.Name, Catalog: in.Catalog, Channels: in.channels(),
		DefaultChannel: in.Package.DefaultChannel, Semantics: semanticsOf(pkg, graph), StepRules: stepRulesOf(pkg),
		Notes: append(notes, graph.Notes()...),
		Nodes: []Node{}, Edges: []Edge{},
	}
	at := in.installed()
	report.addNodes(in, graph)
	report.addEdges(graph, at, pkg.Limit)
	if at.isKnown() {
		report.Operator, report.Installed = in.Operator.Name, at.Version.String()
		report.addPaths(graph, at, pkg.Limit)
		report.addStatus(in.Operator)
	}
	return report
}

func semanticsOf(pkg upgrade.Package, graph *upgrade.Graph) []string {
	if pkg.SelfCertified {
		return []string{string(upgrade.FromSelfCertified)}
	}
	var all []string
	for _, each := range graph.Semantics() {
		all = append(all, string(each))
	}
	return all
}

func stepRulesOf(pkg upgrade.Package) []StepRule {
	var all []StepRule
	for _, rules := range pkg.Rules {
		for _, step := range rules.Steps {
			all = append(all, StepRule{
				Rules: rules.Location, From: step.From.String(), To: step.To.String(), Through: step.Through.String(), Select: string(step.Select),
				Reason: step.Reason,
			})
		}
	}
	return all
}
