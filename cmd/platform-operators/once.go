package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/applyconfiguration"
)

// roundGCPercent is the target percentage of the garbage collector (GOGC) while apply-configuration runs. With Go's default of 100, it takes
// a sixth less time and a third more memory.
const roundGCPercent = 50

func newApplyConfigurationCommand() *cobra.Command {
	options := &applyconfiguration.Options{Clock: clock.RealClock{}}
	command := &cobra.Command{
		Use:   "apply-configuration",
		Short: "Reconcile once from a directory of objects, and write the mutations to another directory",
		Long: `Reconcile once, without a cluster: read the objects of a cluster from a directory, run each controller once, and write the mutations
of the controllers to another directory, as OpenShift Manager defines it. docs/portable.md describes both directories.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(roundGCPercent)
			}
			options.OperatorVersion = os.Getenv("OPERATOR_IMAGE_VERSION")
			ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			return applyconfiguration.Run(ctx, *options)
		},
		SilenceUsage: true,
	}
	options.AddFlags(command.Flags())
	return command
}
