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

// providersKey is the queue key under which is read, one catalog after another, who brings which kinds, where that did not come
// along with the wanted packages. It is one key so that it takes one worker at most: nobody waits for it but who lacks a kind,
// and he is told something meanwhile.
const providersKey = "Providers"

// content is what a catalog had when it was read, as far as that can be told.
type content struct{ serves, content, modified string }

// of is the content of a reading. What the server says of when it changed counts only where nothing names the content: one
// that is unpacked again is the same.
func (r reading) of() content {
	if r.content != "" {
		return content{serves: r.serves, content: r.content}
	}
	return content{serves: r.serves, modified: r.modified}
}

// tell lets those know who want these packages, of which a catalog now says something else, and those who look for what brings
// a kind.
func (c *controller) tell(id catalog.ID, changed []string) {
	c.changes.Notify(changed)
	if len(changed) > 0 {
		c.providerChanges.Notify([]string{id.String()})
	}
}

// syncProviders reads of one catalog who brings which kinds, if that is due of any, and looks at the others afterwards. The
// one that was tried longest ago comes first, so that those which hang do not hold up the others.
func (c *controller) syncProviders(ctx context.Context, syncCtx factory.SyncContext) error {
	var next time.Duration
	var first func()
	var tried time.Time
	for _, key := range c.everyCatalog(nil) {
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
		last, wait, due := c.planProviders(d)
		switch at := c.providersTried(d.id); {
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

// planProviders says whether to read who brings which kinds in a catalog, of what content that is, and how long to wait. It is
// read at most once of a content, after the wanted packages, and only if one of these, in whatever catalog, requires a kind that
// none of this catalog's brings.
func (c *controller) planProviders(d description) (last reading, wait time.Duration, due bool) {
	c.lock.Lock()
	last, known := c.last[d.id]
	of, told := c.providers[d.id]
	failed, hasFailed := c.failedProviders[d.id]
	c.lock.Unlock()
	// Of other content than what is served now the wanted packages are about to be read, and then this may be known.
	if d.notServing != "" || !known || last.serves != d.serves || last.content != d.content || told && of == last.of() || !c.snapshots.NeedsProviders(d.id) {
		return last, 0, false
	}
	if hasFailed {
		wait = failed.retry(d, c.backoff.Get(providersBackoff(d.id))).Sub(c.clock.Now())
	}
	return last, wait, true
}

// readProviders reads who brings which kinds in a catalog whose last reading was this one. When that fails, nothing is lost that
// anybody runs from: it is logged, and tried again later.
func (c *controller) readProviders(ctx context.Context, d description, last reading) {
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
		klog.Infof("read who brings which kinds from catalog %s in %s", d.id, c.clock.Since(start).Round(time.Millisecond))
		c.setProviders(d.id, last, answer.Providers)
		return
	}
	key, now := providersBackoff(d.id), c.clock.Now()
	c.lock.Lock()
	defer c.lock.Unlock()
	if _, known := c.last[d.id]; !known {
		return // it has gone meanwhile
	}
	c.backoff.Next(key, now)
	klog.Warningf("reading who brings which kinds from catalog %s: %v; next try in %s", d.id, err, c.backoff.Get(key))
	c.failedProviders[d.id] = failure{serves: d.serves, content: d.content, connection: d.connection, at: now}
}

// providersTried is when it was last tried in vain to read who brings which kinds in a catalog; zero when it was not.
func (c *controller) providersTried(id catalog.ID) time.Time {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.failedProviders[id].at
}

// setProviders stores who brings which kinds in a catalog as of a reading, unless there has been another one since.
func (c *controller) setProviders(id catalog.ID, as reading, providers *catalog.Providers) {
	if !c.storeProviders(id, as, providers) {
		return
	}
	if !providers.IsComplete() {
		klog.Warningf("catalog %s brings more kinds than are kept: who needs one of the others is not told which packages bring it", id)
	}
	c.providerChanges.Notify([]string{id.String()})
}

func (c *controller) storeProviders(id catalog.ID, as reading, providers *catalog.Providers) (changed bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if last, known := c.last[id]; !known || last.of() != as.of() {
		return false
	}
	c.backoff.Reset(providersBackoff(id))
	delete(c.failedProviders, id)
	c.providers[id] = as.of()
	return c.snapshots.SetProviders(id, providers)
}

// providersBackoff is the key of back-off for reading who brings which kinds.
func providersBackoff(id catalog.ID) string { return providersKey + " of " + id.String() }
