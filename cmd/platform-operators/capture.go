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
		Short: "Copy what the controllers read of a cluster, or of a must-gather, into an input directory",
		Long: `Copy what one round of the controllers reads of a cluster, or of a must-gather, into a directory. "platform-operators apply-configuration" takes
it as its input: it shows what the manager wants to change, without the cluster.

The directory has no values of Secrets. It has the manager's own records of what is installed, without the values of Secrets in
them.
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
