package perturb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

// eventDelay is the maximum time by which an event is delayed. It is longer than the time in which watches of other kinds deliver what
// happens meanwhile, and shorter than Settle's timeout.
const eventDelay = time.Minute

// ErrNoEvent is the error of Run if the event of a perturbation did not happen. The number of events of an object can depend on the order of
// goroutines.
var ErrNoEvent = errors.New("the event that is to be delayed did not happen in this run")

// Run plays the perturbed step, and compares the result with the recording. It returns an error that describes the difference:
//
//   - The content of the cluster at the end of the step must be the same. With RestoredSnapshot and UnseenStep, its history is not compared.
//   - With the other patterns, the objects of Operator.Counts must have been created and deleted as often.
//
// The error wraps ErrNoEvent if the perturbation could not be made.
func (r *Recording) Run(ctx context.Context, operator trial.Operator, p Perturbation) error {
	index := slices.IndexFunc(r.steps, func(step recordedStep) bool { return step.number == p.Step })
	if index < 0 || p.Pattern == UnseenStep && index+1 == len(r.steps) {
		return fmt.Errorf("%s: it is no perturbation of the story %q", p, r.title)
	}
	var err error
	switch step := r.steps[index]; p.Pattern {
	case Restart, StaleRestart:
		err = restart(ctx, operator, step, p)
	case RestoredSnapshot:
		err = restore(ctx, operator, step, p)
	case MergedEvent, DelayedEvent:
		err = delay(ctx, operator, step, p)
	case UnseenStep:
		err = unseen(ctx, operator, step, r.steps[index+1])
	default:
		err = fmt.Errorf("unknown pattern %q", p.Pattern)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	return nil
}

// restart starts the operator from the cluster right after a write.
func restart(ctx context.Context, operator trial.Operator, step recordedStep, p Perturbation) (err error) {
	write := step.writes[p.Write]
	from := trial.Checkpoint{Cluster: write.cluster, ExternalState: step.acted.ExternalState, IsRunning: true}
	system, err := operator.StartWith(ctx, from, func(system *trial.System) error {
		if p.Pattern == StaleRestart {
			for _, user := range operator.Users {
				system.Runner.Cluster.ServeStaleLists(user, write.cluster.Revision()-int64(p.Lag))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	return compare(ctx, system, step, reference{step.restarted, step.start})
}

// restore plays the step, and then restores the cluster as it was after a write.
func restore(ctx context.Context, operator trial.Operator, step recordedStep, p Perturbation) (err error) {
	system, err := operator.Start(ctx, step.after)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	if err := system.Runner.Cluster.RestoreSnapshot(step.writes[p.Write].cluster); err != nil {
		return err
	}
	if err := system.Rest(); err != nil {
		return err
	}
	return compareWithoutHistory(ctx, system, step.withoutHistory)
}

// delay plays the step while an event is merged or delayed.
func delay(ctx context.Context, operator trial.Operator, step recordedStep, p Perturbation) (err error) {
	system, err := operator.Start(ctx, step.before)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	after := system.Runner.Cluster.Revision()
	delays := delayEvents(system, scenario.EventDelay{
		Match: func(event scenario.Event) bool { return event.Revision > after && isSameObject(event, p.Event) },
		Nth:   p.Nth, By: eventDelay, Merge: p.Pattern == MergedEvent,
	})
	if err := step.do(ctx, system); err != nil {
		return err
	}
	if err := system.Rest(); err != nil {
		return err
	}
	if !anyApplied(delays) {
		return ErrNoEvent
	}
	return compare(ctx, system, step, reference{step.state, after})
}

// unseen plays a step and the next one at once. If the step patches, the operator must end where it ends without the step.
func unseen(ctx context.Context, operator trial.Operator, step, next recordedStep) (err error) {
	want := next.withoutHistory
	if step.Verb != "create" && step.Verb != "delete" {
		if want, err = stateAfter(ctx, operator, step.before, next); err != nil {
			return fmt.Errorf("playing the next step without this one: %w", err)
		}
	}
	system, err := operator.Start(ctx, step.before)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	after := system.Runner.Cluster.Revision()
	delays := delayEvents(system, scenario.EventDelay{
		Match: func(event scenario.Event) bool { return event.Revision > after && isSameObject(event, step.first) },
		By:    eventDelay, Merge: true,
	})
	if err := step.do(ctx, system); err != nil {
		return err
	}
	if err := next.do(ctx, system); err != nil {
		return err
	}
	if err := system.Rest(); err != nil {
		return err
	}
	if !anyApplied(delays) {
		return ErrNoEvent
	}
	return compareWithoutHistory(ctx, system, want)
}

// stateAfter plays a step from a checkpoint, and returns the content of the cluster.
func stateAfter(ctx context.Context, operator trial.Operator, from trial.Checkpoint, step recordedStep) (state trial.State, err error) {
	system, err := operator.Start(ctx, from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	if err := step.do(ctx, system); err != nil {
		return nil, err
	}
	if err := system.Rest(); err != nil {
		return nil, err
	}
	return system.StateWithoutHistory(ctx)
}

// delayEvents delays an event for each user of the operator.
func delayEvents(system *trial.System, delay scenario.EventDelay) (delays []*scenario.DelayedEvent) {
	for _, user := range system.Operator().Users {
		delay.User = user
		delays = append(delays, system.Runner.Cluster.DelayEvent(delay))
	}
	return delays
}

func anyApplied(delays []*scenario.DelayedEvent) bool {
	for _, each := range delays {
		if each.Applied() {
			return true
		}
	}
	return false
}

// reference is what a run is compared with: the content of the cluster, and the revision after which creations and deletions count.
type reference struct {
	state trial.State
	after int64
}

// compare returns an error if the content of the cluster differs from the reference, or if creations and deletions differ from those of the
// recorded step.
func compare(ctx context.Context, system *trial.System, step recordedStep, want reference) error {
	state, err := system.State(ctx)
	if err != nil {
		return err
	}
	counts, err := system.Counts(want.after)
	if err != nil {
		return err
	}
	errs := []error{differs(want.state, state)}
	if difference := trial.CountDifference(step.counts, counts); difference != "" {
		errs = append(errs, fmt.Errorf("objects were created or deleted more often, or less often, than without a perturbation:\n%s", difference))
	}
	return errors.Join(errs...)
}

// compareWithoutHistory returns an error if the content of the cluster, without its history, differs.
func compareWithoutHistory(ctx context.Context, system *trial.System, want trial.State) error {
	state, err := system.StateWithoutHistory(ctx)
	if err != nil {
		return err
	}
	return differs(want, state)
}

func differs(want, got trial.State) error {
	if difference := trial.Difference(want, got); difference != "" {
		return fmt.Errorf("the cluster differs from the run without a perturbation (-without +with):\n%s", difference)
	}
	return nil
}
