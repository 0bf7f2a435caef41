package bundledeployment

import (
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// A revision that is stored while there is no status counts as applied, and a process that ends after one round may write no status.
func TestTheOnlyRoundOfAProcessFetchesAfterTheFirstStatus(t *testing.T) {
	for generation, want := range map[int64]bool{0: false, 1: true} {
		f := newFixture(t)
		fetched := false
		wait := renderWith(t, f, func(unpack.Request) (*unpack.Rendering, error) {
			fetched = true
			return nil, nil
		})
		f.c.isOneRound, f.before.Status.ObservedGeneration = true, generation
		if err := f.fetch(t.Context(), revision.Action{}); err != nil {
			t.Fatal(err)
		}
		if wait(); fetched != want {
			t.Errorf("observedGeneration %d: fetched %t, want %t", generation, fetched, want)
		}
	}
}

func TestTheOnlyRoundOfAProcessWaitsLongestAfterARefusal(t *testing.T) {
	f := newFixture(t)
	for isOneRound, want := range map[bool]time.Duration{false: f.c.backoff.After(1), true: f.c.backoff.Last} {
		if f.c.isOneRound = isOneRound; f.c.refusalBackoff(1) != want {
			t.Errorf("isOneRound %t: %s, want %s", isOneRound, f.c.refusalBackoff(1), want)
		}
	}
}
