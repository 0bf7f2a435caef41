// Package queues takes the metrics of all work queues of the process, so that no queue needs a goroutine for them. It counts only how many
// items they have handled.
//
// A queue of client-go that has a name starts a goroutine that measures, twice a second, how long work has been under way. In virtual time
// that is 170,000 wake-ups of each queue in a day. And a shutdown waits for this goroutine: until the scheduler has run it, the workers
// of library-go's controllers call Get of a queue that has already been shut down, again and again. That took a quarter of all processor
// time of stories. Such a queue cannot be had without a name, as controllers make their own.
package queues

import (
	"runtime"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
)

// The first provider of a process is the only one. k8s.io/component-base has another one that it sets when it is initialized. Go initializes
// packages in the order of their import paths as soon as all that they import is initialized; this one imports nothing of
// k8s.io/component-base, and its path comes before k8s.io.
//
//nolint:gochecknoinits // later it would be too late
func init() { workqueue.SetProvider(provider{}) }

type provider struct{}

func (provider) NewDepthMetric(string) workqueue.GaugeMetric       { return discarded{} }
func (provider) NewAddsMetric(string) workqueue.CounterMetric      { return discarded{} }
func (provider) NewLatencyMetric(string) workqueue.HistogramMetric { return discarded{} }
func (provider) NewRetriesMetric(string) workqueue.CounterMetric   { return discarded{} }
func (provider) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	counter, _ := handled.LoadOrStore(name, &handledItems{})
	return counter.(*handledItems)
}
func (provider) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return unfinished{}
}
func (provider) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return discarded{}
}

// handled has a *handledItems for each name of queues. It is of the whole process, as the provider is.
var handled sync.Map

// handledItems counts the items that queues of one name have handled: each is observed once, when it is done.
type handledItems struct{ count atomic.Int64 }

// Observe implements workqueue.HistogramMetric.
func (h *handledItems) Observe(float64) { h.count.Add(1) }

// Handled returns how many items the queues of a name have handled in this process, those of all clusters. A controller's queue has the
// controller's name.
func Handled(name string) int64 {
	counter, found := handled.Load(name)
	if !found {
		return 0
	}
	return counter.(*handledItems).count.Load()
}

type discarded struct{}

func (discarded) Inc()            {}
func (discarded) Dec()            {}
func (discarded) Set(float64)     {}
func (discarded) Observe(float64) {}

// unfinished is the metric that only a queue's own goroutine sets.
type unfinished struct{}

// Set ends the goroutine. The queue's deferred functions unlock what it has locked.
func (unfinished) Set(float64) { runtime.Goexit() }
