package graph

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/catalogs"
	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/completion"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// The formats of diagrams.
const (
	formatMermaid printer.Format = "mermaid"
	formatDOT     printer.Format = "dot"
)

// Options are the argument and flags of the command "graph".
type Options struct {
	Output *printer.Flags
	// Catalogs select where to look for the package. Catalog is the name of one of these catalogs. If it is empty, the command uses the
	// catalog of the installed version, or else the first one that has the package.
	Catalogs catalogs.Flags
	Catalog  string
	// Operator is the name of a PlatformOperator; empty if Package is set.
	Operator string
	// Package is the name of a package; empty for the operator's package.
	Package string
	// Channels are the channels whose entries are edges. If it is empty, they are those of the operator or, without an operator, all
	// channels.
	Channels []string

	isNamed    bool
	invocation *invocation.Invocation
	connection *cluster.Connection
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlagsFor(printer.FormatText, formatMermaid, formatDOT, printer.FormatJSON), invocation: i}
}

// NewCommand returns the command "graph".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "graph OPERATOR | --package PACKAGE",
		Short: "Show the upgrade graph of a package: versions, edges, step rules, and what blocks them",
		Long: `Show the upgrade graph of a package. With the name of a PlatformOperator, it is the graph of one catalog with the channels
and edges of its spec, its installed version, the number of upgrade steps to each newer version, and what blocks a version. The manager
also applies the version range, the catalogSelector, and the upgrade rules of other catalogs that have the package. With --package, it is
the graph of all channels, or of those that --channel selects, and nothing needs to be installed.

The kinds of edges are replaces, skips and skipRange of a channel's entry, semver, and self-certified. The steps are the upgrade
rules of the author. An edge is blocked if a step forbids it, if the version does not support the cluster, if the rules cannot be read,
or if it leads to a lower version. In text, consecutive versions with the same edges are one line; no version is omitted, whatever the
size of the graph. The other formats have at most 500000 edges to higher versions, those of the newest versions and of the installed one,
and a warning says so; edgeCount in JSON is the number of all edges.

The catalog is that of --catalog, else that of the installed version, else the first by name that has the package. The command
reads catalogs as search does, and needs the same permissions. In addition, it needs the permission to get the PlatformOperator. It reads
clusterversions if it may. With --package and --catalog-dir, it needs no cluster.

The exit code is 4 if the graph is not written within --timeout. If no catalog that can be read has the package, the exit code is that
of the first catalog that cannot be read, as for search. If all can be read, it is 2 for a package that --package names, else 1.`,
		Example: i.Examples(`
# How can the operator be upgraded, and what blocks a version?
{{name}} graph quay

# The same as a picture
{{name}} graph quay -o dot | dot -Tsvg > quay.svg

# A package that is not installed, in one channel
{{name}} graph --package project-quay --channel stable-3.12

# A file-based catalog on disk, without a cluster
{{name}} graph --package project-quay --catalog-dir ./catalog -o mermaid

# The edges that are blocked
{{name}} graph quay -o json | jq -r '.edges[] | select(.blockedReason) | "\(.from) \(.to) \(.blockedReason)"'`),
		Args:              invocation.WithoutEmpty(invocation.MaximumArgs(1)),
		ValidArgsFunction: completion.Operators(i),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Operator, o.isNamed = operators.NameOf(args[0]), true
			}
			return i.Run(command.Context(), o)
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.Package, "package", "", "name of a package, instead of an operator")
	flags.StringArrayVar(&o.Channels, "channel", nil, "channel whose edges are shown; can be repeated")
	flags.StringVar(&o.Catalog, "catalog", "", `name of the catalog as search shows it, such as "ClusterCatalog/name"`)
	o.Catalogs.AddFlags(flags)
	o.Output.AddFlags(command)
	return command
}

// Validate checks the argument and the flags.
func (o *Options) Validate() error {
	if o.isNamed == (o.Package != "") {
		return exit.With(exit.Usage, errors.New("name either a PlatformOperator or a package, such as: "+o.invocation.Name+" graph "+
			"--package quay"))
	}
	if o.isNamed {
		if err := operators.ValidateName(o.Operator); err != nil {
			return err
		}
	}
	return cmp.Or(o.Catalogs.Validate(), o.Output.Validate())
}

// Complete connects to the cluster, unless only directories are read.
func (o *Options) Complete() (err error) {
	if o.Operator != "" || !o.Catalogs.AreDirectories() {
		o.connection, err = cluster.Connect(o.invocation)
	}
	return err
}
