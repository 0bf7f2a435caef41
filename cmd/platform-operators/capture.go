package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/capture"
)

func newCaptureCommand() *cobra.Command {
	options := &capture.Options{Clock: clock.RealClock{}}
	command := &cobra.Command{
		Use:   "capture",
		Short: "Copy the objects that the controllers read from a cluster or a must-gather to a directory",
		Long: `Copy the objects that the controllers read from a cluster or a must-gather to a directory. The directory is an input of "platform-operators
apply-configuration", which shows the mutations that the manager sends, without the cluster.

The capture removes the values of Secrets, except for public certificates. Stored revisions keep their other objects.
docs/portable.md describes the directory. Its story.yaml is a test that starts with the captured cluster; see docs/scenarios.md.`,
		Example: `  platform-operators capture --kubeconfig ~/.kube/config --output-dir captured
  platform-operators capture --must-gather must-gather.local.123 --output-dir captured
  platform-operators apply-configuration --input-dir captured --output-dir wanted`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return runCapture(ctx, command, *options)
		},
		SilenceUsage: true,
	}
	options.AddFlags(command.Flags())
	return command
}

func runCapture(ctx context.Context, command *cobra.Command, options capture.Options) error {
	summary, err := capture.Run(ctx, options, func(text string) { fmt.Fprintln(command.ErrOrStderr(), text) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(command.OutOrStdout(), summary)
	return err
}
