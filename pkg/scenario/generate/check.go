package generate

import (
	"context"
	"errors"
	"fmt"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Oracle checks an operator with generated stories. After each story, the operator must be at rest, a restart must change and write
// nothing, and the cluster must have the same state as a reference: a second system in which users declared the same state without the
// steps of the story.
type Oracle struct {
	// Operator is the operator under test. Required.
	Operator harness.Operator
	// From is the checkpoint at which stories begin. From.IsOperatorRunning must be true.
	From harness.Checkpoint
	// AfterStep checks the system when the cluster has settled after a step of a story or of Finish. It is also called with the zero Step
	// when the operator is at rest after the last step. If it is nil, nothing is checked.
	AfterStep func(ctx context.Context, system *harness.System, step story.Step) error
	// Finish ends outages, and corrects the values that the operator reports as user errors. Check removes all injected faults after the
	// last step, and then calls Finish. Finish must make its changes with CheckedSystem.Do, so that AfterStep checks each of them. It is
	// optional.
	Finish func(ctx context.Context, ended CheckedSystem) error
	// CheckState returns an error if the state at rest is not the state that users declared. If it is nil, nothing is checked.
	CheckState func(ctx context.Context, ended *harness.System) error
	// ExcessWrites selects, from the writes of a restarted operator, those that an operator must not send if it finds the cluster as it
	// left it. None of the writes has changed the cluster. If ExcessWrites is nil, the operator must not send any.
	ExcessWrites func(ctx context.Context, restarted *harness.System, writes []scenario.Request) ([]scenario.Request, error)
	// Reference makes the reference for a system. If it is nil, there is no comparison with a reference.
	Reference Reference
	// RemovePermitted removes permitted differences from the states of both systems. If it is nil, no differences are permitted.
	RemovePermitted func(ended, reference harness.State)
}

// Reference reads the declared state from a system in which a story was played, and returns a function that starts the reference. Check
// calls that function after it has stopped the first system.
type Reference func(ctx context.Context, played *story.Story, ended *harness.System) (StartReference, error)

// StartReference starts a reference, and waits until its operator is at rest.
type StartReference func(ctx context.Context) (*harness.System, error)

// StepError is the error for a step that could not be performed, for example because it patches an object that does not exist. It does not
// mean that the operator has failed.
type StepError struct{ Err error }

// Error returns the error of the step.
func (e StepError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the step.
func (e StepError) Unwrap() error { return e.Err }

// Check plays a story in a synctest bubble. It returns an error that says how the operator has failed, or a StepError.
func (o Oracle) Check(ctx context.Context, read *story.Story) error {
	ended, err := o.play(ctx, read)
	if err != nil {
		return err
	}
	if err := o.restart(ctx, ended); err != nil || ended.startReference == nil {
		return err
	}
	return o.compare(ctx, ended)
}

// endState is the state of a system at the end of a story.
type endState struct {
	checkpoint            harness.Checkpoint
	state, withoutHistory harness.State
	startReference        StartReference
}

// play plays the steps of a story and waits until the operator is at rest.
func (o Oracle) play(ctx context.Context, read *story.Story) (ended endState, err error) {
	system, err := o.Operator.StartSystem(ctx, o.From)
	if err != nil {
		return ended, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	checked := CheckedSystem{system, o.AfterStep}
	for _, step := range read.Steps {
		if err := system.Runner.Do(ctx, step); err != nil {
			return ended, StepError{fmt.Errorf("%s: %w", step.Position, err)}
		}
		if err := checked.check(ctx, step); err != nil {
			return ended, fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	system.Runner.RemoveFaults()
	if o.Finish != nil {
		if err := o.Finish(ctx, checked); err != nil {
			return ended, fmt.Errorf("finishing the story: %w", err)
		}
	}
	if err := checked.WaitForRest(ctx); err != nil {
		return ended, err
	}
	if !system.IsOperatorRunning() {
		return ended, errors.New("the operator does not run at the end of the story")
	}
	return o.inspect(ctx, read, system)
}

// inspect checks a system at rest, and returns its state.
func (o Oracle) inspect(ctx context.Context, read *story.Story, system *harness.System) (ended endState, err error) {
	if o.CheckState != nil {
		if err := o.CheckState(ctx, system); err != nil {
			return ended, err
		}
	}
	if ended.state, err = system.State(ctx); err != nil {
		return ended, err
	}
	if ended.withoutHistory, err = system.StateWithoutHistory(ctx); err != nil {
		return ended, err
	}
	if o.Reference != nil {
		if ended.startReference, err = o.Reference(ctx, read, system); err != nil {
			return ended, fmt.Errorf("reading the declared state: %w", err)
		}
	}
	ended.checkpoint, err = system.Checkpoint()
	return ended, err
}

// restart starts the operator again from the end of a story. It returns an error if the cluster changes, or if the operator writes although
// nothing has changed.
func (o Oracle) restart(ctx context.Context, ended endState) error {
	system, err := o.Operator.StartSystem(ctx, ended.checkpoint)
	if err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	return errors.Join(o.checkRestarted(ctx, system, ended.state), system.Stop())
}

// checkRestarted checks a restarted system. before is the state of the system before the restart.
func (o Oracle) checkRestarted(ctx context.Context, system *harness.System, before harness.State) error {
	after, err := system.State(ctx)
	if err != nil {
		return err
	}
	if difference := harness.Difference(before, after); difference != "" {
		return fmt.Errorf("a restart of the operator changes the cluster (-before +after):\n%s", difference)
	}
	writes := system.AllWrites()
	if o.ExcessWrites != nil {
		if writes, err = o.ExcessWrites(ctx, system, writes); err != nil {
			return err
		}
	}
	if len(writes) > 0 {
		return fmt.Errorf("the operator sends %d excess writes after a restart, although nothing has changed; the last ones were:\n%s",
			len(writes), harness.DescribeWrites(writes))
	}
	return nil
}

// compare starts the reference, and returns an error if its state differs from that at the end of the story.
func (o Oracle) compare(ctx context.Context, ended endState) error {
	reference, err := ended.startReference(ctx)
	if err != nil {
		return fmt.Errorf("starting the reference: %w", err)
	}
	state, err := reference.StateWithoutHistory(ctx)
	if err = errors.Join(err, reference.Stop()); err != nil {
		return err
	}
	if o.RemovePermitted != nil {
		o.RemovePermitted(ended.withoutHistory, state)
	}
	if difference := harness.Difference(state, ended.withoutHistory); difference != "" {
		return fmt.Errorf("the cluster differs from the reference, which has the same declared state (-reference +story):\n%s", difference)
	}
	return nil
}
