package reconcile

import (
	"slices"
	"testing"
	"time"
)

func TestENG_D5_AFightIsDampedAndForgotten(t *testing.T) {
	now := time.Unix(1e9, 0)
	var c contention
	var writes []time.Duration
	start := now
	for now.Sub(start) < time.Hour { // another client reverts each repair at once
		now = now.Add(c.wait(now)).Add(time.Millisecond)
		c = c.repaired(now)
		writes = append(writes, now.Sub(start).Round(time.Second))
	}
	minute := slices.IndexFunc(writes, func(at time.Duration) bool { return at > time.Minute })
	if minute > 8 {
		t.Errorf("%d writes in the first minute: %v", minute, writes[:minute])
	}
	if len(writes) > 24 {
		t.Errorf("%d writes in an hour: %v", len(writes), writes)
	}
	if wait := c.wait(now); wait < maxPause-time.Second || wait > maxPause {
		t.Errorf("the pause is %s in the end, want %s", wait, maxPause)
	}
	if later := now.Add(2*maxPause + time.Second); c.repaired(later).wait(later) != 0 {
		t.Error("a change after a calm time has to wait")
	}
	var slow contention
	for range 100 { // rare changes are not a contention
		now = now.Add(quietPeriod + time.Second)
		if wait := slow.wait(now); wait > 0 {
			t.Fatalf("a change after a calm minute has to wait %s", wait)
		}
		slow = slow.repaired(now)
	}
}
