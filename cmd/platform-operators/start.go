package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/serviceability"

	"github.com/openshift/platform-operators/pkg/operator"
	"github.com/openshift/platform-operators/pkg/version"
)

// component is the name of the command, and controllercmd's component name. leaseName is derived from it.
const component = "platform-operators"

// starter runs the manager in the same way as controllercmd's command, but also sets the identity for leader election. The command has no
// option for the identity, but controllercmd's builder does.
type starter struct {
	config   *controllercmd.ControllerCommandConfig
	election *leaderElection
	options  *operator.Options
	clock    clock.Clock
}

// execute is the command's Run function. It ends the process if the manager fails.
func (s *starter) execute(command *cobra.Command, _ []string) {
	ctx := apiserver.SetupSignalContext()
	defer serviceability.BehaviorOnPanic(os.Getenv("OPENSHIFT_ON_PANIC"), version.Get())()
	defer serviceability.Profile(os.Getenv("OPENSHIFT_PROFILE")).Stop()
	serviceability.StartProfiler()
	if err := s.start(ctx, command); err != nil {
		klog.Fatal(err)
	}
}

func (s *starter) start(ctx context.Context, command *cobra.Command) error {
	flags, err := readControllerFlags(command.Flags())
	if err != nil {
		return err
	}
	unstructuredConfig, config, content, err := s.config.Config()
	if err != nil {
		return fmt.Errorf("reading the configuration file: %w", err)
	}
	s.election.applyTo(&config.LeaderElection)
	s.options.StallLimit = stallLimit(config.LeaderElection, flags.namespace)
	candidacy, err := s.election.prepare(ctx, config.LeaderElection, flags, s.clock)
	if err != nil {
		return err
	}
	defer candidacy.lock.Close() // nil outside of a Pod
	if candidacy.tookOver {
		s.options.TakenOverBy = candidacy.identity
	}

	startingContent, observed, err := s.config.AddDefaultRotationToConfig(config, content)
	if err != nil {
		return fmt.Errorf("preparing the serving certificate: %w", err)
	}
	if flags.listen != "" {
		config.ServingInfo.BindAddress = flags.listen
	}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := make(chan struct{})
	go func() {
		defer stop()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}()
	return controllercmd.NewController(component, s.options.Run, s.clock).
		WithKubeConfigFile(flags.kubeconfig, nil).
		WithComponentNamespace(flags.namespace).
		WithLeaderElection(config.LeaderElection, flags.namespace, leaseName).
		WithInstanceIdentity(candidacy.identity).
		WithVersion(version.Get()).
		WithEventRecorderOptions(events.RecommendedClusterSingletonCorrelatorOptions()).
		WithRestartOnChange(changed, startingContent, append(observed, flags.terminateOn...)...).
		WithServer(config.ServingInfo, config.Authentication, config.Authorization).
		Run(ctx, unstructuredConfig)
}

// controllerFlags are the values of flags that controllercmd defines but does not export.
type controllerFlags struct {
	kubeconfig, namespace, listen string
	terminateOn                   []string
}

func readControllerFlags(flags *pflag.FlagSet) (read controllerFlags, err error) {
	for name, value := range map[string]*string{"kubeconfig": &read.kubeconfig, "namespace": &read.namespace, "listen": &read.listen} {
		if *value, err = flags.GetString(name); err != nil {
			return read, fmt.Errorf("reading flag --%s: %w", name, err)
		}
	}
	if read.terminateOn, err = flags.GetStringArray("terminate-on-files"); err != nil {
		return read, fmt.Errorf("reading flag --terminate-on-files: %w", err)
	}
	return read, nil
}
