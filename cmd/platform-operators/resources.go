package main

import (
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/openshift/platform-operators/pkg/declaredresources"
)

// newResourcesCommands returns the commands that declare what apply-configuration reads and writes.
func newResourcesCommands() []*cobra.Command {
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	return []*cobra.Command{declaredresources.NewInputResourcesCommand(streams), declaredresources.NewOutputResourcesCommand(streams)}
}
