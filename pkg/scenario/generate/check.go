package generate

import (
	"context"
	"errors"
	"fmt"

	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

// Oracle judges what an operator does in generated stories. After each story, the operator must be at rest, a restart must change nothing,
// and the cluster must be like that of a twin: a system that users brought directly to the same declared state.
type Oracle struct {
	// Operator is the operator under test. Required.
	Operator trial.Operator
	// From is the checkpoint at which stories begin. The operator must run.
	From trial.Checkpoint
	// Finish ends what a story may have left unfinished, such as an outage, and corrects what users got wrong. Check calls it after the
	// last step, when no injected fault is left. Nil does nothing.
	Finish func(ctx context.Context, ended *trial.System) error
	// Judge returns an error if the state at rest is not what users declared. Nil does not judge.
	Judge func(ctx context.Context, ended *trial.System) error
	// Twin makes the twin of a system. Nil makes none.
	Twin Twin
	// Except removes from the states of both systems the differences that are permitted. Nil removes nothing.
	Except func(ended, twin trial.State)
}

// Twin reads the declared state of a system in which a story was played. It returns the function that starts the twin. That function is
// called when the first system has stopped.
type Twin func(ctx context.Context, played *story.Story, ended *trial.System) (StartTwin, error)

// StartTwin starts a twin, and waits until it is at rest.
type StartTwin func(ctx context.Context) (*trial.System, error)

// StepError is the error of a step that could not be performed, for example because it patches an object that does not exist. It does not
// mean that the operator has failed.
type StepError struct{ Err error }

// Error returns the error of the step.
func (e StepError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the step.
func (e StepError) Unwrap() error { return e.Err }

// Check plays a story in a bubble, and returns an error that says in which way the operator has failed, or a StepError.
func (o Oracle) Check(ctx context.Context, read *story.Story) error {
	ended, err := o.play(ctx, read)
	if err != nil {
		return err
	}
	if err := o.restart(ctx, ended); err != nil || ended.startTwin == nil {
		return err
	}
	return o.compare(ctx, ended)
}

// end is what Check keeps of a system at the end of a story.
type end struct {
	checkpoint            trial.Checkpoint
	state, withoutHistory trial.State
	startTwin             StartTwin
}

// play plays the steps of a story and waits until the operator is at rest.
func (o Oracle) play(ctx context.Context, read *story.Story) (ended end, err error) {
	system, err := o.Operator.Start(ctx, o.From)
	if err != nil {
		return ended, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	for _, step := range read.Steps {
		if err := system.Runner.Do(ctx, step); err != nil {
			return ended, StepError{fmt.Errorf("%s: %w", step.Position, err)}
		}
		if err := system.Runner.Cluster.Settle(); err != nil {
			return ended, fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	system.Runner.RemoveFaults()
	if o.Finish != nil {
		if err := o.Finish(ctx, system); err != nil {
			return ended, fmt.Errorf("finishing the story: %w", err)
		}
	}
	if err := system.Rest(); err != nil {
		return ended, err
	}
	return o.end(ctx, read, system)
}

// end judges a system at rest, and returns what Check keeps of it.
func (o Oracle) end(ctx context.Context, read *story.Story, system *trial.System) (ended end, err error) {
	if o.Judge != nil {
		if err := o.Judge(ctx, system); err != nil {
			return ended, err
		}
	}
	if ended.state, err = system.State(ctx); err != nil {
		return ended, err
	}
	if ended.withoutHistory, err = system.StateWithoutHistory(ctx); err != nil {
		return ended, err
	}
	if o.Twin != nil {
		if ended.startTwin, err = o.Twin(ctx, read, system); err != nil {
			return ended, fmt.Errorf("reading the declared state: %w", err)
		}
	}
	ended.checkpoint, err = system.Checkpoint()
	return ended, err
}

// restart starts the operator again from the end of a story. That must change nothing.
func (o Oracle) restart(ctx context.Context, ended end) error {
	system, err := o.Operator.Start(ctx, ended.checkpoint)
	if err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	after, err := system.State(ctx)
	if err = errors.Join(err, system.Stop()); err != nil {
		return err
	}
	if difference := trial.Difference(ended.state, after); difference != "" {
		return fmt.Errorf("a restart of the operator changes the cluster (-before +after):\n%s", difference)
	}
	return nil
}

// compare starts the twin and compares both states.
func (o Oracle) compare(ctx context.Context, ended end) error {
	twin, err := ended.startTwin(ctx)
	if err != nil {
		return fmt.Errorf("starting the twin: %w", err)
	}
	state, err := twin.StateWithoutHistory(ctx)
	if err = errors.Join(err, twin.Stop()); err != nil {
		return err
	}
	if o.Except != nil {
		o.Except(ended.withoutHistory, state)
	}
	if difference := trial.Difference(state, ended.withoutHistory); difference != "" {
		return fmt.Errorf("the cluster differs from that of a twin with the same declared state (-twin +story):\n%s", difference)
	}
	return nil
}
