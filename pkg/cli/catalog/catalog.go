// Package catalog implements the command "catalog", which groups the commands for catalog authors: lint and simulate. They read a directory or a
// catalog image, and need no cluster.
package catalog

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/catalog/lint"
	"github.com/openshift/platform-operators/pkg/cli/catalog/simulate"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

// NewCommand returns the command with its commands.
func NewCommand(i *invocation.Invocation) *cobra.Command {
	command := &cobra.Command{
		Use:   "catalog",
		Short: "Check a file-based catalog before it is published",
		Long: `Check a file-based catalog before it is published: its mistakes, and which version an operator is upgraded to by which path. The
commands read a directory or a catalog image, and need no cluster.`,
		Example: i.Examples(`
# Stranded versions, broken rules and other mistakes
{{name}} catalog lint ./catalog

# What rules that are not published yet would change
{{name}} catalog simulate ./catalog --rules rules.yaml`),
		Args: unknownCommand,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(lint.NewCommand(i), simulate.NewCommand(i))
	return command
}

// unknownCommand refuses arguments, which are commands that do not exist.
func unknownCommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return exit.With(exit.Usage, fmt.Errorf("unknown command %q: use lint or simulate; see: %s --help", args[0], command.CommandPath()))
}
