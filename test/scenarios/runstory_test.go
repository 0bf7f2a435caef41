package scenarios

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/test/samples"
)

// storiesRun is the number of stories that runStory and runStoryFrom have started in this process.
var storiesRun atomic.Int64

// runStory runs a story as a parallel subtest, and then calls removeAll. At the start, the catalog contains the operators and the manager
// is running. If -rounds chooses the story, it then runs by rounds, too.
func runStory(t *testing.T, name string, operators []samples.Operator, run func(ctx context.Context, s *Story)) {
	t.Helper()
	runStoryFrom(t, name, Origin{Offer: sampleWriter(operators)}, func(ctx context.Context, s *Story) {
		s.Settle() // a manager that is killed before it runs leaves goroutines that never end
		run(ctx, s)
	})
}

// runStoryFrom runs a story as runStory does, but the cluster starts in the state that from describes.
func runStoryFrom(t *testing.T, name string, from Origin, run func(ctx context.Context, s *Story)) {
	t.Helper()
	story := t.Name() + "/" + name
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		if !isByRounds(t, story) {
			runOnTopologies(t, from, func(s *Story) { run(s.Context(), s) }, func(s *Story) { s.removeAll(s.Context()) })
			return
		}
		storiesRun.Add(1)
		begun := time.Now()
		live := runToRest(t, from, run)
		if t.Failed() {
			return
		}
		// Promise OM-5: On a cluster at rest, a round has no mutation. Two rounds from one directory write the same bytes.
		t.Run("[OM-5] [OM-11] by rounds", func(t *testing.T) {
			rounds, liveEnd := newRounds(storySeed(story)), time.Now()
			from.Rounds = rounds
			compareStates(t, live, runToRest(t, from, run))
			rounds.log(t, liveEnd.Sub(begun), time.Since(liveEnd))
		})
	})
}

// runToRest runs a story. It returns the state at the end of the story, once the manager is at rest, and the state after removeAll.
func runToRest(t *testing.T, from Origin, run func(ctx context.Context, s *Story)) (states []runState) {
	t.Helper()
	RunFrom(t, from, func(s *Story) {
		ctx := s.Context()
		run(ctx, s)
		if s.Manager == nil { // its work is left where it was
			return
		}
		states = append(states, s.stateAtRest(ctx))
		if s.rounds != nil {
			s.must(s.endRounds(ctx))
			if s.Manager == nil { // a failed story keeps its manager
				s.StartManager()
			}
		}
		s.removeAll(ctx)
		states = append(states, s.stateAtRest(ctx))
	})
	return states
}

// endRounds stops the rounds when they are at rest, and checks that one more round has no mutation. It does nothing if the manager runs as a
// process, or does not run.
func (s *Story) endRounds(ctx context.Context) error {
	s.Helper()
	if s.rounds == nil || s.Manager == nil || s.Failed() {
		return nil
	}
	s.StopManager()
	return s.rounds.checkRest(ctx, s)
}

// stateAtRest waits until the manager is at rest, and returns the state of the cluster.
func (s *Story) stateAtRest(ctx context.Context) runState {
	s.Helper()
	operator := harness.Operator{
		Users: []string{managerUser}, Interval: restInterval, MaxRefusedWrites: maxRefused, Normalize: normalizeRounds, NormalizeHistory: removeHistory,
		Open: func(context.Context, harness.Checkpoint) (*harness.System, error) {
			return &harness.System{Runner: &story.Runner{Cluster: s.Cluster}}, nil
		},
	}
	system, err := operator.StartSystem(ctx, harness.Checkpoint{})
	s.must(err)
	s.must(system.WaitForRest())
	state, err := runStateOf(ctx, system)
	s.must(err)
	return state
}

// maxRefused is the maximum number of writes that the API server refuses in restInterval. A story may end while a write is refused.
const maxRefused = 1000
