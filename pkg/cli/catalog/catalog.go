// Package catalog implements the command "catalog", which groups the commands for catalog authors: lint and simulate. They read a directory
// or a catalog image, and do not need a cluster.
package catalog

import (
	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/catalog/lint"
	"github.com/openshift/platform-operators/pkg/cli/catalog/simulate"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

// NewCommand returns the command "catalog" with its subcommands lint and simulate.
func NewCommand(i *invocation.Invocation) *cobra.Command {
	command := &cobra.Command{
		Use:   "catalog",
		Short: "Check a file-based catalog before it is published",
		Long: `Check a file-based catalog before it is published: its mistakes, and which version an operator is upgraded to by which path. The
commands read a directory or a catalog image, and need no cluster. The flags that select a cluster have no effect.`,
		Example: i.Examples(`
# Stranded versions, broken rules and other mistakes
{{name}} catalog lint ./catalog

# What rules that are not published yet would change
{{name}} catalog simulate ./catalog --rules rules.yaml`),
		Args: invocation.UnknownCommand,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
		// UnknownCommand suggests commands within this distance. Cobra sets the default only for its own error.
		SuggestionsMinimumDistance: 2,
	}
	command.AddCommand(lint.NewCommand(i), simulate.NewCommand(i))
	return command
}
