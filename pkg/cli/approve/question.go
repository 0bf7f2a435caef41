package approve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/cli/printer"
)

// errDeclined means that the user did not answer with yes.
var errDeclined = exit.With(exit.Failure, errors.New("nothing more is changed, because the answer is not y"))

// ask asks a question on standard error, and returns errDeclined unless the answer is yes. It returns at once if the user has answered with
// --yes.
func (a *approval) ask(ctx context.Context, question string) error {
	if a.Yes || a.writeErr != nil {
		return a.writeErr
	}
	fmt.Fprintf(a.invocation.Streams.ErrOut, "%s [y/N] ", printer.OneLine(question))
	type answer struct {
		text string
		err  error
	}
	read := make(chan answer, 1)
	go func() { // a read of a terminal does not end with the context
		text, err := a.answers.ReadString('\n')
		read <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case answer := <-read:
		if !strings.HasSuffix(answer.text, "\n") { // the end of the input, after which the cursor is behind the question
			fmt.Fprintln(a.invocation.Streams.ErrOut)
		}
		if answer.err != nil && !errors.Is(answer.err, io.EOF) {
			return fmt.Errorf("reading the answer: %w", answer.err)
		}
		switch strings.ToLower(strings.TrimSpace(answer.text)) {
		case "y", "yes":
			return nil
		}
		return errDeclined
	}
}
