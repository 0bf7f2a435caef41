package lint

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/catalog/content"
	"github.com/openshift/platform-operators/pkg/cli/catalog/semantics"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Options are the argument and flags of the command "catalog lint".
type Options struct {
	Output *printer.Flags
	// Content selects the catalog and its packages.
	Content   content.Selection
	Semantics semantics.Selection
	// Strict makes the command fail for warnings, not only for errors.
	Strict bool

	invocation *invocation.Invocation
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlags(), invocation: i}
}

// NewCommand returns the command "catalog lint".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "lint DIR|IMAGE",
		Short: "Find stranded versions, broken upgrade rules and other mistakes in a catalog",
		Long: `Find mistakes in a file-based catalog before it is published: stranded versions, broken upgrade rules, and upgrades that a rule
forbids, with what it leaves over. The command needs no cluster.

DIR is a directory with .yaml and .json files, in which each package usually has a directory. IMAGE is a catalog image, with its registry
and a tag or digest. The command reads directory /configs of the image, with the credentials of podman or docker.

SEVERITY is Error for content that has no effect and for rules that no operator can meet, Warning for upgrades that its author may not
expect, and Info for upgrades that a rule forbids. In the table, versions of a package with the same problem share a row; -o wide has a row
and a remedy for each. Stranded and cut-off versions are those under the semantics that the package selects; an admin can select
others, which --semantics shows.

The exit code is 5 if there is an error, or with --strict also if there is a warning.`,
		Example: i.Examples(`
# A catalog before it is published
{{name}} catalog lint ./catalog

# The same in a pipeline, where warnings fail, too
{{name}} catalog lint ./catalog --strict -o json

# One package of a catalog image, with remedies
{{name}} catalog lint registry.example.com/catalog:v4.20 --package project-quay -o wide`),
		Args:              invocation.WithoutEmpty(invocation.ExactArgs(1)),
		ValidArgsFunction: content.CompleteDirectories,
		RunE: func(command *cobra.Command, args []string) error {
			o.Content.Argument = args[0]
			return i.Run(command.Context(), o)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&o.Strict, "strict", false, "also fail if there is a warning")
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

// Complete does nothing: the command does not connect to a cluster.
func (o *Options) Complete() error { return nil }

// Run reads the catalog and prints the report. It returns an error with code exit.Invalid if a finding is an error or, with Strict, a
// warning.
func (o *Options) Run(ctx context.Context) error {
	packages, err := o.Content.Read(ctx)
	if err != nil {
		return err
	}
	report := NewReport(o.Content.Argument, packages, o.Semantics, ctx.Done())
	if ctx.Err() != nil {
		return fmt.Errorf("checking catalog %s: %w", o.Content.Argument, ctx.Err())
	}
	err = report.print(o.invocation.Streams.Out, o.Output.Layout(o.invocation.Width))
	if err == nil && (report.Summary.Errors > 0 || o.Strict && report.Summary.Warnings > 0) {
		return exit.Silently(exit.Invalid)
	}
	return err
}
