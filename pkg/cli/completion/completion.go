// Package completion implements shell completion for the names of objects in the cluster. A slow completion is worse than none, so a
// completion ends after a second, and suggests nothing if there is an error.
package completion

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// timeout is the maximum duration of a completion.
const timeout = time.Second

// Operators completes the name of one PlatformOperator.
func Operators(i *invocation.Invocation) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(contextOf(command), timeout)
		defer cancel()
		connection, err := cluster.Connect(i)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := connection.Operators(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, operator := range all {
			if strings.HasPrefix(operator.Name, begun) {
				names = append(names, cobra.CompletionWithDesc(operator.Name, printer.OneLine(operator.Spec.Package.Name)))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// contextOf returns the context of a command, or the background context if cobra has not set one, as in some completions.
func contextOf(command *cobra.Command) context.Context {
	if ctx := command.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}
