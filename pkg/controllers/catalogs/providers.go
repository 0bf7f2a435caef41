package catalogs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// providersKey is the queue key for reading the provided kinds, one catalog after another, if the read of the wanted packages did not
// return them. One key uses at most one worker. That is enough, because only operators without a provider of a kind need the result.
const providersKey = "Providers"

// content identifies a catalog's content at the time of a read.
type content struct{ source, content, modified string }

// toContent returns the content of a read. It includes the server's modification time only if there is no digest, because the time also
// changes when the server unpacks the same content again.
func (r lastRead) toContent() content {
	if r.content != "" {
		return content{source: r.source, content: r.content}
	}
	return content{source: r.source, modified: r.modified}
}

// notify notifies the users of packages that changed in a catalog, and the operators that look for providers of a kind. It does nothing if
// no package changed.
func (c *controller) notify(id catalog.ID, changed []string) {
	c.changes.Notify(changed)
	if len(changed) > 0 {
		c.providerChanges.Notify([]string{id.String()})
	}
}

// syncProviders reads the provided kinds of one catalog, if any is due, and then queues providersKey for the others. The catalog with the
// oldest failed attempt is first, so that catalogs that hang do not delay others.
func (c *controller) syncProviders(ctx context.Context, syncCtx factory.SyncContext) error {
	var next time.Duration
	var first func()
	var tried time.Time
	missing, err := c.missingKinds()
	if err != nil {
		return err
	}
	for _, key := range c.allKeys(nil) {
		id, err := parseID(key)
		if err != nil {
			continue
		}
		d, found, err := c.lookUp(id)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		last, wait, due := c.planProviders(d, missing)
		switch at := c.lastProvidersFailure(d.id); {
		case due && wait <= 0 && (first == nil || at.Before(tried)):
			first, tried = func() { c.readProviders(ctx, d, last) }, at
		case due && wait > 0 && (next == 0 || wait < next):
			next = wait
		}
	}
	if first != nil {
		first()
		syncCtx.Queue().Add(providersKey)
		return nil
	}
	if next > 0 {
		syncCtx.Queue().AddAfter(providersKey, next)
	}
	return nil
}

// planProviders decides whether a catalog's provided kinds must be read (due). It returns the read of the content to which the kinds belong
// (last), and how long to wait. The kinds are read at most once for each content, after the wanted packages. They are read only if no
// stored package of this catalog provides a missing kind, or a kind that a wanted package of any catalog requires.
func (c *controller) planProviders(d description, missing []catalog.GVK) (last lastRead, wait time.Duration, due bool) {
	c.lock.Lock()
	last, known := c.last[d.id]
	of, stored := c.providers[d.id]
	failed, hasFailed := c.failedProviders[d.id]
	c.lock.Unlock()
	// If the content has changed, the wanted packages are about to be read, and that read may return the providers.
	if d.notServing != "" || !known || last.source != d.source || last.content != d.content || stored && of == last.toContent() ||
		!c.snapshots.NeedsProviders(d.id, missing) {
		return last, 0, false
	}
	if hasFailed {
		wait = failed.retry(d, c.backoff.Get(providersBackoff(d.id))).Sub(c.clock.Now())
	}
	return last, wait, true
}

// readProviders reads the provided kinds of a catalog for the content of its last read. A failure affects no running operator: it is
// logged, and the read is retried later with backoff.
func (c *controller) readProviders(ctx context.Context, d description, last lastRead) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	start := c.clock.Now()
	answer, err := c.sources[d.id.Kind].read(ctx, Request{Catalog: d.id, Endpoint: d.endpoint, OnlyProviders: true})
	if err == nil && answer.Providers == nil {
		err = errors.New("the answer does not say it")
	}
	if err == nil && last.content == "" && answer.Modified != last.modified {
		err = fmt.Errorf("it was replaced: what was read of it is of %q, and this of %q", last.modified, answer.Modified)
	}
	if err == nil {
		klog.Infof("read the providers of kinds from catalog %s in %s", d.id, c.clock.Since(start).Round(time.Millisecond))
		c.setProviders(d.id, last, answer.Providers)
		return
	}
	key, now := providersBackoff(d.id), c.clock.Now()
	c.lock.Lock()
	defer c.lock.Unlock()
	if _, known := c.last[d.id]; !known {
		return // it was deleted meanwhile
	}
	c.backoff.Next(key, now)
	klog.Warningf("reading the providers of kinds from catalog %s: %v; next try in %s", d.id, err, c.backoff.Get(key))
	c.failedProviders[d.id] = failure{source: d.source, content: d.content, connection: d.connection, at: now}
}

// lastProvidersFailure returns the time of the last failed attempt to read a catalog's provided kinds; zero if there is none.
func (c *controller) lastProvidersFailure(id catalog.ID) time.Time {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.failedProviders[id].at
}

// setProviders stores a catalog's provided kinds from a read, and notifies the operators that look for providers. It does nothing if a
// later read found other content.
func (c *controller) setProviders(id catalog.ID, as lastRead, providers *catalog.Providers) {
	if !c.storeProviders(id, as, providers) {
		return
	}
	if !providers.IsComplete() {
		klog.Warningf("catalog %s provides more kinds than the manager keeps: messages do not name the providers of the others", id)
	}
	c.providerChanges.Notify([]string{id.String()})
}

func (c *controller) storeProviders(id catalog.ID, as lastRead, providers *catalog.Providers) (changed bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if last, known := c.last[id]; !known || last.toContent() != as.toContent() {
		return false
	}
	c.backoff.Reset(providersBackoff(id))
	delete(c.failedProviders, id)
	c.providers[id] = as.toContent()
	return c.snapshots.SetProviders(id, providers)
}

// providersBackoff returns the backoff key for reading the provided kinds of a catalog.
func providersBackoff(id catalog.ID) string { return providersKey + " of " + id.String() }
