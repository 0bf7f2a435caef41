package revisions_test

import (
	"context"
	"errors"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
)

// deniedStore denies each Save and counts them.
type deniedStore struct {
	revisions.Store
	saves int
}

func (s *deniedStore) Save(context.Context, store.Owner, *store.Revision) error {
	s.saves++
	return errors.New("denied")
}

func TestAnAttemptIsRepeatedAfterItsPause(t *testing.T) {
	const pause = time.Minute
	for name, test := range map[string]struct {
		request string
		passed  time.Duration
		grants  int
		want    int
	}{
		"not before":                             {"a", pause - 1, 0, 1},
		"after the pause":                        {"a", pause, 0, 2},
		"immediately for another request":        {"b", 0, 0, 2},
		"immediately if a permission is granted": {"a", 0, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			denied, clock := &deniedStore{}, clocktesting.NewFakePassiveClock(time.Unix(0, 0))
			saver := revisions.Saver{
				Revisions: revisions.Revisions{Store: denied, History: &revision.History{}, Sets: revisions.Sets{}, Deployment: &corev1alpha2.BundleDeployment{}},
				Clock:     clock, Backoff: func(int) time.Duration { return pause },
			}
			var attempt revisions.Attempt[string]
			save := func(request string) {
				t.Helper()
				if saved, err := attempt.Save(t.Context(), saver, request, &store.Revision{}); err != nil || saved.Revision != nil || saved.Retry <= 0 {
					t.Fatalf("got %+v, %v", saved, err)
				}
			}
			save("a")
			clock.SetTime(clock.Now().Add(test.passed))
			saver.Grants = test.grants
			save(test.request)
			if denied.saves != test.want {
				t.Errorf("%d attempts, want %d", denied.saves, test.want)
			}
			save(test.request)
			if denied.saves != test.want {
				t.Error("a further attempt without a pause")
			}
		})
	}
}
