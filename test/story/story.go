// Package story contains the steps of scenarios in which an admin uses platform operators. A step is an action, and a state of the cluster
// that must follow within a time limit. The demo prints the steps, and the end-to-end test requires that they succeed.
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
	// See is the kubectl command that shows the state; "" if there is none. Tell prints the command, and runs it if it belongs to the
	// plugin.
	See string
	// Within is the maximum time from the end of Act until the cluster is in the state.
	Within time.Duration
	// Act changes the cluster or the catalogs; nil if the step changes nothing.
	Act func(ctx context.Context, admin *Admin) error
	// Seen returns nil if the cluster is in the state, and otherwise an error that says what is missing.
	Seen func(ctx context.Context, admin *Admin) error
	// Stuck returns a problem that waiting does not solve, or "" if it finds none. The step fails when Stuck has returned the same problem
	// for the time settled. If Stuck is nil, the step waits until Within has passed.
	Stuck func(ctx context.Context, admin *Admin) string
}

const (
	// poll is the interval between calls of Seen. Polling misses no state, because the states last.
	poll = 100 * time.Millisecond
	// settled is the time for which Stuck must return the same problem before Run returns an error. It is longer than the manager's
	// delay before a retry.
	settled = 10 * time.Second
)

// Run calls Act and waits until Seen returns nil. It returns an error if Act fails, if the time limit Within expires, if Stuck keeps
// returning the same problem for as long as settled, or if the manager exits. The error contains the title of the step and the reason.
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
			missing = seen // the error of the last call of Seen that the time limit did not cancel
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

// Tell runs the steps in order. For each step, it prints the time since the start, the title, and the command See; if See is a command of
// the plugin, it runs the command and prints its output. It stops at the first step that fails, and then prints the conditions of the
// cluster's objects.
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
		if err := step.runPlugin(ctx, admin, out); err != nil {
			return err
		}
	}
	return nil
}
