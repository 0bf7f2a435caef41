package catalogs

import (
	"context"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/panics"
)

// attempt is a reading that is under way, or has ended. Only a sync of its catalog stores what came of it, so that a catalog
// has one writer, however long the reading takes and whatever becomes of the catalog meanwhile.
type attempt struct {
	// description and plan are what it was begun for.
	description
	plan
	began  time.Time
	cancel context.CancelFunc
	// done is closed when the fields below have been written.
	done   chan struct{}
	answer Answer
	err    error
	ended  time.Time
}

// maxAttempts bounds how many readings run at a time, and with them what their messages take of memory. As many catalogs have to
// hang before others wait for them, and then not longer than a reading may take.
const maxAttempts = 16

// read begins to read a catalog as planned and stays with it for a while. When the reading ends later, the catalog is queued.
func (c *controller) read(ctx context.Context, syncCtx factory.SyncContext, d description, p plan) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	a := &attempt{description: d, plan: p, began: c.clock.Now(), cancel: cancel, done: make(chan struct{})}
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
		defer syncCtx.Queue().Add(d.id.String())
		defer close(a.done)
		defer cancel()
		a.err = panics.ToError("reading catalog "+d.id.String(), func() (err error) {
			a.answer, err = c.sources[d.id.Kind].read(ctx, Request{Catalog: d.id, Endpoint: d.endpoint, Names: p.names, Since: p.since})
			return err
		})
		a.ended = c.clock.Now()
	})
	attended := time.NewTimer(c.attendance)
	defer attended.Stop()
	select {
	case <-a.done:
	case <-attended.C:
	}
	// Whether it has ended or is to be waited for, the rest is as for every sync that finds it: what the catalog is and who asks
	// for what may have changed meanwhile.
	now, found, err := c.lookUp(d.id)
	if err != nil || !found {
		return err // whoever deleted it has had it queued
	}
	wanted, err := c.wantedPackages()
	if err != nil {
		return err
	}
	info := c.info(now, wanted)
	c.abandonOutdated(now)
	c.conclude(syncCtx, info)
	c.underWay(syncCtx, info)
	return nil
}

// abandonOutdated forgets the reading of what a catalog no longer is: it would count for what is there now, or that would not be
// read before it ends.
func (c *controller) abandonOutdated(d description) {
	a := c.attemptOf(d.id)
	if a != nil && (d.withheld || a.serves != d.serves || a.content != d.content && a.content != "" && d.content != "") {
		c.abandon(d.id)
	}
}

// conclude stores what came of a reading that has ended. A failure is stored too, and the catalog is queued for later; after a
// good reading what has become due meanwhile is found out by looking again.
func (c *controller) conclude(syncCtx factory.SyncContext, info catalogsource.Info) {
	a := c.attemptOf(info.ID)
	if a == nil {
		return
	}
	select {
	case <-a.done:
	default:
		return
	}
	c.abandon(info.ID)
	if a.err == nil {
		c.succeeded(info, a)
		return
	}
	wait := c.fail(a.description)
	klog.Warningf("reading catalog %s: %v; next try in %s", info.ID, a.err, wait)
	c.tell(info.ID, c.snapshots.SetError(info, a.err))
	syncCtx.Queue().AddAfter(info.ID.String(), wait)
}

// underWay says whether a catalog is being read. Those who need a package that the catalog may have wait only so long, and then
// learn why.
func (c *controller) underWay(syncCtx factory.SyncContext, info catalogsource.Info) bool {
	a := c.attemptOf(info.ID)
	if a == nil {
		return false
	}
	if left := a.began.Add(c.patience).Sub(info.At); left > 0 {
		syncCtx.Queue().AddAfter(info.ID.String(), left)
		return true
	}
	if kept, _ := c.snapshots.Get(info.ID); kept.Err == nil { // else it failed before, and nobody waits for it
		slow := errStillReading{c.patience}
		klog.Warningf("reading catalog %s: %v", info.ID, slow)
		c.tell(info.ID, c.snapshots.SetError(info, slow))
	}
	return true
}

func (c *controller) attemptOf(id catalog.ID) *attempt {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.attempts[id]
}

// abandon forgets the reading of a catalog. One that is under way is ended, and nobody looks at what comes of it.
func (c *controller) abandon(id catalog.ID) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if a := c.attempts[id]; a != nil {
		a.cancel()
		delete(c.attempts, id)
	}
}
