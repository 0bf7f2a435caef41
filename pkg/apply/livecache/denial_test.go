package livecache

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// The watch of a filled cache ends, and the API server answers the next requests with an error.
func TestAFilledCacheIsUnreadWhileItsWatchIsDenied(t *testing.T) {
	forbidden := apierrors.NewForbidden(configMapsAt.GroupResource(), "", errors.New("no permission"))
	for name, test := range map[string]struct {
		err  error
		lets time.Duration
		want bool
	}{
		"for long":     {err: forbidden, lets: 3 * deniedTime, want: true},
		"for a moment": {err: forbidden, lets: deniedTime / 4},
		"for another reason than missing permissions": {err: apierrors.NewServiceUnavailable("restarting"), lets: 3 * deniedTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var denied atomic.Bool
				var notified atomic.Int32
				var current atomic.Pointer[watch.FakeWatcher]
				client := newTestClient()
				client.PrependReactor("list", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) { return denied.Load(), nil, test.err })
				client.PrependWatchReactor("configmaps", func(clienttesting.Action) (bool, watch.Interface, error) {
					if denied.Load() {
						return true, nil, test.err
					}
					started := watch.NewFake()
					current.Store(started)
					return true, started, nil
				})
				caches := NewCaches(t.Context(), client, clock.RealClock{}, func(string) { notified.Add(1) })
				filled, err := caches.Get(t.Context(), "memo", configMapsAt)
				if err != nil {
					t.Fatal(err)
				}
				found := Resource{Mapping: &meta.RESTMapping{Resource: configMapsAt}, Cache: filled}
				expect := func(want bool, notifications int32) {
					t.Helper()
					var wait *object.WaitError
					got := found.Unread()
					if isUnread := errors.As(got, &wait) && wait.Unread; isUnread != want || notified.Load() != notifications {
						t.Errorf("unread: %t, want %t; notified %d times, want %d: %v", isUnread, want, notified.Load(), notifications, got)
					}
				}
				count := func(times int32) int32 {
					if test.want {
						return times
					}
					return 0
				}

				time.Sleep(time.Minute)
				expect(false, 0)
				denied.Store(true)
				current.Load().Stop()
				time.Sleep(test.lets)
				expect(test.want, count(1))
				denied.Store(false)
				time.Sleep(2 * time.Minute) // longer than the backoff
				expect(false, count(2))
			})
		})
	}
}
