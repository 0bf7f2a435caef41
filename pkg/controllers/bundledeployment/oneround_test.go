package bundledeployment

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
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

func TestTheOnlyRoundOfAProcessRemovesTheFinalizersOfRukpakAtItsEnd(t *testing.T) {
	for isRemoved, want := range map[bool][]string{false: {corev1alpha2.FinalizerCachedBundle, "example.com/mine"}, true: {"example.com/mine"}} {
		f := newFixture(t)
		f.c.isOneRound, f.memory.history.LeftoversRemoved = true, isRemoved
		f.before.Finalizers = []string{corev1alpha2.FinalizerCachedBundle, "example.com/mine"}
		if _, err := f.c.client.Update(t.Context(), f.before, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := f.endMigration(t.Context()); err != nil {
			t.Fatal(err)
		}
		live, err := f.c.client.Get(t.Context(), "memo", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(live.Finalizers, want) {
			t.Errorf("leftovers removed %t: %v, want %v", isRemoved, live.Finalizers, want)
		}
	}
}
