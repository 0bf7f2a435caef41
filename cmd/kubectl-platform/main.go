// Command kubectl-platform is the kubectl and oc plugin for platform operators: "kubectl platform", "oc platform".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/platform-operators/pkg/cli"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process immediately
	// Without this, the Go runtime would kill the process when it writes to a closed pipe, and the exit code would not be the documented
	// one.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	i := invocation.New(os.Args[0], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr})
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		i.Width = width
	}
	i.CanAsk = term.IsTerminal(int(os.Stdin.Fd()))
	return int(cli.Run(ctx, i, os.Args[0], os.Args[1:]))
}
