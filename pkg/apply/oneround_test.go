package apply_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/background"
)

// The writes of a round have no order, so that a round must not have those of two phases.
func TestARoundWritesTheObjectsOfOnePhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on(t, nil, func(f *fixture) {
			set := versionOne(t)
			for phase := 1; phase < len(set.Phases()); {
				report := f.round(set)
				isLater := report.Phases < len(set.Phases())
				if report.Phases > phase && report.Writes > 0 && phase+1 != report.Phases || report.HasLaterRound != isLater || isLater && report.RetryAfter == 0 {
					t.Fatalf("a round after phase %d reconciled %d phases with %d writes; later round %t, retry after %s",
						phase, report.Phases, report.Writes, report.HasLaterRound, report.RetryAfter)
				}
				phase = report.Phases
				f.settle()
			}
		})
	})
}

// round applies a set by a new engine, as a process that ends after one round does.
func (f *fixture) round(set *apply.Set) apply.Report {
	f.t.Helper()
	ctx, stop := context.WithCancel(f.t.Context())
	defer stop()
	report, err := f.startEngine(ctx, &background.Tasks{Await: true}).Apply(ctx, set, apply.Options{Gated: true})
	if err != nil {
		f.t.Fatal(err)
	}
	return report
}

func (f *fixture) settle() {
	f.t.Helper()
	if err := f.cluster.Settle(); err != nil {
		f.t.Fatal(err)
	}
}
