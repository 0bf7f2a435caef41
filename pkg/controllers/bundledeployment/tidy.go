package bundledeployment

import (
	"context"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/store"
)

// tidy deletes, once after a start, what a manager that was killed has left half stored or half deleted. Nobody waits for
// that, so that an error is no more than logged until it is tried again.
func tidy(ctx context.Context, s *state) (bool, error) {
	if s.record.tidied || s.wanted == nil || s.deployment.Spec.Paused {
		return false, nil
	}
	if err := s.clear(ctx); err != nil {
		klog.Warningf("%v; it is tried again", err)
		s.retry(s.backoff.Last)
		return false, nil
	}
	s.record.tidied = true
	return false, nil
}

// clear deletes what is stored and belongs to no revision.
func (s *state) clear(ctx context.Context) error {
	var stored []store.Header
	for _, each := range s.record.revisions {
		stored = append(stored, each.Header)
	}
	return s.revisions.Clear(ctx, ownerOf(s.deployment), stored)
}
