package perturb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Recording is the trace of a story that was played without perturbations. It is immutable. Its methods may be called concurrently, and in
// different bubbles.
type Recording struct {
	story *story.Story
	steps []recordedStep
}

// recordedStep is a step with its trace.
type recordedStep struct {
	story.Step
	// number is the number of the step in its story, counted from 1.
	number int
	// faults are the steps with verb "fail" right before the step.
	faults []story.Step
	// before and after hold the system at rest before and after the step. afterVerb holds the system right after the verb of the step.
	// start is the revision of the cluster before the verb.
	before, afterVerb, after harness.Checkpoint
	start                    int64
	// writes[0] holds the zero WriteID and the cluster right after the verb. The operator's writes follow, in the order of their responses.
	writes []recordedWrite
	// events are the events of the step that the operator's watches deliver. first is the first event that the verb caused, or the zero Event
	// if the verb wrote nothing.
	events []scenario.Event
	first  scenario.Event
	// deletions holds, for each object that was deleted before the step, the revision of its last deletion.
	deletions map[objectKey]int64
	// state is the content of the cluster after the step. restarted is the content after a later restart of the operator (see
	// Recording.ChangedByRestart). withoutHistory is restarted without its history. counts are the creations and deletions in the step.
	state, restarted, withoutHistory harness.State
	counts                           harness.Counts
}

// recordedWrite holds a write by the operator, and a snapshot of the cluster right after the write. later counts the creations and
// deletions that follow the write in the step.
type recordedWrite struct {
	id      WriteID
	cluster *scenario.Snapshot
	later   harness.Counts
}

// write returns the write with a given ID, and whether the step has such a write.
func (r *recordedStep) write(id WriteID) (recordedWrite, bool) {
	index := slices.IndexFunc(r.writes, func(each recordedWrite) bool { return each.id == id })
	if index < 0 {
		return recordedWrite{}, false
	}
	return r.writes[index], true
}

// RestartChange is what a restart of the operator changes in the cluster.
type RestartChange struct {
	// Objects are the keys of the created, changed and deleted objects in a harness.State, sorted.
	Objects []string
	// Difference shows the lines that differ (-before +after).
	Difference string
}

// ChangedByRestart returns the changes that a restart of the operator makes to the cluster, keyed by the number of the step before the
// restart. Each such change should have a good reason, because Run does not report it: Run compares a perturbation with a restart with the
// cluster after the restart.
func (r *Recording) ChangedByRestart() map[int]RestartChange {
	changed := map[int]RestartChange{}
	for _, step := range r.steps {
		if difference := harness.Difference(step.state, step.restarted); difference != "" {
			changed[step.number] = RestartChange{harness.Different(step.state, step.restarted), difference}
		}
	}
	return changed
}

// YAML returns the story up to the step that a perturbation changes, without expectations, as the content of a story's file.
func (r *Recording) YAML(p Perturbation) ([]byte, error) {
	last, err := r.step(p)
	if err != nil {
		return nil, err
	}
	if p.Pattern == MergedSteps {
		last++ // the two steps are one change
	}
	shortened := *r.story
	shortened.Steps = slices.Clone(r.story.Steps[:r.steps[last].number])
	for i := range shortened.Steps {
		shortened.Steps[i].Then = nil
	}
	return shortened.YAML()
}

// step returns the index in r.steps of the step that a perturbation changes.
func (r *Recording) step(p Perturbation) (index int, err error) {
	index = slices.IndexFunc(r.steps, func(step recordedStep) bool { return step.number == p.Step })
	if index < 0 || p.Pattern == MergedSteps && index+1 == len(r.steps) {
		return 0, fmt.Errorf("%s: story %q has no such perturbation; use one that Recording.Perturbations returns", p, r.story.Title)
	}
	return index, nil
}

// ErrNoWrites is the error that Record returns for a story in which the operator writes nothing: no perturbation could change anything.
var ErrNoWrites = errors.New("the operator writes nothing in this story, so the story cannot be perturbed; " +
	"choose a story in which the operator writes")

// Record starts a system from a checkpoint, and plays the story. It returns an error in each of these cases:
//
//   - A step fails, or an expectation in a step's Then does not hold when the cluster has settled.
//   - The story continues another one (story.Story.From), and from.Story is not the path of that story. Record does not play that story.
//   - The last step injects a fault (verb "fail"). Record injects each fault in the system of the next step only.
//   - The operator writes nothing. The error wraps ErrNoWrites, unless no request came from Operator.Users.
func Record(ctx context.Context, operator harness.Operator, from harness.Checkpoint, read *story.Story) (*Recording, error) {
	requests, operator := newRequestSummary(operator)
	recording, err := record(ctx, operator, from, read)
	if err != nil {
		return nil, fmt.Errorf("recording %q: %w", read.Title, requests.explain(err))
	}
	for _, step := range recording.steps {
		if len(step.writes) > 1 {
			return recording, nil
		}
	}
	return nil, fmt.Errorf("recording %q: %w", read.Title, requests.noWrites())
}

// record plays each step in a new system. A perturbed run also starts a new system, so it differs only by the perturbation.
func record(ctx context.Context, operator harness.Operator, from harness.Checkpoint, read *story.Story) (*Recording, error) {
	if err := from.CheckOrigin(read); err != nil {
		return nil, err
	}
	if last := len(read.Steps) - 1; last >= 0 && read.Steps[last].Verb == "fail" {
		return nil, fmt.Errorf("%s: the story ends with a fault, which no step uses; remove it, or add a step", read.Steps[last].Position)
	}
	played := *read
	recording := &Recording{story: &played}
	deletions := map[objectKey]int64{}
	var faults []story.Step
	for i, step := range read.Steps {
		if step.Verb == "fail" {
			faults = append(faults, step)
			continue
		}
		recorded, err := recordStep(ctx, operator, from, append(faults, step))
		if err != nil {
			return nil, err
		}
		recorded.number, recorded.deletions = i+1, maps.Clone(deletions)
		for _, event := range recorded.events {
			if event.Type == watch.Deleted {
				deletions[keyOf(event)] = event.Revision
			}
		}
		recording.steps = append(recording.steps, recorded)
		from, faults = recorded.after, nil
	}
	return recording, nil
}

// recordStep plays the last of the given steps after the others, which inject its faults. Then it restarts the operator.
func recordStep(ctx context.Context, operator harness.Operator, from harness.Checkpoint, steps []story.Step) (recorded recordedStep, err error) {
	recorded.before = from
	recorded.faults, recorded.Step = steps[:len(steps)-1], steps[len(steps)-1]
	if err := recorded.play(ctx, operator); err != nil {
		return recorded, err
	}
	recorded.dropExpectations()
	system, err := operator.StartSystem(ctx, recorded.after)
	if err != nil {
		return recorded, fmt.Errorf("%s: restarting the operator: %w", recorded.Position, err)
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	if recorded.restarted, err = system.State(ctx); err != nil {
		return recorded, err
	}
	recorded.withoutHistory, err = system.StateWithoutHistory(ctx)
	return recorded, err
}

// dropExpectations removes the expectations, which hold without a perturbation only.
func (r *recordedStep) dropExpectations() {
	r.Then, r.faults = nil, slices.Clone(r.faults)
	for i := range r.faults {
		r.faults[i].Then = nil
	}
}

func (r *recordedStep) play(ctx context.Context, operator harness.Operator) (err error) {
	system, err := operator.StartSystem(ctx, r.before)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	if err := r.playIn(ctx, system); err != nil {
		return err
	}
	return r.recordResult(ctx, system)
}

// playIn plays the step in a system, and records the writes of the operator.
func (r *recordedStep) playIn(ctx context.Context, system *harness.System) (err error) {
	if err := perform(ctx, system, r.faults...); err != nil {
		return err
	}
	cluster := system.Runner.Cluster
	r.start = cluster.Revision()
	writes := &writeLog{cluster: cluster, numbers: map[string]int{}, lastVerbWrite: r.start}
	// The faults of the story take precedence, because they were injected first.
	cluster.Inject(scenario.Fault{Match: r.isVerbWrite, Effect: scenario.Around(writes.recordVerbWrite, func(scenario.Request) {}), Times: scenario.Always})
	recordWrites := scenario.Around(func(scenario.Request) {}, writes.add)
	cluster.Inject(scenario.Fault{Match: system.Operator().IsOperatorWrite, Effect: recordWrites, Times: scenario.Always})
	if err := perform(ctx, system, r.Step); err != nil {
		return err
	}
	if r.afterVerb, err = system.Checkpoint(); err != nil {
		return err
	}
	if r.afterVerb.Cluster, err = r.afterVerb.Cluster.At(min(writes.lastVerbWrite, r.afterVerb.Cluster.Revision())); err != nil {
		return err
	}
	if err := r.checkExpectations(ctx, system); err != nil {
		return err
	}
	if err := system.WaitForRest(); err != nil {
		return fmt.Errorf("%s: %w", r.Position, err)
	}
	r.writes = append([]recordedWrite{{cluster: r.afterVerb.Cluster}}, writes.after(writes.lastVerbWrite)...)
	for i := range r.writes {
		if r.writes[i].later, err = system.Counts(r.writes[i].cluster.Revision()); err != nil {
			return err
		}
	}
	return nil
}

// checkExpectations waits until the cluster has settled, as Runner.Run does, and returns an error if an expectation of the step or of its
// faults does not hold. Later, when the operator is at rest, the state that the story expects may have passed.
func (r *recordedStep) checkExpectations(ctx context.Context, system *harness.System) error {
	if err := system.Runner.Cluster.Settle(); err != nil {
		return fmt.Errorf("%s: %w", r.Position, err)
	}
	for _, step := range append(slices.Clone(r.faults), r.Step) {
		if err := system.Runner.CheckExpectations(ctx, step); err != nil {
			return fmt.Errorf("step %q: an expectation does not hold: %w", cmp.Or(step.Title, step.Verb), err)
		}
	}
	return nil
}

// isVerbWrite reports whether a request is a write that the step's verb sends.
func (r *recordedStep) isVerbWrite(request scenario.Request) bool {
	return request.IsWrite() && (request.User == scenario.AdminUser || request.User == r.As)
}

// perform injects the faults of the step, and performs the step.
func (r *recordedStep) perform(ctx context.Context, system *harness.System) error {
	return perform(ctx, system, append(slices.Clone(r.faults), r.Step)...)
}

func perform(ctx context.Context, system *harness.System, steps ...story.Step) error {
	for _, step := range steps {
		if err := system.Runner.Do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	return nil
}

// recordResult records the state of the system at rest after the step.
func (r *recordedStep) recordResult(ctx context.Context, system *harness.System) (err error) {
	if r.after, err = system.Checkpoint(); err != nil {
		return err
	}
	events, err := system.Runner.Cluster.Events(r.start)
	if err != nil {
		return err
	}
	r.events = watched(events, system.Runner.Cluster, system.Operator().Users)
	if len(events) > 0 && events[0].Revision <= r.afterVerb.Cluster.Revision() {
		r.first = events[0]
	}
	if r.state, err = system.State(ctx); err != nil {
		return err
	}
	r.counts, err = system.Counts(r.start)
	return err
}

// watched returns the events that the operator's watches deliver. It ignores the selectors of the watches.
func watched(events []scenario.Event, cluster *scenario.Cluster, users []string) (delivered []scenario.Event) {
	watches := map[string]bool{}
	for _, request := range cluster.Watches() {
		if slices.Contains(users, request.User) {
			watches[request.Resource.String()+" "+request.Namespace] = true
		}
	}
	for _, event := range events {
		if watches[event.Resource.String()+" "] || watches[event.Resource.String()+" "+event.Namespace] {
			delivered = append(delivered, event)
		}
	}
	return delivered
}

// writeLog collects the writes of the operator.
type writeLog struct {
	cluster *scenario.Cluster

	mu     sync.Mutex
	writes []recordedWrite
	// numbers holds the number of equal writes so far, keyed by WriteID.Request.
	numbers map[string]int
	// lastVerbWrite is the revision of the last write by the step's verb, or the revision before the step if the verb has written nothing.
	lastVerbWrite int64
}

// recordVerbWrite records the revision of a write by the verb before the verb sends the write. No other client writes at that time, so it
// is the next revision.
func (l *writeLog) recordVerbWrite(scenario.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastVerbWrite = l.cluster.Revision() + 1
}

// add adds a write by the operator and a snapshot of the cluster. It skips a write that did not change the cluster, because a restart after
// the write would equal the restart after the previous write.
func (l *writeLog) add(request scenario.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	snapshot := l.cluster.Snapshot()
	id := WriteID{Request: describe(request)}
	l.numbers[id.Request]++
	id.Nth = l.numbers[id.Request]
	if n := len(l.writes); n > 0 && l.writes[n-1].cluster.Revision() == snapshot.Revision() {
		return
	}
	l.writes = append(l.writes, recordedWrite{id: id, cluster: snapshot})
}

// after returns the writes after a revision. It omits earlier writes, because their snapshots lack later writes of the verb.
func (l *writeLog) after(revision int64) (writes []recordedWrite) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, write := range l.writes {
		if write.cluster.Revision() > revision {
			writes = append(writes, write)
		}
	}
	return writes
}

// describe returns a write in one line, without its user and response.
func describe(request scenario.Request) string {
	request.Code = 0
	_, line, _ := strings.Cut(request.String(), ": ")
	return line
}
