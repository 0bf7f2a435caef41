package queues_test

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
	_ "k8s.io/component-base/metrics/prometheus/workqueue" // the provider that must not be the first one

	_ "github.com/openshift/platform-operators/pkg/scenario/queues"
)

func TestAQueueWithANameKeepsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "named"})
		queue.Add("key")
		time.Sleep(time.Second)
		// The queue is not shut down: a goroutine that it still has would be blocked for ever, which ends the test.
		if key, _ := queue.Get(); key != "key" {
			t.Errorf("got %q", key)
		}
		queue.Done("key")
	})
}
