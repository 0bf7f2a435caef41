package revision

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

func TestPollsKeepToTheirTimesAfterARestart(t *testing.T) {
	every := 10 * time.Minute
	start := time.Unix(1_700_000_000, 0)
	seen := map[time.Duration]bool{}
	for i := range 100 {
		uid := types.UID(fmt.Sprint("uid-", i))
		slot, next := slotAt(uid, every, start)
		if next <= 0 || next > every {
			t.Fatalf("the next poll is in %s", next)
		}
		seen[next.Truncate(time.Minute)] = true
		if before, _ := slotAt(uid, every, start.Add(next-time.Nanosecond)); before != slot {
			t.Fatal("a poll is due before its time")
		}
		if after, again := slotAt(uid, every, start.Add(next)); after != slot+1 || again != every {
			t.Fatalf("at its time the slot is %d after %d, and the next is in %s", after, slot, again)
		}
	}
	if len(seen) < 8 {
		t.Errorf("100 deployments poll in %d of 10 minutes: they are not spread", len(seen))
	}
}

func TestASourceIsPolledOnceInAnInterval(t *testing.T) {
	const uid, every = types.UID("uid"), 10 * time.Minute
	now := time.Unix(1_700_000_000, 0)
	var schedule PollSchedule
	due, next := schedule.Due(uid, every, now)
	if due || next <= 0 || next > every {
		t.Fatalf("at a start: due %v, and again in %s", due, next)
	}
	now = now.Add(next)
	if due, _ := schedule.Due(uid, every, now); !due {
		t.Error("it is not due when the next interval begins")
	}
	now = now.Add(3 * every) // it took long
	schedule.Polled(uid, now)
	if due, next := schedule.Due(uid, every, now); due || next != every {
		t.Errorf("after the poll: due %v, and again in %s, want in the next interval", due, next)
	}
	if due, _ := schedule.Due(uid, 2*every, now.Add(every)); due {
		t.Error("another interval is due at once")
	}
	schedule.Stop()
	if due, _ := schedule.Due(uid, 2*every, now.Add(10*every)); due {
		t.Error("one that was stopped is due when it is started again")
	}
}
