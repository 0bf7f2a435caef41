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
	// before and after are the system at rest before and after the step. acted is the system right after the verb of the step.
	before, acted, after trial.Moment
	// writes has the cluster right after the verb, with a zero request, and then the operator's writes, in the order of their responses.
	writes []recordedWrite
	// events are the events of the step that the operator's watches deliver. first is the first event of the step, which the verb caused; it
	// is the zero Event if the step has none.
	events []scenario.Event
	first  scenario.Event
	// former has the revision of the last deletion of each object that was deleted before the step.
	former map[objectKey]int64
	// state is the content of the cluster after the step, and withoutHistory the same without its history. counts are the creations and
	// deletions in the step.
	state, withoutHistory trial.State
	counts                trial.Counts
}

// recordedWrite is a write of the operator, and the cluster right after it.
type recordedWrite struct {
	request scenario.Request
	cluster *scenario.Snapshot
}

// ErrNoWrites is the error of Record for a story in which the operator writes nothing: no perturbation could change anything.
var ErrNoWrites = errors.New("the operator writes nothing in this story, so it cannot be perturbed; choose a story in which it does something")

// Record starts a system from a moment, and plays the story. It returns an error that wraps ErrNoWrites if the operator writes nothing.
func Record(ctx context.Context, operator trial.Operator, from trial.Moment, read *story.Story) (*Recording, error) {
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

func record(ctx context.Context, operator trial.Operator, from trial.Moment, read *story.Story) (recording *Recording, err error) {
	system, err := operator.Start(ctx, from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	writes := &writeLog{cluster: system.Runner.Cluster}
	system.Runner.Cluster.Inject(scenario.Fault{
		Match: operator.Writes, Times: scenario.Always, Effect: scenario.Around(func(scenario.Request) {}, writes.add),
	})
	recording = &Recording{title: read.Title}
	former := map[objectKey]int64{}
	for _, step := range read.Steps {
		recorded, err := recordStep(ctx, system, writes, step)
		if err != nil {
			return nil, err
		}
		recorded.former = maps.Clone(former)
		for _, event := range recorded.events {
			if event.Type == watch.Deleted {
				former[keyOf(event)] = event.Revision
			}
		}
		recording.steps = append(recording.steps, recorded)
	}
	return recording, nil
}

func recordStep(ctx context.Context, system *trial.System, writes *writeLog, step story.Step) (recorded recordedStep, err error) {
	users := system.Operator().Users
	cluster := system.Runner.Cluster
	recorded.Step = step
	if recorded.before, err = system.Moment(); err != nil {
		return recorded, err
	}
	if err := system.Runner.Do(ctx, step); err != nil {
		return recorded, fmt.Errorf("%s: %w", step.Position, err)
	}
	if recorded.acted, err = system.Moment(); err != nil {
		return recorded, err
	}
	writes.reset()
	writes.add(scenario.Request{})
	if err := system.Rest(); err != nil {
		return recorded, fmt.Errorf("%s: %w", step.Position, err)
	}
	recorded.writes = writes.reset()
	if recorded.after, err = system.Moment(); err != nil {
		return recorded, err
	}
	before := recorded.before.Cluster.Revision()
	events, err := cluster.Events(before)
	if err != nil {
		return recorded, err
	}
	recorded.events = watched(events, cluster, users)
	if len(events) > 0 && events[0].Revision <= recorded.acted.Cluster.Revision() {
		recorded.first = events[0]
	}
	if recorded.state, err = system.State(ctx); err != nil {
		return recorded, err
	}
	if recorded.withoutHistory, err = system.StateWithoutHistory(ctx); err != nil {
		return recorded, err
	}
	recorded.counts, err = system.Counts(before)
	return recorded, err
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

// writeLog collects the operator's writes.
type writeLog struct {
	cluster *scenario.Cluster
	mu      sync.Mutex
	writes  []recordedWrite
}

// add adds a write with a copy of the cluster. It skips a write that changed nothing since the previous one: a restart after it would repeat
// the previous restart.
func (l *writeLog) add(request scenario.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	snapshot := l.cluster.Snapshot()
	if n := len(l.writes); n > 0 && l.writes[n-1].cluster.Revision() == snapshot.Revision() {
		return
	}
	l.writes = append(l.writes, recordedWrite{request, snapshot})
}

// reset returns the writes, and removes them.
func (l *writeLog) reset() []recordedWrite {
	l.mu.Lock()
	defer l.mu.Unlock()
	writes := l.writes
	l.writes = nil
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
