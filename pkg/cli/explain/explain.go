package explain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/completion"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
	"github.com/openshift/platform-operators/pkg/cli/remedy"
	"github.com/openshift/platform-operators/pkg/cli/status"
	"github.com/openshift/platform-operators/pkg/ocplatform"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/shell"
)

// Options are the argument and flags of the command "explain".
type Options struct {
	Output *printer.Flags
	// Upgrade, Operator and Deployment are what the command explains: the upgrade of the cluster, the PlatformOperator with this name, or
	// the BundleDeployment with this name, which must not belong to a PlatformOperator. Only one of them is set.
	Upgrade    bool
	Operator   string
	Deployment string

	isDeployment bool
	invocation   *invocation.Invocation
	connection   *cluster.Connection
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{Output: printer.NewFlagsFor(printer.FormatText, printer.FormatJSON, printer.FormatYAML), invocation: i}
}

// NewCommand returns the command "explain".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "explain OPERATOR | bundledeployment/NAME | upgrade",
		Short: "Explain why an operator or the upgrade of the cluster is blocked, down to the command that fixes it",
		Long: `Explain a PlatformOperator, or the upgrade of the cluster to its next minor version, as a chain: the cluster's verdict, the
conditions of the operator and of its BundleDeployment, what each reason means, the fields and declarations that cause it, and the
command for the next step. Conditions that are as expected are omitted. Replace words in capitals in a command before you run it.

The command decides by types and reasons of conditions and by fields. It shows messages, and does not interpret them.

The exit code is 3 if something is blocked. For "upgrade", that is the upgrade of the cluster. For an operator, it is the upgrade of the
cluster by this operator, or the operator itself: somebody has to act before it is installed, upgraded or removed. An operator that only
waits for an approval or for the end of a pause is not blocked. For "upgrade", the exit code is 1 if the verdict is not known and not every
object could be read; for an operator, if its BundleDeployment could not be read, and nothing else shows that it is blocked.

For a PlatformOperator that is named upgrade, write platformoperator/upgrade. A BundleDeployment without PlatformOperator can block the
upgrade of the cluster, too: for "upgrade", it has a chain then; bundledeployment/NAME explains it in any case.

If the manager does not run, or a status is older than the last change of its spec, the command says so: the rest may not be true any more.

The command needs the permission to read platformoperators, bundledeployments, platformoperatormanagers, clusteroperators, clusterversions,
and leases in namespace openshift-platform-operators. Except for platformoperators, it explains what it may read, and warns about the rest.
It sends six requests, and one more for each page of a long list. If a PlatformOperator does not exist, it lists PlatformOperators for
similar names.`,
		Example: i.Examples(`
# Why is the upgrade of the cluster blocked?
{{name}} explain upgrade

# Why is an operator not upgraded?
{{name}} explain quay

# The commands that it suggests, of which some only show more
{{name}} explain upgrade -o json | jq -r '.chains[].links[].remedy.command // empty'`),
		Args:              invocation.WithoutEmpty(invocation.ExactArgs(1)),
		ValidArgsFunction: completeSubjects(i),
		RunE: func(command *cobra.Command, args []string) error {
			if name, isDeployment := operators.DeploymentNameOf(args[0]); isDeployment {
				o.Deployment, o.isDeployment = name, true
			} else if o.Upgrade = args[0] == ocplatform.SubjectUpgrade; !o.Upgrade {
				o.Operator = operators.NameOf(args[0])
			}
			return i.Run(command.Context(), o)
		},
	}
	o.Output.AddFlags(command)
	return command
}

// completeSubjects completes the names of PlatformOperators, and "upgrade".
func completeSubjects(i *invocation.Invocation) cobra.CompletionFunc {
	names := completion.Operators(i)
	return func(command *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		found, directive := names(command, args, begun)
		if len(args) == 0 && strings.HasPrefix(ocplatform.SubjectUpgrade, begun) {
			found = append(found, cobra.CompletionWithDesc(ocplatform.SubjectUpgrade, "the upgrade of the cluster"))
		}
		return found, directive
	}
}

// Validate checks the argument and the flags.
func (o *Options) Validate() error {
	switch {
	case o.isDeployment:
		if err := operators.ValidateDeploymentName(o.Deployment); err != nil {
			return err
		}
	case !o.Upgrade:
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

// Run reads the objects and prints the report. It returns an error with code Blocked if something is blocked. If it is not known whether
// something is blocked, it returns status.ErrUndecided or status.ErrOperatorUndecided.
func (o *Options) Run(ctx context.Context) error {
	report, err := o.report(ctx)
	if err != nil {
		return err
	}
	for _, sentence := range report.Unread {
		o.invocation.Warn(sentence)
	}
	err = report.print(o.invocation.Streams.Out, layout{o.Output.Layout(o.invocation.Width), o.invocation.Now()})
	switch {
	case err != nil:
		return err
	case report.Blocked:
		return exit.Silently(exit.Blocked)
	}
	return report.undecided
}

// report reads the objects that the argument selects, and returns the report about them.
func (o *Options) report(ctx context.Context) (Report, error) {
	in := Context{Tools: remedy.Tools{Client: o.invocation.Client(), Plugin: o.invocation.Name}, Now: o.invocation.Now()}
	if o.isDeployment {
		objects, err := status.ReadDeployment(ctx, o.connection, o.Deployment)
		if err != nil {
			return Report{}, err
		}
		if ownership.IsOfPlatformOperator(&objects.Deployments[0]) {
			return Report{}, exit.With(exit.Usage, fmt.Errorf("BundleDeployment %q belongs to a PlatformOperator, which the command explains "+
				"together with it: %s", o.Deployment, in.Tools.Explain(o.Deployment)))
		}
		return NewDeploymentReport(objects, in), nil
	}
	objects, err := status.Read(ctx, o.connection, o.Operator)
	switch {
	case err != nil:
		return Report{}, o.explainMissing(ctx, err)
	case o.Upgrade:
		return NewUpgradeReport(objects, in), nil
	}
	return NewOperatorReport(objects, in), nil
}

// explainMissing returns the error for a PlatformOperator that cannot be read. If it does not exist, and a BundleDeployment that the command
// can explain has its name, the error names that command; else the error is err.
func (o *Options) explainMissing(ctx context.Context, err error) error {
	var missing *cluster.NoOperatorError
	if !errors.As(err, &missing) {
		return err
	}
	deployment, deploymentErr := o.connection.Deployment(ctx, missing.Name)
	if deploymentErr != nil || ownership.IsOfPlatformOperator(deployment) {
		return err
	}
	return fmt.Errorf("there is no PlatformOperator %q, but a BundleDeployment of this name; explain it with: %s explain %s", missing.Name,
		o.invocation.Name, shell.Quote("bundledeployment/"+missing.Name))
}
