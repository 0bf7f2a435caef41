package perturb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
)

// eventDelay is the maximum time for which an event is delayed. It is long enough for the operator to act on the events of other watches,
// and shorter than the timeout of Cluster.Settle.
const eventDelay = time.Minute

// ErrNotApplied is the error that Run returns if the perturbation was not applied, because its write or event did not occur, no list was
// stale, or no events merged. The numbers of events and writes can depend on the order in which goroutines run. Run returns another error
// if System.Stop also fails, for example because the operator ended by itself.
var ErrNotApplied = errors.New("the perturbation was not applied: its write or event did not occur again, no list was stale, or " +
	"no events merged; run it again, or ignore it")

// Run plays the perturbed step, and compares the result with the recording. It returns an error that describes the difference:
//
//   - The content of the cluster at the end of the step must be the same. With Restart, StaleRestart and RestoredAfterRestart, it must be
//     the content after a restart at the end of the step. With RestoredSnapshot, it must be the content before the restore. With
//     MergedSteps, it must be the content after both steps if the operator did not run meanwhile and started afterwards. With
//     RestoredSnapshot, RestoredAfterRestart and MergedSteps, the history of the cluster is not compared.
//   - Except with MergedSteps, each object that Operator.IsCounted selects must have been created and deleted as many times as in the
//     recording. With RestoredSnapshot and RestoredAfterRestart, the creations and deletions since the restore must be as many as those
//     that followed the write.
//
// The error wraps ErrNotApplied if the perturbation could not be applied.
func (r *Recording) Run(ctx context.Context, operator harness.Operator, p Perturbation) error {
	index, err := r.step(p)
	if err != nil {
		return err
	}
	switch step := r.steps[index]; p.Pattern {
	case Restart, StaleRestart:
		err = runRestart(ctx, operator, step, p)
	case RestoredSnapshot:
		err = runRestoredSnapshot(ctx, operator, step, p)
	case RestoredAfterRestart:
		err = runRestoredAfterRestart(ctx, operator, step, p)
	case MergedEvent, DelayedEvent:
		err = runEventDelay(ctx, operator, step, p)
	case MergedSteps:
		err = runMergedSteps(ctx, operator, step, r.steps[index+1])
	default:
		err = fmt.Errorf("unknown pattern %q; use one that Recording.Perturbations returns", p.Pattern)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	return nil
}

// runRestart starts the operator from the cluster right after a write.
func runRestart(ctx context.Context, operator harness.Operator, step recordedStep, p Perturbation) (err error) {
	write, isKnown := step.write(p.Write)
	lists, isLag := staleRevision(step, write, p)
	if !isKnown || !isLag {
		return ErrNotApplied
	}
	from := harness.Checkpoint{Cluster: write.cluster, ExternalState: step.afterVerb.ExternalState, IsOperatorRunning: true}
	system, err := operator.StartSystemWith(ctx, from, func(system *harness.System) error {
		if p.Pattern == StaleRestart {
			for _, user := range operator.Users {
				system.Runner.Cluster.ServeStaleLists(user, lists)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() { err = stop(system, err) }()
	if p.Pattern == StaleRestart && !wasListStale(system) {
		return ErrNotApplied
	}
	return compare(ctx, system, step, reference{step.restarted, step.start})
}

// staleRevision returns the revision of the lists of a StaleRestart. isLag is false if the perturbation's lag does not exist for this
// write. For other patterns, staleRevision returns 0 and true.
func staleRevision(step recordedStep, write recordedWrite, p Perturbation) (revision int64, isLag bool) {
	if p.Pattern != StaleRestart || write.cluster == nil {
		return 0, p.Pattern != StaleRestart
	}
	all := lags(step, write)
	index := slices.IndexFunc(all, func(each lag) bool { return each.name == p.Lag })
	if index < 0 {
		return 0, false
	}
	return all[index].revision, true
}

// wasListStale reports whether the operator got a stale list.
func wasListStale(system *harness.System) bool {
	return slices.ContainsFunc(system.Runner.Cluster.Requests(), func(r scenario.Request) bool {
		return r.Verb == "list" && r.IsFaulted && slices.Contains(system.Operator().Users, r.User)
	})
}

// runRestoredSnapshot plays the step, and then restores the snapshot that the same run took after a write. The operator's process keeps
// running during the restore.
func runRestoredSnapshot(ctx context.Context, operator harness.Operator, step recordedStep, p Perturbation) (err error) {
	system, err := operator.StartSystem(ctx, step.before)
	if err != nil {
		return err
	}
	defer func() { err = stop(system, err) }()
	played := recordedStep{Step: step.Step, faults: step.faults}
	if err := played.playIn(ctx, system); err != nil {
		return err
	}
	write, isKnown := played.write(p.Write)
	if !isKnown {
		return ErrNotApplied
	}
	want, err := system.StateWithoutHistory(ctx) // of the same process, which may know more than a restarted one
	if err != nil {
		return err
	}
	return restore(ctx, system, write, want)
}

// runRestoredAfterRestart restarts the operator at the end of the step, and then restores the snapshot that was recorded after a write.
func runRestoredAfterRestart(ctx context.Context, operator harness.Operator, step recordedStep, p Perturbation) (err error) {
	system, err := operator.StartSystem(ctx, step.after)
	if err != nil {
		return err
	}
	defer func() { err = stop(system, err) }()
	write, isKnown := step.write(p.Write)
	if !isKnown {
		return ErrNotApplied
	}
	return restore(ctx, system, write, step.withoutHistory)
}

// restore restores the snapshot that was taken after a write. When the operator is at rest, restore compares the cluster with the wanted
// state. It also compares the creations and deletions since the restore with those that had followed the write before the restore.
func restore(ctx context.Context, system *harness.System, write recordedWrite, want harness.State) error {
	if err := system.Runner.Cluster.RestoreSnapshot(write.cluster); err != nil {
		return err
	}
	restored := system.Runner.Cluster.CompactedRevision() // RestoreSnapshot compacted all earlier writes
	if err := system.WaitForRest(); err != nil {
		return err
	}
	return errors.Join(compareWithoutHistory(ctx, system, want), compareCounts(system, write.later, restored))
}

// runEventDelay plays the step while an event is merged or delayed.
func runEventDelay(ctx context.Context, operator harness.Operator, step recordedStep, p Perturbation) (err error) {
	system, err := operator.StartSystem(ctx, step.before)
	if err != nil {
		return err
	}
	defer func() { err = stop(system, err) }()
	after := system.Runner.Cluster.Revision()
	delays := delayEvents(system, scenario.EventDelay{
		Match: func(event scenario.Event) bool { return event.Revision > after && isSameObject(event, p.Event) },
		Nth:   p.Nth, By: eventDelay, Merge: p.Pattern == MergedEvent,
	})
	if err := step.perform(ctx, system); err != nil {
		return err
	}
	if err := system.WaitForRest(); err != nil {
		return err
	}
	isApplied := (*scenario.DelayedEvent).Applied
	if p.Pattern == MergedEvent {
		isApplied = (*scenario.DelayedEvent).Merged // not Applied: often the next event is the operator's reaction to this one
	}
	if !slices.ContainsFunc(delays, isApplied) {
		return ErrNotApplied
	}
	return compare(ctx, system, step, reference{step.state, after})
}

// runMergedSteps plays a step and the next one without a pause. The result must be the same as if the operator had not run during either
// step.
func runMergedSteps(ctx context.Context, operator harness.Operator, step, next recordedStep) (err error) {
	want, err := stateAfter(ctx, operator, step.before, step, next)
	if err != nil {
		return fmt.Errorf("playing both steps while the operator does not run: %w", err)
	}
	system, err := operator.StartSystem(ctx, step.before)
	if err != nil {
		return err
	}
	defer func() { err = stop(system, err) }()
	after := system.Runner.Cluster.Revision()
	delays := delayEvents(system, scenario.EventDelay{
		Match: func(event scenario.Event) bool { return event.Revision > after && isSameObject(event, step.first) },
		By:    eventDelay, Merge: true,
	})
	if err := step.perform(ctx, system); err != nil {
		return err
	}
	if err := next.perform(ctx, system); err != nil {
		return err
	}
	if err := system.WaitForRest(); err != nil {
		return err
	}
	if !slices.ContainsFunc(delays, (*scenario.DelayedEvent).Merged) {
		return ErrNotApplied
	}
	return compareWithoutHistory(ctx, system, want)
}

// stateAfter plays steps from a checkpoint while the operator does not run, and then starts the operator. It returns the content of the
// cluster without its history.
func stateAfter(ctx context.Context, operator harness.Operator, from harness.Checkpoint, steps ...recordedStep) (state harness.State, err error) {
	from.IsOperatorRunning = false
	system, err := operator.StartSystem(ctx, from)
	if err != nil {
		return nil, err
	}
	defer func() { err = stop(system, err) }()
	for _, step := range steps {
		if err := step.perform(ctx, system); err != nil {
			return nil, err
		}
	}
	if err := system.StartOperator(); err != nil {
		return nil, fmt.Errorf("starting the operator: %w", err)
	}
	if err := system.WaitForRest(); err != nil {
		return nil, err
	}
	return system.StateWithoutHistory(ctx)
}

// stop stops the system at the end of a run with a given result, and returns the result together with the error of System.Stop. If
// System.Stop fails, the returned error does not wrap ErrNotApplied, because callers ignore that error.
func stop(system *harness.System, result error) error {
	err := system.Stop()
	if err != nil && errors.Is(result, ErrNotApplied) {
		return fmt.Errorf("%w\n(also: %s)", err, result.Error())
	}
	return errors.Join(result, err)
}

// delayEvents adds the delay for each user of the operator.
func delayEvents(system *harness.System, delay scenario.EventDelay) (delays []*scenario.DelayedEvent) {
	for _, user := range system.Operator().Users {
		delay.User = user
		delays = append(delays, system.Runner.Cluster.DelayEvent(delay))
	}
	return delays
}

// reference holds the state that a run must reach, and the revision after which the run's creations and deletions count.
type reference struct {
	state harness.State
	after int64
}

// compare returns an error if the content of the cluster differs from the reference, or if creations and deletions differ from those of the
// recorded step.
func compare(ctx context.Context, system *harness.System, step recordedStep, want reference) error {
	state, err := system.State(ctx)
	if err != nil {
		return err
	}
	return errors.Join(checkEqual(want.state, state), compareCounts(system, step.counts, want.after))
}

// compareCounts returns an error if creations and deletions after a revision differ from the wanted ones.
func compareCounts(system *harness.System, want harness.Counts, after int64) error {
	counts, err := system.Counts(after)
	if err != nil {
		return err
	}
	if difference := harness.CountDifference(want, counts); difference != "" {
		return fmt.Errorf("objects were created or deleted a different number of times than expected:\n%s", difference)
	}
	return nil
}

// compareWithoutHistory returns an error if the content of the cluster, without its history, differs from the wanted state.
func compareWithoutHistory(ctx context.Context, system *harness.System, want harness.State) error {
	state, err := system.StateWithoutHistory(ctx)
	if err != nil {
		return err
	}
	return checkEqual(want, state)
}

func checkEqual(want, got harness.State) error {
	if difference := harness.Difference(want, got); difference != "" {
		return fmt.Errorf("the cluster differs from the expected cluster (-expected +actual):\n%s", difference)
	}
	return nil
}
