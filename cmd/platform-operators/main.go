// Command platform-operators is the manager of the OpenShift payload component platform-operators.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/cli"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/controllercmd"

	"github.com/openshift/platform-operators/pkg/catalogsource/proxy"
	"github.com/openshift/platform-operators/pkg/leaderelection"
	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/version"
)

func main() {
	os.Exit(cli.Run(newCommand()))
}

func newCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     component,
		Short:   "Installs the operators that an OpenShift platform is made of, and keeps them",
		Version: version.Get().GitVersion,
	}
	command.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return fmt.Errorf("%w; %q lists the flags", err, command.CommandPath()+" --help")
	})
	command.SetVersionTemplate(versionText(version.Get()))
	command.AddCommand(newStartCommand(), newApplyConfigurationCommand(), newCaptureCommand())
	command.AddCommand(newResourcesCommands()...)
	return command
}

func newStartCommand() *cobra.Command {
	options := operator.NewOptions()
	election := &leaderElection{}
	config := controllercmd.NewControllerCommandConfig(component, version.Get(), options.Run, clock.RealClock{})
	command := config.NewCommandWithContext(context.Background())
	command.Run = (&starter{config: config, election: election, options: options, clock: clock.RealClock{}}).execute
	command.Use = "start"
	command.Short = "Start the manager"
	command.Long = `Start the manager: watch PlatformOperators, resolve each against the cluster's operator catalogs, install and
upgrade through BundleDeployments, repair drift, and report to ClusterOperator platform-operators-aggregated.

In a cluster it needs no flags. Outside of one give --kubeconfig, --namespace and --content-dir; docs/development.md shows how. In a hosted
control plane it has the kubeconfig of the guest cluster and no other, and reads catalogs through the SOCKS5 proxy that the environment
variable GRPC_PROXY names; docs/hosted.md describes that.`
	election.addFlags(command.Flags())
	options.AddFlags(command.Flags())
	command.PreRunE = func(*cobra.Command, []string) error {
		election.pod = leaderelection.Pod{Name: os.Getenv("POD_NAME"), UID: types.UID(os.Getenv("POD_UID"))}
		if version := os.Getenv("OPERATOR_IMAGE_VERSION"); version != "" {
			options.OperatorVersion = version
		}
		options.CatalogProxy = proxy.Config{URL: os.Getenv("GRPC_PROXY"), NoProxy: cmp.Or(os.Getenv("NO_PROXY"), os.Getenv("no_proxy"))}
		return errors.Join(election.validate(), options.Validate())
	}
	return command
}
