// Package story has the steps of an admin with platform operators. A step is an action, and a state of the cluster that follows within a
// time limit. The demo prints the steps, and the end-to-end test asserts them.
package story

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Step is an action of the admin and the state that follows.
type Step struct {
	// Title describes the state in one sentence.
	Title string
	// See is the kubectl command that shows the state.
	See string
	// Within is the time limit.
	Within time.Duration
	// Act changes the cluster or the catalogs; nil if the step changes nothing.
	Act func(ctx context.Context, admin *Admin) error
	// Seen returns nil if the cluster has the state, and otherwise an error with what is missing.
	Seen func(ctx context.Context, admin *Admin) error
	// Stuck says what is in the way that waiting does not change; empty when nothing is, or it cannot be told. What stands in
	// the way for as long as settled ends the step. Nil: the step waits as long as it may.
	Stuck func(ctx context.Context, admin *Admin) string
}

const (
	// poll is the interval of calls of Seen. The states last, so that polling misses none.
	poll = 100 * time.Millisecond
	// settled is how long the same thing has to be in the way before nobody waits for it any more: longer than the manager
	// takes to try once more what failed.
	settled = 10 * time.Second
)

// Run runs a step and waits until Seen succeeds, or until Stuck shows that it cannot. The error names the step, what was missing, and
// how long Run waited.
func (s Step) Run(ctx context.Context, admin *Admin) error {
	if s.Act != nil {
		if err := s.Act(ctx, admin); err != nil {
			return fmt.Errorf("%s: acting: %w", s.Title, err)
		}
	}
	limit, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	var missing error
	stuck, since := "", time.Now()
	for {
		seen := s.Seen(limit, admin)
		if seen == nil {
			return nil
		}
		if limit.Err() == nil || missing == nil {
			missing = seen // what the last look that was not cut short by the limit found
		}
		if s.Stuck != nil {
			if now := s.Stuck(limit, admin); now != stuck {
				stuck, since = now, time.Now()
			}
		}
		if stuck != "" && time.Since(since) >= settled {
			return fmt.Errorf("%s: waiting longer would not help: %s", s.Title, stuck)
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("%s: not seen within %s: %w", s.Title, s.Within, missing)
		case <-admin.Environment.Manager.Exited():
			return fmt.Errorf("%s: the manager ended; the end of %s says why: %w", s.Title, admin.Environment.Manager.LogFile, missing)
		case <-ticker.C:
		}
	}
}

// Tell runs the steps in order and prints a line for each: the time since the start, the title, and the command that shows the state.
// It stops at the first step that fails and prints the conditions that explain the failure.
func Tell(ctx context.Context, admin *Admin, steps []Step, out io.Writer) error {
	start := time.Now()
	for _, step := range steps {
		if err := step.Run(ctx, admin); err != nil {
			fmt.Fprintf(out, "\n✗ %v\n\n", err)
			return errors.Join(err, admin.Explain(ctx, out))
		}
		fmt.Fprintf(out, "%7.1fs  %s\n", time.Since(start).Seconds(), step.Title)
		if step.See != "" {
			fmt.Fprintf(out, "          $ %s\n", step.See)
		}
	}
	return nil
}
