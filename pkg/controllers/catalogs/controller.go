// Package catalogs keeps the catalog snapshots up to date: it watches CatalogSources in trusted namespaces and all
// ClusterCatalogs, reads a catalog when its content may have changed or when an operator asks for a package that was not
// kept, and tells the other controllers which packages changed.
//
// It does not choose anything. A catalog that cannot be read is noted in the snapshots, where the last good content stays,
// and is tried again with back-off; it never makes this controller fail. Several are read at a time, so that one that hangs
// holds up another only when all workers wait for such ones, and then not longer than a reading may take.
package catalogs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
)

// Name is the controller's name.
const Name = "catalogs"

const (
	// readTimeout bounds one reading: operator-controller raised its own to 5 minutes because large catalogs on slow
	// storage took longer than a minute, and ours keep a worker only, not the controller.
	readTimeout = 5 * time.Minute
	// firstRetry and lastRetry bound the wait after a reading that failed.
	firstRetry, lastRetry = 5 * time.Second, 5 * time.Minute
	// listTimeout bounds how long the start waits to know which catalogs there are, on clusters that lack one of the kinds.
	listTimeout = 5 * time.Second
)

// ReadFunc reads the named packages of one catalog at an endpoint. It must return an error rather than a short list.
type ReadFunc func(ctx context.Context, endpoint string, names []string) ([]catalog.Package, error)

// Config is everything the controller needs; every field is required.
type Config struct {
	Dynamic   dynamic.Interface
	Operators platforminformers.PlatformOperatorInformer
	Managers  operatorinformers.PlatformOperatorManagerInformer
	Snapshots *catalogsource.Snapshots
	Changes   *Changes
	Clock     clock.PassiveClock
	ReadGRPC  ReadFunc
	ReadHTTP  ReadFunc
	Recorder  events.Recorder
}

func (c Config) validate() error {
	if c.Dynamic == nil || c.Operators == nil || c.Managers == nil || c.Snapshots == nil || c.Changes == nil || c.Clock == nil ||
		c.ReadGRPC == nil || c.ReadHTTP == nil || c.Recorder == nil {
		return errors.New("building the catalogs controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	sources   map[string]*source
	operators platformlisters.PlatformOperatorLister
	managers  operatorlisters.PlatformOperatorManagerLister
	snapshots *catalogsource.Snapshots
	changes   *Changes
	backoff   *flowcontrol.Backoff
	clock     clock.PassiveClock

	lock sync.Mutex
	// last is the last good reading of each catalog.
	last map[catalog.ID]reading
	// failed is the identity that could not be read last. Back-off is for that one: somebody who has put the catalog right
	// does not wait for it.
	failed map[catalog.ID]string
}

// source is one kind of catalog: how it is listed, described and read.
type source struct {
	informer cache.SharedIndexInformer
	describe func(*unstructured.Unstructured) description
	read     ReadFunc
}

// reading says until when a good reading holds: as long as the catalog's identity is the same, and, where the identity
// does not tell everything, until it is due again.
type reading struct {
	identity string
	due      time.Time
}

// New builds the controller. Its queue keys are catalog IDs as text, for example "CatalogSource/ns/name". The informers of
// the catalogs themselves are started by Run, and not waited for: a cluster may have none of their kinds.
func New(config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	c := &controller{
		operators: config.Operators.Lister(),
		managers:  config.Managers.Lister(),
		snapshots: config.Snapshots,
		changes:   config.Changes,
		clock:     config.Clock,
		backoff:   flowcontrol.NewBackOff(firstRetry, lastRetry),
		last:      map[catalog.ID]reading{},
		failed:    map[catalog.ID]string{},
		sources: map[string]*source{
			kindCatalogSource:  {informer: newInformer(config.Dynamic, catalogSources), describe: describeCatalogSource, read: config.ReadGRPC},
			kindClusterCatalog: {informer: newInformer(config.Dynamic, clusterCatalogs), describe: describeClusterCatalog, read: config.ReadHTTP},
		},
	}
	syncContext := factory.NewSyncContext(Name, config.Recorder)
	for _, source := range c.sources {
		if err := c.enqueueFrom(source, syncContext); err != nil {
			return nil, err
		}
	}
	return factory.New().
		WithSyncContext(syncContext).
		WithSync(c.sync).
		WithInformersQueueKeysFunc(c.everyCatalog, config.Operators.Informer(), config.Managers.Informer()).
		WithPostStartHooks(c.runInformers).
		ToController(Name, config.Recorder), nil
}

// everyCatalog enqueues all catalogs; for those of which nothing new is wanted the sync is a look-up in memory.
func (c *controller) everyCatalog(runtime.Object) []string {
	var keys []string
	for _, source := range c.sources {
		for _, object := range source.informer.GetStore().List() {
			if catalogObject, ok := object.(*unstructured.Unstructured); ok {
				keys = append(keys, source.describe(catalogObject).id.String())
			}
		}
	}
	slices.Sort(keys)
	return keys
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	id, err := parseID(syncCtx.QueueKey())
	if err != nil {
		return nil // the factory's own first key; nothing of it is ours
	}
	d, found, err := c.lookUp(id)
	if err != nil {
		return err
	}
	wanted, err := c.wantedPackages()
	if err != nil {
		return err
	}
	if !found {
		c.forget(id, wanted)
		return nil
	}
	if d.notServing != "" {
		c.changes.Notify(c.snapshots.SetError(c.info(d, wanted), errors.New(d.notServing)))
		return nil
	}
	if len(wanted) == 0 { // nobody asks, so nothing is sent over the wire
		c.changes.Notify(c.snapshots.Describe(c.info(d, wanted)))
		return nil
	}
	if wait, fresh := c.fresh(d, wanted); fresh {
		c.changes.Notify(c.snapshots.Describe(c.info(d, wanted)))
		if wait > 0 {
			syncCtx.Queue().AddAfter(id.String(), wait)
		}
		return nil
	}
	c.read(ctx, syncCtx, d, wanted)
	return nil
}

// read reads a catalog and stores what came of it. A failure is stored too, and the catalog is queued for later.
func (c *controller) read(ctx context.Context, syncCtx factory.SyncContext, d description, wanted map[string]bool) {
	key, start := d.id.String(), c.clock.Now()
	c.changes.Notify(c.snapshots.Describe(c.info(d, wanted)))
	if c.backoff.IsInBackOffSinceUpdate(key, start) && c.failedAt(d) {
		syncCtx.Queue().AddAfter(key, c.backoff.Get(key))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	packages, err := c.sources[d.id.Kind].read(ctx, d.endpoint, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		c.backoff.Next(key, c.clock.Now())
		c.setFailed(d)
		wait := c.backoff.Get(key)
		klog.Warningf("reading catalog %s: %v; next try in %s", key, err, wait)
		c.changes.Notify(c.snapshots.SetError(c.info(d, wanted), err))
		syncCtx.Queue().AddAfter(key, wait)
		return
	}
	c.backoff.Reset(key)
	last := reading{identity: d.identity}
	if d.poll > 0 {
		last.due = start.Add(d.poll)
		syncCtx.Queue().AddAfter(key, d.poll)
	}
	c.lock.Lock()
	c.last[d.id] = last
	c.lock.Unlock()
	klog.Infof("read %d of %d wanted packages from catalog %s in %s", len(packages), len(wanted), key, c.clock.Since(start).Round(time.Millisecond))
	c.changes.Notify(c.snapshots.Set(c.info(d, wanted), packages))
}

func (c *controller) info(d description, wanted map[string]bool) catalogsource.Info {
	return catalogsource.Info{ID: d.id, Labels: d.labels, Priority: d.priority, Identity: d.identity, Wanted: wanted, At: c.clock.Now()}
}

// fresh says whether the last reading still holds, and after how long to look again.
func (c *controller) fresh(d description, wanted map[string]bool) (wait time.Duration, fresh bool) {
	c.lock.Lock()
	last, found := c.last[d.id]
	c.lock.Unlock()
	snapshot, kept := c.snapshots.Get(d.id)
	if !found || !kept || snapshot.Err != nil || last.identity != d.identity {
		return 0, false
	}
	for name := range wanted {
		if !snapshot.Wanted[name] {
			return 0, false
		}
	}
	if last.due.IsZero() {
		return 0, true
	}
	wait = last.due.Sub(c.clock.Now())
	return wait, wait > 0
}

func (c *controller) failedAt(d description) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.failed[d.id] == d.identity
}

func (c *controller) setFailed(d description) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.failed[d.id] = d.identity
}

func (c *controller) forget(id catalog.ID, wanted map[string]bool) {
	c.lock.Lock()
	delete(c.last, id)
	delete(c.failed, id)
	c.lock.Unlock()
	c.backoff.DeleteEntry(id.String())
	c.changes.Notify(c.snapshots.Delete(id, wanted))
}

// lookUp finds a catalog's object and describes it. A CatalogSource outside the trusted namespaces does not exist for us.
func (c *controller) lookUp(id catalog.ID) (description, bool, error) {
	source, known := c.sources[id.Kind]
	if !known {
		return description{}, false, nil
	}
	key := id.Name
	if id.Namespace != "" {
		key = id.Namespace + "/" + id.Name
		trusted, err := c.trustedNamespaces()
		if err != nil || !slices.Contains(trusted, id.Namespace) {
			return description{}, false, err
		}
	}
	object, exists, err := source.informer.GetStore().GetByKey(key)
	if err != nil || !exists {
		return description{}, false, err
	}
	catalogObject, ok := object.(*unstructured.Unstructured)
	if !ok {
		return description{}, false, fmt.Errorf("reading %s: the cache holds a %T", id, object)
	}
	return source.describe(catalogObject), true, nil
}

func (c *controller) trustedNamespaces() ([]string, error) {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading PlatformOperatorManager: %w", err)
	}
	if err != nil || len(manager.Spec.CatalogNamespaces) == 0 {
		return []string{operatorv1alpha1.DefaultCatalogNamespace}, nil
	}
	return manager.Spec.CatalogNamespaces, nil
}

// wantedPackages are the packages that PlatformOperators name; of everything else in a catalog nothing is kept. It is never
// nil, which would mean all.
func (c *controller) wantedPackages() (map[string]bool, error) {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing PlatformOperators: %w", err)
	}
	wanted := make(map[string]bool, len(operators))
	for _, operator := range operators {
		wanted[operator.Spec.Package.Name] = true
	}
	return wanted, nil
}

// parseID is the reverse of catalog.ID's String.
func parseID(key string) (catalog.ID, error) {
	parts := strings.Split(key, "/")
	switch {
	case len(parts) == 3 && parts[0] == kindCatalogSource:
		return catalog.ID{Kind: parts[0], Namespace: parts[1], Name: parts[2]}, nil
	case len(parts) == 2 && parts[0] == kindClusterCatalog:
		return catalog.ID{Kind: parts[0], Name: parts[1]}, nil
	}
	return catalog.ID{}, fmt.Errorf("%q names no catalog", key)
}
