package story

import (
	"context"
	"fmt"
)

// Do performs a step. Unlike Run, it does not wait until the cluster has settled, does not report, and does not check Step.Then (see
// CheckExpectations). If the step is refused and Step.Refused permits that, Do calls Runner.OnRefusal and returns nil.
func (r *Runner) Do(ctx context.Context, step Step) error {
	refusal, err := r.do(ctx, step)
	if refusal != nil && r.OnRefusal != nil {
		r.OnRefusal(step, refusal)
	}
	return err
}

// CheckExpectations returns an error with the position of the first expectation in Step.Then that does not hold.
func (r *Runner) CheckExpectations(ctx context.Context, step Step) error {
	for _, expectation := range step.Then {
		if err := r.check(ctx, expectation); err != nil {
			return fmt.Errorf("%s: %w", expectation.Position, err)
		}
	}
	return nil
}

// do performs a step like Do. It also returns the API server's refusal if Step.Refused permits it.
func (r *Runner) do(ctx context.Context, step Step) (refusal, err error) {
	verb := r.Verbs[step.Verb]
	if verb == nil {
		return nil, fmt.Errorf("unknown verb %q; the verbs are %s", step.Verb, names(r.Verbs))
	}
	refusal, err = step.Refused.judge(verb(ctx, r, step))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", step.Verb, err)
	}
	return refusal, nil
}
