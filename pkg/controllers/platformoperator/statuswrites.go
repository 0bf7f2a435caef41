package platformoperator

import (
	"sync"
	"time"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/health"
)

// statusWrites holds, for each PlatformOperator, the time at which its status was last written. It is safe for concurrent use. The zero
// value is ready for use.
type statusWrites struct {
	lock sync.Mutex
	last map[string]time.Time
}

// wait returns how long to delay the write of an operator's status if only the progress has changed. It returns zero if the status can be
// written now.
func (w *statusWrites) wait(operator *platformv1alpha1.PlatformOperator, now time.Time) time.Duration {
	pause := health.StatusInterval
	if operator.DeletionTimestamp != nil {
		pause = health.RemovalInterval
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	return max(w.last[operator.Name].Add(pause).Sub(now), 0)
}

func (w *statusWrites) record(name string, now time.Time) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.last == nil {
		w.last = map[string]time.Time{}
	}
	w.last[name] = now
}

func (w *statusWrites) forget(name string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	delete(w.last, name)
}
