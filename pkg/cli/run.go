package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/invocation"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// Run runs the command that args select, and returns the exit code for the process. path is the path of the program. It prints the error,
// if any, to ErrOut.
func Run(ctx context.Context, i *invocation.Invocation, path string, args []string) exit.Code {
	if invocation.IsCompletion(path) {
		// kubectl and oc pass only the words of the command line.
		args = append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	i.Streams.Out = reportWriter{i.Streams.Out}
	root := NewCommand(i)
	addDefaultCommands(root)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exit.OK
	}
	if errors.Is(err, errReaderGone) {
		// The reader, for example "head", has read all that it wants. That is not a failure.
		return exit.OK
	}
	code, text := exit.CodeOf(err), err.Error()
	switch {
	case text == "": // the report has said everything
		return code
	case errors.Is(ctx.Err(), context.Canceled):
		code, text = exit.Interrupted, "interrupted"
	case code == exit.Timeout:
		text += "; the time limit has passed: raise --timeout or --request-timeout"
	}
	fmt.Fprintf(i.Streams.ErrOut, "error: %s\n", printer.OneLine(text))
	return code
}

// addDefaultCommands adds the commands help and completion as cobra does. Unlike those of cobra, they fail for an unknown command.
func addDefaultCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "help":
			show := command.Run
			command.Run, command.RunE = nil, func(help *cobra.Command, args []string) error {
				of, unknown, err := root.Find(args)
				if err == nil {
					err = invocation.UnknownCommand(of, unknown)
				}
				if err == nil {
					show(help, args)
				}
				return err
			}
		case "completion":
			command.Args, command.SuggestionsMinimumDistance = invocation.UnknownCommand, root.SuggestionsMinimumDistance
			command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
			for _, shell := range command.Commands() {
				shell.Args = invocation.NoArgs
			}
		}
	}
}

// errReaderGone means that the reader of standard output has closed it.
var errReaderGone = errors.New("the reader of the output has gone")

// reportWriter is standard output. It returns errReaderGone if the reader has closed its end. That distinguishes a closed pipe from a
// broken connection to a cluster: both are EPIPE.
type reportWriter struct{ out io.Writer }

// Write implements io.Writer.
func (w reportWriter) Write(content []byte) (int, error) {
	written, err := w.out.Write(content)
	if errors.Is(err, syscall.EPIPE) {
		err = errReaderGone
	}
	return written, err
}
