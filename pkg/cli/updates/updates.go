package updates

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/completion"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// Options are the argument and flags of the command "updates".
type Options struct {
	Output *printer.Flags
	// Operator is the name of a PlatformOperator.
	Operator string

	invocation *invocation.Invocation
	connection *cluster.Connection
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlags(), invocation: i}
}

// NewCommand returns the command "updates".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "updates OPERATOR",
		Short: "List the newer versions of an operator, what blocks them, and what permits them",
		Long: `List the versions of an operator's package above the installed one, newest first: the channels that have it, the path of upgrade
steps to it, what blocks it, and the command that permits it. For each reason, the command for the newest version is shown; -o wide has it
for each version.

The list is status.availableUpdates of the PlatformOperator, so the command reads no catalog. It has the newest 20 versions, and the
number of all.

The exit code is 3 if there are newer versions, and each that is listed is blocked.

The command needs the permission to get platformoperators.platform.openshift.io. It sends one request, and one more for similar names if the
PlatformOperator does not exist.`,
		Example: i.Examples(`
# What can the operator be upgraded to?
{{name}} updates quay

# With the path and the command for each version
{{name}} updates quay -o wide

# The newest version that nothing blocks
{{name}} updates quay -o json | jq -r '[.updates[] | select(.blockedReason == null)][0].version'`),
		Args:              invocation.WithoutEmpty(invocation.ExactArgs(1)),
		ValidArgsFunction: completion.Operators(i),
		RunE: func(command *cobra.Command, args []string) error {
			o.Operator = operators.NameOf(args[0])
			return i.Run(command.Context(), o)
		},
	}
	o.Output.AddFlags(command)
	return command
}

// Validate checks the argument and the flags.
func (o *Options) Validate() error {
	return cmp.Or(operators.ValidateName(o.Operator), o.Output.Validate())
}

// Complete connects to the cluster.
func (o *Options) Complete() (err error) {
	o.connection, err = cluster.Connect(o.invocation)
	return err
}

// Run reads the PlatformOperator and prints the report. It returns an error with code Blocked if all updates that the status lists are
// blocked.
func (o *Options) Run(ctx context.Context) error {
	operator, err := o.connection.Operator(ctx, o.Operator)
	if err != nil {
		return err
	}
	report := NewReport(operator, remedy.Tools{Client: o.invocation.Client(), Plugin: o.invocation.Name})
	err = report.print(o.invocation.Streams.Out, layout{o.Output.Layout(o.invocation.Width), o.invocation.Name})
	if err == nil && report.IsBlocked() {
		return exit.Silently(exit.Blocked)
	}
	return err
}
