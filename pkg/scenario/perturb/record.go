package perturb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

// Recording is a story that was played without perturbations. It is immutable. Runs may use it concurrently, and in different bubbles.
type Recording struct {
	title string
	steps []recordedStep
}

// recordedStep is a step with the trace that it left.
type recordedStep struct {
	story.Step
	// number is the number of the step in its story, counted from 1.
	number int
	// faults are the steps before it that inject faults.
	faults []story.Step
	// before and after are the system at rest before and after the step. acted is the system right after the verb of the step. start is the
	// revision of the cluster before the verb.
	before, acted, after trial.Checkpoint
	start                int64
	// writes has the cluster right after the verb, with a zero request, and then the operator's writes, in the order of their responses.
	writes []recordedWrite
	// events are the events of the step that the operator's watches deliver. first is the first event of the step, which the verb caused; it
	// is the zero Event if the step has none.
	events []scenario.Event
	first  scenario.Event
	// former has the revision of the last deletion of each object that was deleted before the step.
	former map[objectKey]int64
	// state is the content of the cluster after the step, restarted the same after a restart of the operator, which may forget what it
	// cannot read again, and withoutHistory that without its history. counts are the creations and deletions in the step.
	state, restarted, withoutHistory trial.State
	counts                           trial.Counts
}

// recordedWrite is a write of the operator, and the cluster right after it.
type recordedWrite struct {
	request scenario.Request
	cluster *scenario.Snapshot
}

// ErrNoWrites is the error of Record for a story in which the operator writes nothing: no perturbation could change anything.
var ErrNoWrites = errors.New("the operator writes nothing in this story, so it cannot be perturbed; choose a story in which it does something")

// Record starts a system from a checkpoint, and plays the story. It returns an error that wraps ErrNoWrites if the operator writes nothing.
func Record(ctx context.Context, operator trial.Operator, from trial.Checkpoint, read *story.Story) (*Recording, error) {
	recording, err := record(ctx, operator, from, read)
	if err != nil {
		return nil, fmt.Errorf("recording %q: %w", read.Title, err)
	}
	for _, step := range recording.steps {
		if len(step.writes) > 1 {
			return recording, nil
		}
	}
	return nil, fmt.Errorf("recording %q: %w", read.Title, ErrNoWrites)
}

// record plays each step in a system of its own, so that a run that starts from a step's beginning differs in nothing but the perturbation.
func record(ctx context.Context, operator trial.Operator, from trial.Checkpoint, read *story.Story) (*Recording, error) {
	recording := &Recording{title: read.Title}
	former := map[objectKey]int64{}
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
		recorded.number, recorded.former = i+1, maps.Clone(former)
		for _, event := range recorded.events {
			if event.Type == watch.Deleted {
				former[keyOf(event)] = event.Revision
			}
		}
		recording.steps = append(recording.steps, recorded)
		from, faults = recorded.after, nil
	}
	return recording, nil
}

// recordStep plays a step after the faults that it is to meet, and then restarts the operator.
func recordStep(ctx context.Context, operator trial.Operator, from trial.Checkpoint, steps []story.Step) (recorded recordedStep, err error) {
	recorded.before = from
	recorded.faults, recorded.Step = steps[:len(steps)-1], steps[len(steps)-1]
	if err := recorded.play(ctx, operator); err != nil {
		return recorded, err
	}
	system, err := operator.Start(ctx, recorded.after)
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

func (r *recordedStep) play(ctx context.Context, operator trial.Operator) (err error) {
	system, err := operator.Start(ctx, r.before)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	if err := do(ctx, system, r.faults...); err != nil {
		return err
	}
	cluster := system.Runner.Cluster
	r.start = cluster.Revision()
	writes := &writeLog{cluster: cluster, acted: r.start}
	// These are injected after the faults of the story, which take effect first.
	cluster.Inject(scenario.Fault{Match: r.isOwn, Effect: scenario.Around(writes.acting, func(scenario.Request) {}), Times: scenario.Always})
	cluster.Inject(scenario.Fault{Match: operator.Writes, Effect: scenario.Around(func(scenario.Request) {}, writes.add), Times: scenario.Always})
	if err := do(ctx, system, r.Step); err != nil {
		return err
	}
	if r.acted, err = system.Checkpoint(); err != nil {
		return err
	}
	if r.acted.Cluster, err = r.acted.Cluster.At(min(writes.acted, r.acted.Cluster.Revision())); err != nil {
		return err
	}
	if err := system.Rest(); err != nil {
		return fmt.Errorf("%s: %w", r.Position, err)
	}
	r.writes = append([]recordedWrite{{cluster: r.acted.Cluster}}, writes.after(writes.acted)...)
	return r.readEnd(ctx, system)
}

// isOwn reports whether a request is a write of the step's verb.
func (r *recordedStep) isOwn(request scenario.Request) bool {
	return request.IsWrite() && (request.User == scenario.AdminUser || request.User == r.As)
}

// do performs the step, after the faults that it is to meet.
func (r *recordedStep) do(ctx context.Context, system *trial.System) error {
	return do(ctx, system, append(slices.Clone(r.faults), r.Step)...)
}

func do(ctx context.Context, system *trial.System, steps ...story.Step) error {
	for _, step := range steps {
		if err := system.Runner.Do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	return nil
}

// readEnd records what the step led to.
func (r *recordedStep) readEnd(ctx context.Context, system *trial.System) (err error) {
	if r.after, err = system.Checkpoint(); err != nil {
		return err
	}
	events, err := system.Runner.Cluster.Events(r.start)
	if err != nil {
		return err
	}
	r.events = watched(events, system.Runner.Cluster, system.Operator().Users)
	if len(events) > 0 && events[0].Revision <= r.acted.Cluster.Revision() {
		r.first = events[0]
	}
	if r.state, err = system.State(ctx); err != nil {
		return err
	}
	r.counts, err = system.Counts(r.start)
	return err
}

// watched returns the events that watches of the operator deliver. It ignores their selectors.
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
	// acted is the revision of the last write of the step's verb, or that before the step.
	acted int64
}

// acting records that the verb writes. Nothing else has been writing when it sends a request, so that its write is the next one.
func (l *writeLog) acting(scenario.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acted = l.cluster.Revision() + 1
}

// add adds a write of the operator with a copy of the cluster. It skips a write that changed nothing since the previous one: a restart after
// it would repeat the previous restart.
func (l *writeLog) add(request scenario.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	snapshot := l.cluster.Snapshot()
	if n := len(l.writes); n > 0 && l.writes[n-1].cluster.Revision() == snapshot.Revision() {
		return
	}
	l.writes = append(l.writes, recordedWrite{request, snapshot})
}

// after returns the writes after a revision. A fork at an earlier write would lack later writes of the verb.
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

// describe returns a write in a line without its user and response. The zero request is the verb of the step.
func describe(request scenario.Request) string {
	if request.Verb == "" {
		return "the verb"
	}
	request.Code = 0
	_, line, _ := strings.Cut(request.String(), ": ")
	return line
}
