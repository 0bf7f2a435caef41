package generate

import (
	"cmp"
	"context"
	"fmt"

	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// CheckedSystem is a system whose state is checked by Oracle.AfterStep after each step.
type CheckedSystem struct {
	*harness.System
	afterStep func(ctx context.Context, system *harness.System, step story.Step) error
}

// Do performs steps. After each, it waits until the cluster has settled, and calls Oracle.AfterStep. It returns the first error.
func (s CheckedSystem) Do(ctx context.Context, steps ...story.Step) error {
	for _, step := range steps {
		if err := s.Runner.Do(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(step.Title, step.Verb), err)
		}
		if err := s.check(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(step.Title, step.Verb), err)
		}
	}
	return nil
}

// WaitForRest calls System.WaitForRest, and then Oracle.AfterStep with the zero Step.
func (s CheckedSystem) WaitForRest(ctx context.Context) error {
	if err := s.System.WaitForRest(); err != nil || s.afterStep == nil {
		return err
	}
	return s.afterStep(ctx, s.System, story.Step{})
}

// check waits until the cluster has settled, and calls Oracle.AfterStep.
func (s CheckedSystem) check(ctx context.Context, step story.Step) error {
	if err := s.Runner.Cluster.Settle(); err != nil || s.afterStep == nil {
		return err
	}
	return s.afterStep(ctx, s.System, step)
}
