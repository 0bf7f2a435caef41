package status

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/completion"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Options are the argument and flags of the command "status".
type Options struct {
	Output *printer.Flags
	// Operator is the name of a PlatformOperator; empty for all of them.
	Operator string

	isNamed    bool
	invocation *invocation.Invocation
	connection *cluster.Connection
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlags(), invocation: i}
}

// NewCommand returns the command "status".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "status [OPERATOR]",
		Short: "Show whether the cluster may be upgraded, and the state of the platform operators",
		Long: `Show whether the cluster may be upgraded, and the state of the platform operators.

The first line is the verdict that oc adm upgrade follows: condition Upgradeable of ClusterOperator platform-operators-aggregated. On
Kubernetes without OpenShift, it is the condition of PlatformOperatorManager "cluster". Then follow the operators: what is installed,
healthy, blocked, drifted and waiting, and the message of each operator that is not healthy. With the name of a PlatformOperator,
the command shows its bundle, conditions, updates, drift and warnings.

The exit code is 3 if the upgrade of the cluster to its next minor version is blocked. With OPERATOR, it is 3 if this operator blocks it,
or if somebody has to act before the operator is installed, upgraded or removed. An operator that only waits for an approval or for the
end of a pause is not blocked. Without OPERATOR, the exit code is 1 if the verdict is not known and not every object could be read. With
OPERATOR, it is 1 if the BundleDeployment could not be read, and nothing else shows that the operator is blocked.

If the manager does not run, because it does not renew its Lease, the command says so first: the rest is then what it reported last. State
",Outdated" means that the status is older than the last change of the spec.

The command needs the permission to read platformoperators, bundledeployments, platformoperatormanagers, clusteroperators, clusterversions,
and leases in namespace openshift-platform-operators. Except for platformoperators, it shows what it may read, and warns about the rest. It
sends six requests, and one more for each page of a long list. If OPERATOR does not exist, it lists PlatformOperators for similar names.`,
		Example: i.Examples(`
# The verdict and all operators
{{name}} status

# Everything about one operator
{{name}} status quay

# In a pipeline: stop if the next minor version is blocked
{{name}} status >/dev/null || exit 1

# The operators that block the upgrade of the cluster
{{name}} status -o json | jq -r '.operators[] | select(.blocksCluster) | .name'`),
		Args:              invocation.WithoutEmpty(invocation.MaximumArgs(1)),
		ValidArgsFunction: completion.Operators(i),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Operator, o.isNamed = operators.NameOf(args[0]), true
			}
			return i.Run(command.Context(), o)
		},
	}
	o.Output.AddFlags(command)
	return command
}

// Validate checks the argument and the flags.
func (o *Options) Validate() error {
	if o.isNamed {
		if err := operators.ValidateName(o.Operator); err != nil {
			return err
		}
	}
	return o.Output.Validate()
}

// Complete connects to the cluster.
func (o *Options) Complete() (err error) {
	o.connection, err = cluster.Connect(o.invocation)
	return err
}

// Run reads the objects and prints the report. It returns an error with code exit.Blocked if the report IsBlocked. If it is not known
// whether something is blocked, it returns ErrUndecided or ErrOperatorUndecided.
func (o *Options) Run(ctx context.Context) error {
	objects, err := Read(ctx, o.connection, o.Operator)
	if err != nil {
		return err
	}
	objects.Now = o.invocation.Now()
	report := NewReport(objects)
	if o.Operator != "" {
		report = NewOperatorReport(objects)
	}
	for _, sentence := range report.Unread {
		o.invocation.Warn(sentence)
	}
	err = report.print(o.invocation.Streams.Out, layout{o.Output.Layout(o.invocation.Width), o.invocation.Now(), o.invocation.Name, o.invocation.Client()})
	switch {
	case err != nil:
		return err
	case report.IsBlocked():
		return exit.Silently(exit.Blocked)
	}
	return report.undecided()
}
