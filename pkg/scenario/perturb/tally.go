package perturb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

const (
	// minMaxMissed is the default of Tally.MaxMissed in a small sample. In a larger one, it is one in missedOneIn.
	minMaxMissed = 2
	missedOneIn  = 20
	// enoughPerturbations is the number of perturbations in which each pattern must be applied. enoughMergedEvents is the number of merged
	// events of which at least one must be applied.
	enoughPerturbations, enoughMergedEvents = 30, 20
)

// Tally counts the perturbations that a test plays, by pattern. Its Err function fails a test that plays perturbations to no effect. It is
// safe for concurrent use.
type Tally struct {
	// MaxMissed is the maximum number of perturbations, other than merged events, that may be not applied. NewTally sets it to one in 20 of
	// the chosen perturbations, and at least to two, because the number of an object's events may vary from run to run. Set it before Err is
	// called if the order of goroutines has a larger influence on your operator.
	MaxMissed int

	chosen []Perturbation

	mu                  sync.Mutex
	applied, notApplied map[Pattern]int
}

// NewTally returns a Tally for a test that is about to play the chosen perturbations.
func NewTally(chosen []Perturbation) *Tally {
	return &Tally{
		MaxMissed: max(minMaxMissed, len(chosen)/missedOneIn), chosen: slices.Clone(chosen),
		applied: map[Pattern]int{}, notApplied: map[Pattern]int{},
	}
}

// Add counts a perturbation for which Recording.Run returned err. The perturbation was not applied if err wraps ErrNotApplied.
func (t *Tally) Add(p Perturbation, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if errors.Is(err, ErrNotApplied) {
		t.notApplied[p.Pattern]++
		return
	}
	t.applied[p.Pattern]++
}

// Applied returns the number of applied perturbations of each pattern.
func (t *Tally) Applied() map[Pattern]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.applied)
}

// NotApplied returns the number of perturbations of each pattern that could not be applied.
func (t *Tally) NotApplied() map[Pattern]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.notApplied)
}

// Err returns an error in each of these cases:
//
//   - No perturbation was applied.
//   - More than MaxMissed perturbations were not applied. Merged events do not count, because an operator that writes to an object whenever
//     the object changes causes the next event itself: until it sees the first event, there is no second one to merge.
//   - A pattern was never applied, although at least 30 perturbations were chosen, among them this pattern, and all were played. Choose
//     chooses each pattern of the recordings. Merged events must be applied at least once in 20. If the test played only some
//     perturbations, for example because of -run, Err does not require each pattern.
func (t *Tally) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	applied, missed, played := 0, 0, 0
	for _, n := range t.applied {
		applied += n
	}
	for pattern, n := range t.notApplied {
		played += n
		if pattern != MergedEvent {
			missed += n
		}
	}
	played += applied
	if applied == 0 {
		return errors.New("no perturbation was applied; correct the name in -run, or choose other perturbations")
	}
	var errs []error
	if missed > t.MaxMissed {
		errs = append(errs, fmt.Errorf("%d perturbations other than merged events could not be applied, more than the permitted %d; check "+
			"why their writes or events did not occur again, or why no list was stale", missed, t.MaxMissed))
	}
	if played >= len(t.chosen) && played >= enoughPerturbations {
		errs = append(errs, t.neverApplied()...)
	}
	return errors.Join(errs...)
}

// neverApplied returns an error for each chosen pattern that was never applied, except for a few merged events. The caller holds mu.
func (t *Tally) neverApplied() (errs []error) {
	chosen := map[Pattern]int{}
	for _, each := range t.chosen {
		chosen[each.Pattern]++
	}
	for _, pattern := range slices.Sorted(maps.Keys(chosen)) {
		if t.applied[pattern] > 0 || pattern == MergedEvent && chosen[pattern] < enoughMergedEvents {
			continue
		}
		errs = append(errs, fmt.Errorf("pattern %q was never applied, although the test played %d of its perturbations; run the test again, "+
			"and if the pattern is still not applied, choose other perturbations or another story", pattern, chosen[pattern]))
	}
	return errs
}
