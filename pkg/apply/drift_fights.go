package apply

import "time"

const (
	// freeRepairs is how many times an object is put back at once before somebody is taken to change it back each time.
	freeRepairs = 5
	// firstWait is the pause after the last of them; it doubles with every repair up to lastWait.
	firstWait = 10 * time.Second
	lastWait  = 5 * time.Minute
	// calmTime without a change, or twice the pause if that is more, ends a fight.
	calmTime = time.Minute
)

// fight counts how often one object was put back lately. It bounds the writes for an object to eight in the first minute and
// to one in five minutes in the end; other objects do not feel it. A restart forgets it.
type fight struct {
	repairs int
	last    time.Time
}

// pause is how long after the last repair the next one has to wait.
func (f fight) pause() time.Duration {
	if f.repairs < freeRepairs {
		return 0
	}
	pause := firstWait
	for range f.repairs - freeRepairs {
		if pause *= 2; pause >= lastWait {
			return lastWait
		}
	}
	return pause
}

// wait is how much of the pause is left.
func (f fight) wait(now time.Time) time.Duration {
	return max(0, f.last.Add(f.pause()).Sub(now))
}

// repaired counts a repair. One that comes after a calm time begins anew.
func (f fight) repaired(now time.Time) fight {
	if now.Sub(f.last) > max(calmTime, 2*f.pause()) {
		f.repairs = 0
	}
	return fight{repairs: f.repairs + 1, last: now}
}
