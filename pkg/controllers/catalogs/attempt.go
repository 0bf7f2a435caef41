package catalogs

import (
	"context"
	"errors"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/panics"
)

// attempt is a read that is running or has ended. Only the catalog's sync stores its result. So a catalog has only one writer, even if the
// read takes long or the catalog changes in the meantime.
type attempt struct {
	// description and plan are the inputs of the read.
	description
	plan
	started time.Time
	cancel  context.CancelFunc
	// done is closed after the fields below are written.
	done   chan struct{}
	result Result
	err    error
	ended  time.Time
}

// maxAttempts is the maximum number of concurrent reads, which also limits the memory for their messages. The other catalogs have to wait
// only if this many catalogs hang, and then at most for the timeout of a read.
const maxAttempts = 16

// read starts the planned read of a catalog, and waits for it at most workerWait. If the read takes longer, the catalog is queued when it
// ends. If maxAttempts reads are already running, it only queues the catalog for a later attempt.
func (c *controller) read(ctx context.Context, syncCtx factory.SyncContext, d description, p plan) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	a := &attempt{description: d, plan: p, started: c.clock.Now(), cancel: cancel, done: make(chan struct{})}
	c.lock.Lock()
	if len(c.attempts) >= maxAttempts {
		c.lock.Unlock()
		cancel()
		syncCtx.Queue().AddAfter(d.id.String(), firstRetry)
		return nil
	}
	c.attempts[d.id] = a
	c.lock.Unlock()
	c.tasks.Go(func() {
		if !c.tasks.Await { // else this sync stores the result
			defer syncCtx.Queue().Add(d.id.String())
		}
		defer close(a.done)
		defer cancel()
		a.err = panics.ToError("reading catalog "+d.id.String(), func() (err error) {
			a.result, err = c.sources[d.id.Kind].read(ctx, Request{Catalog: d.id, Endpoint: d.endpoint, Names: p.names, Since: p.since})
			return err
		})
		a.ended = c.clock.Now()
	})
	waited := time.NewTimer(c.workerWait)
	defer waited.Stop()
	select {
	case <-a.done:
	case <-waited.C:
	}
	// Look up the catalog and the wanted packages again, because they may have changed during the wait. The attempt may still be running.
	now, found, err := c.lookUp(d.id)
	if err != nil || !found {
		return err // the deletion has queued the catalog
	}
	wanted, err := c.wantedPackages()
	if err != nil {
		return err
	}
	info := c.info(now, wanted)
	c.cancelOutdated(now)
	c.storeResult(syncCtx, info)
	c.inProgress(syncCtx, info)
	return nil
}

// cancelOutdated cancels a read of a catalog that has since changed or been disabled. Otherwise the result would be stored for the current
// state, and the current state would not be read before the old read ends.
func (c *controller) cancelOutdated(d description) {
	a := c.attemptOf(d.id)
	if a != nil && (d.disabled || a.source != d.source || a.content != d.content && a.content != "" && d.content != "") {
		c.cancelAttempt(d.id)
	}
}

// storeResult stores the result of a read that has ended, and removes the attempt. If the read failed, it stores the failure and queues the
// catalog for a retry. It does nothing while the read is running, or if there is none.
func (c *controller) storeResult(syncCtx factory.SyncContext, info catalogsource.Info) {
	a := c.attemptOf(info.ID)
	if a == nil {
		return
	}
	select {
	case <-a.done:
	default:
		return
	}
	c.cancelAttempt(info.ID)
	if a.err == nil {
		c.storeRead(info, a)
		return
	}
	if errors.Is(a.err, catalogsource.ErrNotRead) { // a reader without a network has no content of the catalog
		return
	}
	wait := c.recordFailure(a.description)
	klog.Warningf("reading catalog %s: %v; next try in %s", info.ID, a.err, wait)
	c.notify(info.ID, c.snapshots.SetError(info, a.err))
	syncCtx.Queue().AddAfter(info.ID.String(), wait)
}

// inProgress reports whether a catalog is being read. If the read takes longer than operatorWait, inProgress records an error for the
// catalog, so that operators that need one of its packages no longer wait.
func (c *controller) inProgress(syncCtx factory.SyncContext, info catalogsource.Info) bool {
	a := c.attemptOf(info.ID)
	if a == nil {
		return false
	}
	if left := a.started.Add(c.operatorWait).Sub(info.At); left > 0 {
		syncCtx.Queue().AddAfter(info.ID.String(), left)
		return true
	}
	if kept, _ := c.snapshots.Get(info.ID); kept.Err == nil { // with an error, no operator waits for it
		slow := errStillReading{c.operatorWait}
		klog.Warningf("reading catalog %s: %v", info.ID, slow)
		c.notify(info.ID, c.snapshots.SetError(info, slow))
	}
	return true
}

func (c *controller) attemptOf(id catalog.ID) *attempt {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.attempts[id]
}

// cancelAttempt cancels the read of a catalog, if there is one, and discards its result.
func (c *controller) cancelAttempt(id catalog.ID) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if a := c.attempts[id]; a != nil {
		a.cancel()
		delete(c.attempts, id)
	}
}
