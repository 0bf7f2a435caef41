package simulate

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/cli/catalog/content"
	"github.com/openshift/platform-operators/pkg/cli/catalog/semantics"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/shell"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// maxWarnings is the maximum number of problems that the command prints for one package.
const maxWarnings = 5

// Options are the argument and flags of the command "catalog simulate".
type Options struct {
	Output *printer.Flags
	// Content selects the catalog and its packages.
	Content   content.Selection
	Semantics semantics.Selection
	// RulesFile is a file with planned rules; empty for none.
	RulesFile string
	// Cluster is the version of OpenShift that versions must support; empty if versions are not checked against a cluster.
	Cluster string
	// From is the only version to report; empty for all.
	From string

	invocation *invocation.Invocation
	cluster    *compat.Minor
	from       upgrade.Version
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlags(), invocation: i}
}

// NewCommand returns the command "catalog simulate".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "simulate DIR|IMAGE",
		Short: "Show where an operator is upgraded to from each version of a catalog, and what blocks it",
		Long: `Show for each version of a file-based catalog to which version an operator is upgraded, by which path, and what blocks it. The
command needs no cluster. DIR and IMAGE are those of "catalog lint".

With --rules, the command compares the catalog as it is with the catalog and the rules in a file, for the packages of these rules. The file
has the blob of each package as in the catalog, as YAML or JSON. CHANGE is Unchanged, OtherPath, OtherTarget, OtherReason, NewlyBlocked
or Unblocked.

With --cluster, versions whose olm.maxOpenShiftVersion is lower do not fit. The manager also checks minKubeVersion and the kinds on the
cluster, which the command does not know. All channels of a package are used. An operator at a version has no history.

The exit code is 5 if "catalog lint" finds an error in a simulated package, with the planned rules if there are any, or if the file with
rules cannot be read. It is 0 if a version is blocked.`,
		Example: i.Examples(`
# Every version of a package
{{name}} catalog simulate ./catalog --package project-quay

# What planned rules change, from one version
{{name}} catalog simulate ./catalog --rules rules.yaml --from 1.2.0

# On OpenShift 4.21, under all semantics that an admin can select
{{name}} catalog simulate ./catalog --cluster 4.21 --semantics all -o wide`),
		Args:              invocation.WithoutEmpty(invocation.ExactArgs(1)),
		ValidArgsFunction: content.CompleteDirectories,
		RunE: func(command *cobra.Command, args []string) error {
			o.Content.Argument = args[0]
			return i.Run(command.Context(), o)
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.RulesFile, "rules", "", "file with planned upgrade rules to compare")
	flags.StringVar(&o.Cluster, "cluster", "", "version of OpenShift, such as 4.21; without it, every version fits")
	flags.StringVar(&o.From, "from", "", "only this version of the packages")
	o.Content.AddFlags(flags)
	o.Semantics.AddFlag(command)
	o.Output.AddFlags(command)
	return command
}

// Validate checks the flags.
func (o *Options) Validate() error {
	if err := o.Semantics.Validate(); err != nil {
		return err
	}
	return o.Output.Validate()
}

// Complete parses the versions in the flags.
func (o *Options) Complete() error {
	if o.Cluster != "" {
		text := o.Cluster
		if strings.Count(text, ".") == 1 {
			text += ".0"
		}
		minor, err := compat.ParseClusterVersion(text)
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("--cluster %q is not a version of OpenShift: write it like 4.21", o.Cluster))
		}
		o.cluster = &minor
	}
	if o.From != "" {
		version, err := upgrade.ParseVersion(o.From, "")
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("--from: %w; write it like 1.2.3", err))
		}
		o.from = version
	}
	return nil
}

// Run reads the catalog and the rules, and prints the report. It returns an error with code exit.Invalid if a package has problems.
func (o *Options) Run(ctx context.Context) error {
	packages, err := o.Content.Read(ctx)
	if err != nil {
		return err
	}
	planned, err := o.plannedRules(packages)
	if err != nil {
		return err
	}
	report := NewReport(Input{
		Catalog: o.Content.Argument, Packages: packages, Cluster: o.cluster, Semantics: o.Semantics, From: o.from, Planned: planned,
		Done: ctx.Done(),
	})
	if ctx.Err() != nil {
		return fmt.Errorf("simulating catalog %s: %w", o.Content.Argument, ctx.Err())
	}
	if len(report.Packages) == 0 {
		return exit.With(exit.Usage, fmt.Errorf("no simulated package of catalog %s has version %s: correct --from, or omit it to see "+
			"the versions", o.Content.Argument, o.From))
	}
	o.warn(report)
	err = report.print(o.invocation.Streams.Out, o.Output.Layout(o.invocation.Width))
	if err == nil && report.hasProblems() {
		return exit.Silently(exit.Invalid)
	}
	return err
}

func (o *Options) plannedRules(packages []catalog.Package) (map[string]upgrade.Rules, error) {
	if o.RulesFile == "" {
		return nil, nil
	}
	return readRulesFile(o.RulesFile, packages)
}

// warn prints the first problems of each package.
func (o *Options) warn(report Report) {
	for _, p := range report.Packages {
		for i, problem := range p.Problems {
			if i == maxWarnings {
				o.invocation.Warn(fmt.Sprintf("package %s has %d more problems; see: %s catalog lint %s --package %s", p.Name,
					len(p.Problems)-maxWarnings, o.invocation.Name, shell.Quote(o.Content.Argument), shell.Quote(p.Name)))
				break
			}
			o.invocation.Warn(fmt.Sprintf("package %s: %s", p.Name, problem))
		}
	}
}

func (r Report) hasProblems() bool {
	for _, p := range r.Packages {
		if len(p.Problems) > 0 {
			return true
		}
	}
	return false
}
