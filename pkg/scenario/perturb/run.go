package perturb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

// eventDelay is the maximum time by which an event is delayed. It is longer than the time in which watches of other kinds deliver what
// happens meanwhile, and shorter than Settle's timeout.
const eventDelay = time.Minute

// Run plays the perturbed step, and compares the result with the recording. It returns an error that describes the difference:
//
//   - the content of the cluster at the end of the step must be the same;
//   - objects of Operator.Counts must have been created and deleted as often, except with RestoredSnapshot and UnseenStep, after which the
//     operator may have to create them again.
//
// It returns an error, too, if the perturbation could not be made, for example because its event did not happen.
func (r *Recording) Run(ctx context.Context, operator trial.Operator, p Perturbation) error {
	if p.Step < 1 || p.Step > len(r.steps) {
		return fmt.Errorf("%s: the story %q has %d steps", p, r.title, len(r.steps))
	}
	var err error
	switch step := r.steps[p.Step-1]; p.Pattern {
	case Restart, StaleRestart:
		err = restart(ctx, operator, step, p)
	case RestoredSnapshot:
		err = restore(ctx, operator, step, p)
	case MergedEvent, DelayedEvent:
		err = delay(ctx, operator, step, p)
	case UnseenStep:
		err = r.unseen(ctx, operator, p)
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
	from := trial.Moment{Cluster: write.cluster, Surroundings: step.acted.Surroundings, Runs: true}
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
	return compare(ctx, system, step, comparison{counts: true})
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
	return compare(ctx, system, step, comparison{})
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
	if err := system.Play(ctx, step.Step); err != nil {
		return err
	}
	if !anyApplied(delays) {
		return errors.New("the operator watched no such event in this run; the story depends on the order of goroutines")
	}
	return compare(ctx, system, step, comparison{counts: true, after: after})
}

// unseen plays a step and the next one at once. If the step patches, the operator must end where it ends without the step.
func (r *Recording) unseen(ctx context.Context, operator trial.Operator, p Perturbation) (err error) {
	step, next := r.steps[p.Step-1], r.steps[p.Step]
	want := next.state
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
	if err := system.Runner.Do(ctx, step.Step); err != nil {
		return err
	}
	if err := system.Play(ctx, next.Step); err != nil {
		return err
	}
	if !anyApplied(delays) {
		return errors.New("the operator does not watch the object that the steps change")
	}
	next.state = want
	return compare(ctx, system, next, comparison{})
}

// stateAfter plays a step from a moment, and returns the content of the cluster.
func stateAfter(ctx context.Context, operator trial.Operator, from trial.Moment, step recordedStep) (state trial.State, err error) {
	system, err := operator.Start(ctx, from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	if err := system.Play(ctx, step.Step); err != nil {
		return nil, err
	}
	return system.State(ctx)
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

// comparison is what compare compares beside the content of the cluster.
type comparison struct {
	// counts is whether creations and deletions must be the same.
	counts bool
	// after is the revision after which they are counted; 0 is the beginning of the step.
	after int64
}

// compare returns an error if the system differs from the recorded end of the step.
func compare(ctx context.Context, system *trial.System, step recordedStep, c comparison) error {
	state, err := system.State(ctx)
	if err != nil {
		return err
	}
	var errs []error
	if difference := trial.Difference(step.state, state); difference != "" {
		errs = append(errs, fmt.Errorf("the cluster differs from the run without a perturbation (-without +with):\n%s", difference))
	}
	if c.counts {
		if c.after == 0 {
			c.after = step.before.Cluster.Revision()
		}
		counts, err := system.Counts(c.after)
		if err != nil {
			return err
		}
		if difference := trial.CountDifference(step.counts, counts); difference != "" {
			errs = append(errs, fmt.Errorf("objects were created or deleted another number of times than without a perturbation:\n%s", difference))
		}
	}
	return errors.Join(errs...)
}
