package approve

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/completion"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Values of --dry-run, as kubectl has them.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
)

// Options are the argument and flags of the command "approve".
type Options struct {
	Output *printer.Flags
	// Argument is the argument as written. Name is the name in it. IsDeployment and IsOperator mean that the argument includes that kind.
	Argument, Name           string
	IsDeployment, IsOperator bool
	// Version is the version to approve; empty for the newest one that waits for an approval.
	Version string
	// Digest is the digest of the only plan that may be approved; empty for any plan.
	Digest string
	// Yes means that the command does not ask.
	Yes bool
	// DryRun is dryRunNone or dryRunClient.
	DryRun string
	// Withdraw means that the command clears the approval of the plan.
	Withdraw bool

	invocation *invocation.Invocation
	connection *cluster.Connection
	answers    *bufio.Reader
}

// NewOptions returns the options with their defaults.
func NewOptions(i *invocation.Invocation) *Options {
	return &Options{
		Output: printer.NewFlagsFor(printer.FormatText, printer.FormatJSON, printer.FormatYAML), DryRun: dryRunNone, invocation: i,
		answers: bufio.NewReader(i.Streams.In),
	}
}

const long = `Show what waits for an approval, ask, and approve it: first the version of a PlatformOperator with spec.upgrades.approval: Manual, with
its upgrade path, and then the plan of its BundleDeployment, if approvals of plans are required. Nothing of a plan is applied before it is
approved.

The plan is shown in whole: a summary, with unsafe changes of CustomResourceDefinitions, missing permissions and grants of unlimited
permissions, and a line for each object that is created, updated or deleted. Values of Secrets are hashed. If the plan changes before your
answer reaches the API server, nothing is approved: the command shows the difference, and asks again.

NAME is the name of a PlatformOperator, or of a BundleDeployment without one. With bundledeployment/NAME, the command approves the plan only,
even if a PlatformOperator has the BundleDeployment.

Without a terminal, the command cannot ask: read the plan with --dry-run, and approve it with --yes and its --digest. With --yes alone, it
approves what it shows. It fails if a plan changes meanwhile.

The exit code is 3 if the plan is not the one of --digest, if what was shown has changed and the command may not ask, or if an approved
version is blocked. It is 2 without a terminal, unless --yes or --dry-run is set. It is 1 if you may not approve, or if you do not answer
with y. If nothing waits for an approval, it is 0. --timeout limits what the command does between two questions.

The command needs the permission to get platformoperators and bundledeployments, to patch what it approves, and, for a plan, verb approve on
bundledeployments.core.rukpak.io NAME, which an admission policy checks. If you lack this verb, the command names those who have it, if you
may list ClusterRoles and ClusterRoleBindings. To show the plan, it gets ConfigMaps in namespace openshift-platform-operators.`

// NewCommand returns the command "approve".
func NewCommand(i *invocation.Invocation) *cobra.Command {
	o := NewOptions(i)
	command := &cobra.Command{
		Use:   "approve OPERATOR | bundledeployment/NAME",
		Short: "Show the version, the upgrade path and the whole plan that wait for an approval, and approve them",
		Long:  long,
		Example: i.Examples(`
# Read what waits for an approval, and approve it
{{name}} approve quay

# The same for a BundleDeployment without PlatformOperator
{{name}} approve bundledeployment/byhand

# In a pipeline: show the plan, and after a review approve this plan and no other
{{name}} approve quay --dry-run
{{name}} approve quay --yes --digest sha256:DIGEST

# Take the approval back; what is not applied yet is not applied
{{name}} approve quay --withdraw`),
		Args:              invocation.WithoutEmpty(invocation.ExactArgs(1)),
		ValidArgsFunction: completion.Operators(i),
		RunE: func(command *cobra.Command, args []string) error {
			o.setArgument(args[0])
			return i.RunInteractive(command.Context(), o)
		},
	}
	o.Output.AddFlags(command)
	flags := command.Flags()
	flags.StringVar(&o.Version, "version", o.Version, "version to approve, as \"updates\" lists it; the default is the newest one that waits for an approval")
	flags.StringVar(&o.Digest, "digest", o.Digest, "approve only the plan with this digest, such as sha256:DIGEST")
	flags.BoolVarP(&o.Yes, "yes", "y", o.Yes, "approve without a question")
	flags.StringVar(&o.DryRun, "dry-run", o.DryRun, "with client, show everything, and change nothing: none, client")
	flags.Lookup("dry-run").NoOptDefVal = dryRunClient
	flags.BoolVar(&o.Withdraw, "withdraw", o.Withdraw, "clear the approval of the plan, instead of approving it")
	return command
}

// setArgument sets the argument and the name in it.
func (o *Options) setArgument(argument string) {
	o.Argument = argument
	if o.Name, o.IsDeployment = operators.DeploymentNameOf(argument); !o.IsDeployment {
		o.Name = operators.NameOf(argument)
		o.IsOperator = o.Name != argument
	}
}

// isDryRun reports whether nothing is changed.
func (o *Options) isDryRun() bool { return o.DryRun == dryRunClient }

// isForPrograms reports whether the report is JSON or YAML.
func (o *Options) isForPrograms() bool { return o.Output.Format() != printer.FormatText }

// Validate checks the argument and the flags.
func (o *Options) Validate() error {
	validate := operators.ValidateName
	if o.IsDeployment {
		validate = operators.ValidateDeploymentName
	}
	if err := validate(o.Name); err != nil {
		return err
	}
	if err := o.Output.Validate(); err != nil {
		return err
	}
	return exit.With(exit.Usage, o.validateFlags())
}

// validateFlags returns an error for flags that exclude one another, and for a question that cannot be asked.
func (o *Options) validateFlags() error {
	switch {
	case !slices.Contains([]string{dryRunNone, dryRunClient}, o.DryRun):
		return fmt.Errorf("unknown value %q of --dry-run: use one of %s, %s", o.DryRun, dryRunNone, dryRunClient)
	case o.Withdraw && (o.Digest != "" || o.Version != ""):
		return errors.New("--withdraw clears the approval of any plan, and of no version: omit --digest and --version")
	case o.IsDeployment && o.Version != "":
		return errors.New("a BundleDeployment has no version to approve: omit --version, or name the PlatformOperator")
	case o.Yes || o.isDryRun():
		return nil
	case o.isForPrograms():
		return fmt.Errorf("-o %s asks nothing: add --dry-run to show what waits for an approval, or --yes to approve it", o.Output.Output)
	case !o.invocation.CanAsk && o.Withdraw:
		return errors.New("standard input is not a terminal, so the command cannot ask: show the approval with --withdraw --dry-run, and withdraw it " +
			"with --withdraw --yes")
	case !o.invocation.CanAsk:
		return errors.New("standard input is not a terminal, so the command cannot ask: show what waits for an approval with --dry-run, and approve " +
			"it with --yes and --digest")
	}
	return nil
}

// Complete connects to the cluster.
func (o *Options) Complete() (err error) {
	o.connection, err = cluster.Connect(o.invocation)
	return err
}
