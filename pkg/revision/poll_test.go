package revision

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

func TestPollTimesDoNotChangeAfterARestart(t *testing.T) {
	every := 10 * time.Minute
	start := time.Unix(1_700_000_000, 0)
	seen := map[time.Duration]bool{}
	for i := range 100 {
		uid := types.UID(fmt.Sprint("uid-", i))
		slot, next := slotAt(uid, every, start)
		if next <= 0 || next > every {
			t.Fatalf("the next poll is due in %s, want at most the interval", next)
		}
		seen[next.Truncate(time.Minute)] = true
		if before, _ := slotAt(uid, every, start.Add(next-time.Nanosecond)); before != slot {
			t.Fatal("a poll is due before the end of the interval")
		}
		if after, again := slotAt(uid, every, start.Add(next)); after != slot+1 || again != every {
			t.Fatalf("at the end of the interval the slot is %d after %d, and the next is due in %s", after, slot, again)
		}
	}
	if len(seen) < 8 {
		t.Errorf("100 deployments poll in only %d of 10 minutes", len(seen))
	}
}

func TestDue(t *testing.T) {
	const uid, every = types.UID("uid"), 10 * time.Minute
	now := time.Unix(1_700_000_000, 0)
	var schedule PollSchedule
	due, next := schedule.Due(uid, every, now)
	if due || next <= 0 || next > every {
		t.Fatalf("at the start: due %v, next in %s", due, next)
	}
	now = now.Add(next)
	if due, _ := schedule.Due(uid, every, now); !due {
		t.Error("no poll is due at the beginning of the next interval")
	}
	now = now.Add(3 * every) // a slow poll
	schedule.Polled(uid, now)
	if due, next := schedule.Due(uid, every, now); due || next != every {
		t.Errorf("after the poll: due %v, next in %s, want the next interval", due, next)
	}
	if due, _ := schedule.Due(uid, 2*every, now.Add(every)); due {
		t.Error("a poll is due immediately after the interval changed")
	}
	schedule.Stop()
	if due, _ := schedule.Due(uid, 2*every, now.Add(10*every)); due {
		t.Error("a poll is due immediately after Stop")
	}
}
