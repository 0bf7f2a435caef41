package queues_test

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
	_ "k8s.io/component-base/metrics/prometheus/workqueue" // the provider that must not be the first one

	"github.com/openshift/platform-operators/pkg/scenario/queues"
)

func TestAQueueWithANameKeepsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "named"})
		queue.Add("key")
		time.Sleep(time.Second)
		// The test does not shut the queue down. If the queue still had a goroutine, the bubble would panic at its end.
		if key, _ := queue.Get(); key != "key" {
			t.Errorf("got %q", key)
		}
		queue.Done("key")
	})
}

func TestItemsAreCountedWhenTheyAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, key := range []string{"a", "b"} {
			queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "counted"})
			queue.Add(key)
			queue.Get()
			before := queues.Handled("counted")
			queue.Done(key)
			if after := queues.Handled("counted"); after != before+1 {
				t.Errorf("got %d handled items after %d and one more", after, before)
			}
			queue.ShutDown()
		}
	})
	if count := queues.Handled("unknown"); count != 0 {
		t.Errorf("Handled returned %d for an unknown queue", count)
	}
}
