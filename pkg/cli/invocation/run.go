package invocation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// Command is the interface of the options of every command. Invocation.Run calls its methods in this order.
type Command interface {
	// Validate checks the arguments and flags. Its errors have code exit.Usage.
	Validate() error
	// Complete computes values that follow from the flags, and connects to the cluster.
	Complete() error
	// Run reads from the cluster or from catalogs, and prints the report.
	Run(ctx context.Context) error
}

// Run runs a command within the timeout. It validates first, so that a wrong flag is reported without a cluster.
func (i *Invocation) Run(ctx context.Context, command Command) error {
	return i.Limit(ctx, func(ctx context.Context) error { return i.RunInteractive(ctx, command) })
}

// RunInteractive is Run for a command that asks questions. It does not limit the duration of the command, because a user needs time for an
// answer: the command calls Limit for what it does between the questions.
func (i *Invocation) RunInteractive(ctx context.Context, command Command) error {
	if i.Timeout < 0 {
		return exit.With(exit.Usage, fmt.Errorf("--timeout %s is negative: 0 means no maximum", i.Timeout))
	}
	if err := command.Validate(); err != nil {
		return err
	}
	if err := command.Complete(); err != nil {
		return err
	}
	return command.Run(ctx)
}

// Limit calls run with a context that ends after Timeout.
func (i *Invocation) Limit(ctx context.Context, run func(context.Context) error) error {
	ctx, cancel := i.WithTimeout(ctx)
	defer cancel()
	err := run(ctx)
	if err != nil && ctx.Err() != nil && exit.CodeOf(err) == exit.Failure {
		// Some clients return an error that contains the text of the context's error, but does not wrap it.
		return fmt.Errorf("%w: %w", err, ctx.Err())
	}
	return err
}

// Examples returns text with the name of the invocation in place of {{name}}, and indented as in the help of kubectl.
func (i *Invocation) Examples(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "{{name}}", i.Name)
	return "  " + strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n  "), "\n  \n", "\n\n")
}

// NoArgs refuses arguments.
func NoArgs(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return UsageError(command, fmt.Errorf("%s takes no argument", command.Name()))
}

// MaximumArgs refuses more than the given number of arguments.
func MaximumArgs(number int) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		return UsageError(command, cobra.MaximumNArgs(number)(command, args))
	}
}

// ExactArgs refuses any number of arguments other than the given one.
func ExactArgs(number int) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) < number {
			_, use, _ := strings.Cut(command.Use, " ")
			return UsageError(command, fmt.Errorf("an argument is missing: %s %s", command.CommandPath(), use))
		}
		return UsageError(command, cobra.ExactArgs(number)(command, args))
	}
}

// WithoutEmpty refuses empty arguments, which result from an unset shell variable, and checks the others with check.
func WithoutEmpty(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		for _, arg := range args {
			if strings.TrimSpace(arg) == "" {
				return UsageError(command, errors.New("an argument is empty"))
			}
		}
		return check(command, args)
	}
}

// UnknownCommand refuses the arguments of a command that only groups others: such an argument is a command that does not exist. The error
// names similar commands.
func UnknownCommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if similar := command.SuggestionsFor(args[0]); len(similar) > 0 {
		text += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return UsageError(command, errors.New(text))
}

// UsageError returns err with code exit.Usage and the command that shows the help; nil if err is nil.
func UsageError(command *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return exit.With(exit.Usage, fmt.Errorf("%w; see: %s --help", err, command.CommandPath()))
}
