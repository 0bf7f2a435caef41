package generate

import (
	"context"
	"errors"
	"slices"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// Fails runs a story and reports whether the operator fails. It must return false if a step cannot be performed, for example because it
// patches an object whose creation was removed from the story. An error ends Minimize.
type Fails func(ctx context.Context, s *story.Story) (bool, error)

// Minimize removes steps from a failing story by delta debugging, and returns the shortest failing story that it finds. After the removal
// of any single step, that story no longer fails, unless Minimize ended after maxRuns calls of fails. Minimize does not change the given
// story. If fails returns an error or ctx ends, Minimize returns the shortest failing story so far and the error.
func Minimize(ctx context.Context, failing *story.Story, maxRuns int, fails Fails) (*story.Story, error) {
	if maxRuns < 0 {
		return failing, errors.New("maxRuns is negative; pass the maximum number of runs of the story")
	}
	parts := 2
	for runs := 0; len(failing.Steps) > 1; {
		shorter, used, err := shorten(ctx, failing, parts, maxRuns-runs, fails)
		runs += used
		switch {
		case err != nil:
			return failing, err
		case shorter != nil:
			failing, parts = shorter, max(parts-1, 2)
		case runs == maxRuns || parts >= len(failing.Steps):
			return failing, nil
		default:
			parts = min(2*parts, len(failing.Steps))
		}
	}
	return failing, nil
}

// shorten divides the steps into parts, and returns the first story that still fails without one of these parts, or nil if there is none.
// It also returns the number of runs.
func shorten(ctx context.Context, failing *story.Story, parts, maxRuns int, fails Fails) (shorter *story.Story, runs int, err error) {
	count := len(failing.Steps)
	parts = min(parts, count)
	for part := parts - 1; part >= 0; part-- { // the last steps first, because steps after the failure are never needed
		if runs == maxRuns {
			return nil, runs, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, runs, err
		}
		candidate := *failing
		candidate.Steps = slices.Delete(slices.Clone(failing.Steps), part*count/parts, (part+1)*count/parts)
		runs++
		isFailing, err := fails(ctx, &candidate)
		if err != nil {
			return nil, runs, err
		}
		if isFailing {
			return &candidate, runs, nil
		}
	}
	return nil, runs, nil
}
