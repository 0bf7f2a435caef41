package generate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/quick"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// numbered returns a story whose steps have the titles "0", "1" and so on.
func numbered(steps int) *story.Story {
	made := &story.Story{Title: "Steps"}
	for i := range steps {
		made.Steps = append(made.Steps, story.Step{Title: fmt.Sprint(i), Verb: "wait"})
	}
	return made
}

// has reports whether a story has all steps with these titles.
func has(s *story.Story, titles []string) bool {
	return !slices.ContainsFunc(titles, func(title string) bool {
		return !slices.ContainsFunc(s.Steps, func(step story.Step) bool { return step.Title == title })
	})
}

func TestMinimizeKeepsExactlyTheStepsThatAFailureNeeds(t *testing.T) {
	property := func(total uint8, needs []uint8) bool {
		steps := int(total)%40 + 1
		needed := map[string]bool{}
		for _, each := range needs {
			needed[fmt.Sprint(int(each)%steps)] = true
		}
		var titles []string
		for title := range needed {
			titles = append(titles, title)
		}
		runs := 0
		minimal, err := generate.Minimize(t.Context(), numbered(steps), 5000, func(_ context.Context, s *story.Story) (bool, error) {
			runs++
			return has(s, titles), nil
		})
		return err == nil && has(minimal, titles) && len(minimal.Steps) == max(len(titles), 1) && runs <= 5000 &&
			slices.IsSortedFunc(minimal.Steps, func(a, b story.Step) int { return len(a.Title) - len(b.Title) })
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

func TestMinimizeStops(t *testing.T) {
	original := numbered(16)
	t.Run("after the given number of runs", func(t *testing.T) {
		for maxRuns := range 20 {
			runs := 0
			minimal, err := generate.Minimize(t.Context(), original, maxRuns, func(_ context.Context, s *story.Story) (bool, error) {
				runs++
				return has(s, []string{"3", "12"}), nil
			})
			if err != nil || runs > maxRuns || !has(minimal, []string{"3", "12"}) {
				t.Errorf("with at most %d runs: %d runs, %d steps, %v", maxRuns, runs, len(minimal.Steps), err)
			}
		}
	})
	t.Run("at an error, with the shortest story so far", func(t *testing.T) {
		broken := errors.New("broken")
		minimal, err := generate.Minimize(t.Context(), original, 100, func(_ context.Context, s *story.Story) (bool, error) {
			if len(s.Steps) < 8 {
				return false, broken
			}
			return true, nil
		})
		if !errors.Is(err, broken) || len(minimal.Steps) != 8 {
			t.Errorf("got %d steps, %v", len(minimal.Steps), err)
		}
	})
	t.Run("when the context ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := generate.Minimize(ctx, original, 100, func(context.Context, *story.Story) (bool, error) { return true, nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("before the first run, if the number of runs is negative", func(t *testing.T) {
		if _, err := generate.Minimize(t.Context(), original, -1, nil); err == nil {
			t.Error("a negative number of runs is accepted")
		}
	})
	if len(original.Steps) != 16 || original.Steps[15].Title != "15" {
		t.Errorf("the original story has changed: %+v", original)
	}
}
