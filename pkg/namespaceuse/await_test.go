package namespaceuse

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/background"
)

func TestAnAwaitedCheckAnswersAtOnce(t *testing.T) {
	down := apierrors.NewInternalError(errors.New("etcdserver: leader changed"))
	for clockName, passive := range map[string]clock.PassiveClock{
		"a clock that runs": clock.RealClock{}, "a frozen clock": clocktesting.NewFakePassiveClock(time.Unix(1000, 0)),
	} {
		for name, test := range map[string]struct {
			on    *fakeCluster
			inUse string
			err   error
		}{
			"an empty namespace":     {on: &fakeCluster{}},
			"a namespace with a Pod": {on: &fakeCluster{objects: objects{pods: everything(object("memo", "app-0"))}}, inUse: `it still holds pods "app-0"`},
			"an API server that is down": {on: &fakeCluster{
				objects: objects{pods: everything(object("memo", "app-0"))}, fails: map[schema.GroupVersionResource]error{pods: down}}, err: down},
			"a grant that cannot be revoked at once": {on: &fakeCluster{denied: map[schema.GroupVersionResource]bool{memos: true}, revokeErrs: 2}},
		} {
			t.Run(name+" with "+clockName, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var answered []string
					test.on.served, test.on.revokes = []schema.GroupVersionResource{pods, memos}, 0
					checker := newChecker(t.Context(), test.on, nil, Config{
						Clock: passive, Answered: func(owner string) { answered = append(answered, owner) }, Tasks: &background.Tasks{Await: true},
					})
					began := time.Now() // virtual
					for range 2 {       // the second question gets an answer of its own, because nothing of the first one is left
						got, isAnswered := checker.Check(about("memo"))
						if !isAnswered || got.InUse != test.inUse || !errors.Is(got.Err, test.err) || (got.Err != nil) != (test.err != nil) {
							t.Errorf("got %+v, %v, want %q, %v", got, isAnswered, test.inUse, test.err)
						}
					}
					if took := time.Since(began); test.on.revokeErrs == 0 && took > 0 {
						t.Errorf("two checks took %s; no other question can follow while one is awaited", took)
					}
					if want := []string{"owner-of-memo", "owner-of-memo"}; !slices.Equal(answered, want) {
						t.Errorf("told %q of answers, want %q", answered, want)
					}
					if len(checker.pending) > 0 || checker.running || len(test.on.granted) > 0 {
						t.Errorf("%d questions and the right to list %v are left, running is %v", len(checker.pending), test.on.granted, checker.running)
					}
				})
			})
		}
	}
}
