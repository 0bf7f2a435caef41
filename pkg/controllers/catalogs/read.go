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

// Request is what to read of one catalog.
type Request struct {
	// Catalog is the catalog to read.
	Catalog catalog.ID
	// Endpoint is a gRPC address or an HTTPS base URL.
	Endpoint string
	// Names are the packages to read, sorted.
	Names []string
	// Since is the Modified of an earlier reading of these names, when nothing else says that the content has changed.
	Since string
	// OnlyProviders asks for no package, and in any case for who brings which kinds.
	OnlyProviders bool
}

// Answer is what a reading gave.
type Answer struct {
	// Packages are sorted by name; a package that the catalog does not have is not among them.
	Packages []catalog.Package
	// Providers says of all packages of the catalog which bring which kinds; nil where the reading did not go through all.
	Providers *catalog.Providers
	// Modified is for the Since of the next request; empty where the protocol has nothing of the kind.
	Modified string
	// NotModified says that nothing has changed since Request.Since; Packages is then empty.
	NotModified bool
}

// ReadFunc reads packages of one catalog. It must return an error rather than a short list.
type ReadFunc func(context.Context, Request) (Answer, error)

// maxLogged bounds how many packages one line of the log names.
const maxLogged = 32

// errStillReading is said of a catalog that takes its time: who needs a package that it may have does not wait for it any
// longer, and learns why.
type errStillReading struct{ patience time.Duration }

func (e errStillReading) Error() string {
	return fmt.Sprintf("it is still being read after %s; what it has counts as soon as that ends", e.patience)
}

// succeeded stores what was read.
func (c *controller) succeeded(info catalogsource.Info, a *attempt) {
	key, took := a.id.String(), a.ended.Sub(a.began)
	info.At, info.Wanted = a.began, c.wantedWith(a.id, a.plan)
	last := reading{serves: a.serves, content: a.content, connection: a.connection,
		names: slices.Sorted(maps.Keys(info.Wanted)), modified: cmp.Or(a.answer.Modified, a.since), began: a.began, took: took}
	c.succeed(a.description, last)
	if a.answer.Providers != nil { // before the packages, so that who is told of these finds it
		c.setProviders(a.id, last, a.answer.Providers)
	}
	if a.answer.NotModified {
		klog.V(2).Infof("catalog %s has not changed", key)
		c.tell(a.id, c.snapshots.SetUnchanged(info))
		return
	}
	packages := a.answer.Packages
	if a.more {
		packages = c.withKept(a.id, packages)
	}
	info.Identity = cmp.Or(a.content, digest(packages))
	changed := c.snapshots.Set(info, packages)
	klog.Infof("read %d of %d wanted packages from catalog %s in %s; changed: %q", len(a.answer.Packages), len(a.names), key,
		took.Round(time.Millisecond), changed[:min(len(changed), maxLogged)])
	c.tell(a.id, changed)
}

// wantedWith is what will be known of a catalog after the planned reading.
func (c *controller) wantedWith(id catalog.ID, p plan) map[string]bool {
	wanted := map[string]bool{}
	if p.more {
		if kept, found := c.snapshots.Get(id); found {
			maps.Copy(wanted, kept.Wanted)
		}
	}
	for _, name := range p.names {
		wanted[name] = true
	}
	return wanted
}

// withKept adds to packages those that were read of the same content before.
func (c *controller) withKept(id catalog.ID, packages []catalog.Package) []catalog.Package {
	kept, _ := c.snapshots.Get(id)
	all := slices.Concat(kept.Packages, packages)
	slices.SortFunc(all, func(a, b catalog.Package) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// fail notes a failure and returns how long to wait.
func (c *controller) fail(d description) time.Duration {
	key, now := d.id.String(), c.clock.Now()
	c.backoff.Next(key, now)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.failed[d.id] = failure{serves: d.serves, content: d.content, connection: d.connection, at: now}
	return c.backoff.Get(key)
}

func (c *controller) succeed(d description, last reading) {
	c.backoff.Reset(d.id.String())
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.failed, d.id)
	c.last[d.id] = last
}

// digest names content that nothing else names.
func digest(packages []catalog.Package) string {
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(packages); err != nil {
		return "" // not reached: packages are strings, lists and maps of them
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil))
}
