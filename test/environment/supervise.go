package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

const (
	// shortRun is the running time below which the end of a manager counts as a failed start.
	shortRun = 5 * time.Second
	// maxShortRuns is the number of consecutive failed starts after which Supervise returns an error.
	maxShortRuns = 3
)

// Supervise restarts the manager whenever it ends on its own, as a kubelet does. When replace delivers a value, it calls ReplaceManager. It
// reports each restart and replacement on out. It returns nil when the context ends, and an error if the manager does not stay up. Until
// Supervise returns, no other function may start or stop the manager.
func (e *Environment) Supervise(ctx context.Context, replace <-chan os.Signal, out io.Writer) error {
	for started, short := time.Now(), 0; ; started = time.Now() {
		select {
		case <-ctx.Done():
			return nil
		case <-replace:
			err := e.ReplaceManager(ctx)
			if errors.Is(err, ErrBuild) {
				fmt.Fprintf(out, "The running manager stays: %v\n", err)
				continue
			}
			if err != nil {
				return fmt.Errorf("replacing the manager: %w", err)
			}
			fmt.Fprintf(out, "Built the manager again and started it (process %d).\n", e.Manager.PID())
		case <-e.Manager.Exited():
			if ctx.Err() != nil {
				return nil
			}
			how := e.Manager.Ended()
			state, _, _ := strings.Cut(how, ";") // without the log
			if short++; time.Since(started) >= shortRun {
				short = 0
			}
			if short == maxShortRuns {
				return fmt.Errorf("the manager ended %d times within %s of its start; last: %s", short, shortRun, how)
			}
			if err := e.Manager.Start(); err != nil {
				return fmt.Errorf("starting the manager again after it ended: %w", err)
			}
			fmt.Fprintf(out, "The manager ended (%s). It was started again (process %d).\n", state, e.Manager.PID())
		}
	}
}
