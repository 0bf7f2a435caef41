package catalogs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
)

// Request selects the content to read of one catalog.
type Request struct {
	// Catalog is the catalog to read.
	Catalog catalog.ID
	// Endpoint is a gRPC address or an HTTPS base URL.
	Endpoint string
	// Names are the packages to read, sorted.
	Names []string
	// Since is the Modified value of an earlier result for these names; empty for an unconditional read. It is set only if nothing else
	// shows that the content has changed.
	Since string
	// OnlyProviders requests only the provided kinds of all packages, without the packages themselves.
	OnlyProviders bool
}

// Result is the result of a read.
type Result struct {
	// Packages are sorted by name; packages that the catalog does not have are omitted.
	Packages []catalog.Package
	// Providers holds the provided kinds of all packages; nil if the read did not return all packages.
	Providers *catalog.Providers
	// Modified is the value of Since for the next request; empty if the protocol has none.
	Modified string
	// NotModified is true if the content is unchanged since Request.Since. Packages is then empty.
	NotModified bool
}

// ReadFunc reads packages of one catalog. It must never return a partial list without an error.
type ReadFunc func(context.Context, Request) (Result, error)

// maxLogged is the maximum number of packages that a log line names.
const maxLogged = 32

// errStillReading is the error for a catalog whose read takes longer than operatorWait. Operators that may need its packages then stop
// waiting and report this error.
type errStillReading struct{ wait time.Duration }

func (e errStillReading) Error() string {
	return fmt.Sprintf("reading it has taken more than %s so far; its content is used when the read ends", e.wait)
}

// storeRead stores the result of a successful read in the snapshots, and notifies the users of changed packages.
func (c *controller) storeRead(info catalogsource.Info, a *attempt) {
	key, took := a.id.String(), a.ended.Sub(a.started)
	info.At, info.Wanted = a.started, c.wantedWith(a.id, a.plan)
	last := lastRead{source: a.source, content: a.content, connection: a.connection,
		names: slices.Sorted(maps.Keys(info.Wanted)), modified: cmp.Or(a.result.Modified, a.since), started: a.started, took: took}
	c.recordSuccess(a.description, last)
	if a.result.Providers != nil { // before the packages, whose users are then notified and need the providers
		c.setProviders(a.id, last, a.result.Providers)
	}
	if a.result.NotModified {
		klog.V(2).Infof("catalog %s has not changed", key)
		c.notify(a.id, c.snapshots.SetUnchanged(info))
		return
	}
	packages := a.result.Packages
	if a.additional {
		packages = c.withKept(a.id, packages)
	}
	info.Identity = cmp.Or(a.content, digest(packages))
	changed := c.snapshots.Set(info, packages)
	klog.Infof("read %d of %d wanted packages from catalog %s in %s; changed: %q", len(a.result.Packages), len(a.names), key,
		took.Round(time.Millisecond), changed[:min(len(changed), maxLogged)])
	c.notify(a.id, changed)
}

// wantedWith returns the packages that the snapshot covers after a planned read.
func (c *controller) wantedWith(id catalog.ID, p plan) map[string]bool {
	wanted := map[string]bool{}
	if p.additional {
		if kept, found := c.snapshots.Get(id); found {
			maps.Copy(wanted, kept.Wanted)
		}
	}
	for _, name := range p.names {
		wanted[name] = true
	}
	return wanted
}

// withKept returns the packages together with the stored packages of the same content, sorted by name.
func (c *controller) withKept(id catalog.ID, packages []catalog.Package) []catalog.Package {
	kept, _ := c.snapshots.Get(id)
	all := slices.Concat(kept.Packages, packages)
	slices.SortFunc(all, func(a, b catalog.Package) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// recordFailure records a failed read and returns the time until the next attempt.
func (c *controller) recordFailure(d description) time.Duration {
	key, now := d.id.String(), c.clock.Now()
	c.backoff.Next(key, now)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.failed[d.id] = failure{source: d.source, content: d.content, connection: d.connection, at: now}
	return c.backoff.Get(key)
}

func (c *controller) recordSuccess(d description, last lastRead) {
	c.backoff.Reset(d.id.String())
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.failed, d.id)
	c.last[d.id] = last
}

// digest returns a hash of the packages, for a catalog whose content has no digest.
func digest(packages []catalog.Package) string {
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(packages); err != nil {
		return "" // not reached: packages consist of strings, lists and maps
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil))
}
