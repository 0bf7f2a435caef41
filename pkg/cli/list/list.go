package list

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
)

// Options are the flags of the command "list".
type Options struct {
	Output *printer.Flags

	invocation *invocation.Invocation
	connection *cluster.Connection
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlags(), invocation: i}
}

// NewCommand returns the command "list".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "list",
		Short: "List the PlatformOperators of the cluster, one line each",
		Long: `List the PlatformOperators of the cluster, one line each.

STATE is the first of these that applies: Removing, Pending, Failed, Installing, Upgrading, RollingBack, NotInstalled, Unhealthy, Paused,
Blocked, AwaitingApproval, Unknown, Healthy. With ",Outdated", the status is older than the last change of the spec: the manager has not
reconciled it yet, or does not run. UPDATE is the newest available update, whether or not something blocks it.

The command needs the permission to list platformoperators.platform.openshift.io. It sends one request, and one for each page
of a long list.`,
		Example: i.Examples(`
# All operators, with channel, catalog and the last supported OpenShift version
{{name}} list -o wide

# The names, for a script
{{name}} list -o name

# The operators that are not healthy
{{name}} list -o json | jq -r '.operators[] | select(.state != "Healthy") | .name'`),
		Args: invocation.WithoutEmpty(func(command *cobra.Command, args []string) error {
			if len(args) == 1 {
				status := remedy.Tools{Plugin: i.Name}.Status(args[0])
				return invocation.UsageError(command, errors.New("list takes no argument; for one operator, use: "+status))
			}
			return invocation.NoArgs(command, args)
		}),
		RunE: func(command *cobra.Command, _ []string) error {
			return i.Run(command.Context(), o)
		},
	}
	o.Output.AddFlags(command)
	return command
}

// Complete connects to the cluster.
func (o *Options) Complete() (err error) {
	o.connection, err = cluster.Connect(o.invocation)
	return err
}

// Validate checks the flags.
func (o *Options) Validate() error { return o.Output.Validate() }

// Run reads the PlatformOperators and prints the report.
func (o *Options) Run(ctx context.Context) error {
	all, err := o.connection.Operators(ctx)
	if err != nil {
		return err
	}
	report := NewReport(all)
	if len(report.Operators) == 0 && o.Output.IsForPeople() {
		fmt.Fprintf(o.invocation.Streams.ErrOut, "No PlatformOperators found. Find packages to install with: %s search\n", o.invocation.Name)
		return nil
	}
	if slices.ContainsFunc(report.Operators, func(each operators.Operator) bool { return each.Outdated }) && o.Output.IsForPeople() {
		o.invocation.Warn(operators.OutdatedText)
	}
	return report.print(o.invocation.Streams.Out, layout{o.Output.Layout(o.invocation.Width), o.invocation.Now()})
}
