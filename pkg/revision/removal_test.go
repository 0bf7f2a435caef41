package revision

import (
	"errors"
	"testing"
	"time"
)

func TestRemovalAttempts(t *testing.T) {
	fault, refused := Problem{Err: errors.New("etcdserver: leader changed")}, Problem{Err: errors.New("forbidden"), Refused: true}
	backoff := func(failures int) time.Duration { return time.Duration(failures) * time.Hour }
	var attempts RemovalAttempts
	now := time.Unix(1000, 0)
	for i, step := range []struct {
		outcome  RemovalOutcome
		after    time.Duration
		reported bool
		blocked  bool
		retry    time.Duration
	}{
		{RemovalOutcome{Waiting: "a"}, 0, true, false, DeletionInterval},
		{RemovalOutcome{Problem: fault}, 0, false, false, 0},
		{RemovalOutcome{Problem: fault}, 0, false, false, 0},
		{RemovalOutcome{Problem: fault}, 0, true, false, 0},
		{RemovalOutcome{Problem: fault}, 2 * transientPeriod, true, true, 0},
		{RemovalOutcome{Problem: refused}, 0, true, true, time.Hour},
		{RemovalOutcome{Problem: fault}, 0, false, false, 0}, // the refusal has reset the failures
		{RemovalOutcome{Problem: refused}, 0, true, true, 2 * time.Hour},
		{RemovalOutcome{Stuck: true}, 0, true, true, DeletionInterval},
		{RemovalOutcome{Held: true}, 0, true, true, 2 * DeletionInterval},
		{RemovalOutcome{}, 0, true, false, DeletionInterval},
		{RemovalOutcome{Problem: refused}, 0, true, true, time.Hour}, // the removal made progress in between
	} {
		now = now.Add(step.after)
		deletion, retry := attempts.Add(step.outcome, now, backoff)
		if (deletion != nil) != step.reported || retry != step.retry || deletion != nil && deletion.Blocked != step.blocked {
			t.Errorf("step %d: %+v, retry in %s; want reported %v, blocked %v, retry in %s", i, deletion, retry, step.reported, step.blocked, step.retry)
		}
	}
	for range 100 {
		if _, retry := attempts.Add(RemovalOutcome{Stuck: true}, now, backoff); retry > maxCheckInterval {
			t.Fatalf("the next check is in %s, want at most maxCheckInterval", retry)
		}
	}
}
