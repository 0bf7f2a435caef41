// Package queues replaces the metrics provider of client-go's work queues for the whole process. It counts the items that queues have
// handled, and discards all other metrics.
//
// The package also ends the goroutine that each named queue starts for its metrics. The goroutine would update metrics twice a second:
// 170,000 times in a day of virtual time. A shutdown would wait for the goroutine, and until then, the workers of library-go's controllers
// would call Get on the closed queue in a loop. That took a quarter of the CPU time of all scenarios. Tests cannot avoid named queues,
// because controllers create their own.
package queues

import (
	"runtime"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
)

// Only the first call of SetProvider in a process has an effect, and an init function of k8s.io/component-base calls it. This init function
// runs earlier: among the packages whose imports are initialized, Go next initializes the one whose import path sorts first. This package
// does not import k8s.io/component-base, and its path sorts before k8s.io.
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

// handled maps queue names to *handledItems. It is global, because the provider is.
var handled sync.Map

// handledItems counts the items that queues with one name have handled. A queue observes the duration of each item once, when the item is
// done.
type handledItems struct{ count atomic.Int64 }

// Observe implements workqueue.HistogramMetric.
func (h *handledItems) Observe(float64) { h.count.Add(1) }

// Handled returns the number of items that all queues with a given name have handled in this process. It returns 0 for an unknown name. The
// queue of a library-go controller has the controller's name.
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

// unfinished is a metric that only the metrics goroutine of a queue sets. Setting it ends that goroutine.
type unfinished struct{}

// Set ends the calling metrics goroutine. The queue's deferred functions release its locks.
func (unfinished) Set(float64) { runtime.Goexit() }
