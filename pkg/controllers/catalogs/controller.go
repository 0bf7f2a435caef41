// Package catalogs keeps the catalog snapshots up to date: it watches CatalogSources in trusted namespaces and all
// ClusterCatalogs, reads a catalog when its content may have changed or when an operator asks for a package that was not
// kept, and tells the other controllers which packages changed. What a catalog serves is known by a digest where somebody
// says one: a ClusterCatalog's resolved image, the images that a CatalogSource's pod runs. As long as that is the same
// nothing is read again, whatever else changes of the objects.
//
// Which kinds the other packages bring comes along where a catalog is read whole. Where it is not, that is read by itself, once a
// content, when somebody needs a kind that nothing that is kept brings (providersKey).
//
// It does not choose anything. A catalog that cannot be read is noted in the snapshots, where the last good content stays,
// and is tried again with back-off; it never makes this controller fail. A worker stays with a reading for as long as most of them
// take, which bounds how many begin at a time, and leaves one that takes longer to itself: catalogs that hang do not hold up others.
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
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/inventory"
)

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "CatalogController"

const (
	// readTimeout bounds one reading: operator-controller raised its own to 5 minutes because large catalogs on slow
	// storage took longer than a minute, and ours keep nobody waiting. Waits for the memory that all readings share come on top.
	readTimeout = 5*time.Minute + catalogsource.MaxWait
	// attendance is how long a worker stays with a reading. Full-size catalogs are read within seconds.
	attendance = 5 * time.Second
	// firstRetry and lastRetry bound the wait after a reading that failed.
	firstRetry, lastRetry = 5 * time.Second, 5 * time.Minute
	// patience is how long an operator waits for a catalog that is being read and that may have its package. Full-size
	// catalogs are read within seconds; who answers more slowly is left out until the answer is there.
	patience = 30 * time.Second
	// listTimeout bounds how long the start waits to know which catalogs there are, where the API server does not say.
	listTimeout = 5 * time.Second
	// listRetry is how often to see, after that, whether it has.
	listRetry = time.Second
)

// Config is everything the controller needs; every field is required.
type Config struct {
	Dynamic dynamic.Interface
	// Kinds tell which kinds of catalogs the cluster serves; somebody else runs them.
	Kinds     *inventory.Kinds
	Operators platforminformers.PlatformOperatorInformer
	Managers  operatorinformers.PlatformOperatorManagerInformer
	Snapshots *catalogsource.Snapshots
	Changes   *catalogsource.Changes
	// ProviderChanges tell that it may have changed who brings which kinds; their objects are named after catalogs.
	ProviderChanges *catalogsource.Changes
	Clock           clock.PassiveClock
	ReadGRPC        ReadFunc
	ReadHTTP        ReadFunc
	// SyncContext has the controller's queue, and the recorder of Events about the manager itself.
	SyncContext factory.SyncContext
	// Tasks runs what the controller does beside its syncs, so that a caller can wait for it.
	Tasks *background.Tasks
	// Register makes metrics known.
	Register func(metrics.StableCollector) error
	// Watched is told of every informer that the controller runs itself, before any runs: of what kind it is, in the plural, and what
	// takes whom to tell when the API server does not have that listed or watched.
	Watched func(resource string, listen func(cache.WatchErrorHandlerWithContext) error)
}

func (c Config) validate() error {
	if c.Dynamic == nil || c.Kinds == nil || c.Operators == nil || c.Managers == nil || c.Snapshots == nil || c.Changes == nil || c.ProviderChanges == nil || c.Clock == nil ||
		c.ReadGRPC == nil || c.ReadHTTP == nil || c.SyncContext == nil || c.Tasks == nil || c.Register == nil || c.Watched == nil {
		return errors.New("building the catalogs controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	sources   map[string]*catalogKind
	operators platformlisters.PlatformOperatorLister
	managers  operatorlisters.PlatformOperatorManagerLister
	snapshots *catalogsource.Snapshots
	changes   *catalogsource.Changes
	// providerChanges are told whatever changes are told, and what changes of packages that nobody wants.
	providerChanges *catalogsource.Changes
	backoff         *flowcontrol.Backoff
	clock           clock.PassiveClock
	tasks           *background.Tasks
	// pods are what serves CatalogSources.
	pods cache.SharedIndexInformer
	// patience is how long others wait for a catalog that is being read, attendance how long a worker does.
	patience, attendance time.Duration

	lock sync.Mutex
	// attempts are the readings that are under way, and those that have ended and wait for their sync; at most one a catalog.
	attempts map[catalog.ID]*attempt
	// last is the last good reading of each catalog.
	last map[catalog.ID]reading
	// failed is the last reading of each catalog, where that failed.
	failed map[catalog.ID]failure
	// providers is of what content each catalog's snapshot knows who brings which kinds, failedProviders the last attempt to
	// read that by itself, where it failed.
	providers       map[catalog.ID]content
	failedProviders map[catalog.ID]failure
}

// catalogKind is one kind of catalog: how it is listed, described and read.
type catalogKind struct {
	informer *inventory.Optional
	describe func(*unstructured.Unstructured) description
	read     ReadFunc
}

// Controller is library-go's controller with the informers that only it uses.
type Controller struct {
	factory.Controller
	controller *controller
	// needed are informers of others without which catalogs cannot be described.
	needed  []cache.InformerSynced
	syncCtx factory.SyncContext
}

// New builds the controller. Its queue keys are catalog IDs as text, for example "CatalogSource/ns/name". The informers of
// the catalogs themselves are run by RunInformers, not by Run, which does not wait for them: a cluster may have none of them.
func New(config Config) (*Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	pods, err := newPodInformer(config.Dynamic)
	if err != nil {
		return nil, err
	}
	sourceInformer, sourceErr := newInformer(config.Dynamic, config.Kinds, catalogSources)
	clusterInformer, clusterErr := newInformer(config.Dynamic, config.Kinds, clusterCatalogs)
	if err := errors.Join(sourceErr, clusterErr); err != nil {
		return nil, err
	}
	config.Watched("pods", pods.SetWatchErrorHandlerWithContext)
	config.Watched(catalogSources.Resource, sourceInformer.SetWatchErrorHandlerWithContext)
	config.Watched(clusterCatalogs.Resource, clusterInformer.SetWatchErrorHandlerWithContext)
	c := &controller{
		pods:            pods,
		patience:        patience,
		attendance:      attendance,
		operators:       config.Operators.Lister(),
		managers:        config.Managers.Lister(),
		snapshots:       config.Snapshots,
		changes:         config.Changes,
		providerChanges: config.ProviderChanges,
		providers:       map[catalog.ID]content{},
		failedProviders: map[catalog.ID]failure{},
		clock:           config.Clock,
		tasks:           config.Tasks,
		backoff:         flowcontrol.NewBackOff(firstRetry, lastRetry),
		attempts:        map[catalog.ID]*attempt{},
		last:            map[catalog.ID]reading{},
		failed:          map[catalog.ID]failure{},
		sources: map[string]*catalogKind{
			catalog.KindCatalogSource:  {informer: sourceInformer, describe: describeServed(pods), read: config.ReadGRPC},
			catalog.KindClusterCatalog: {informer: clusterInformer, describe: describeClusterCatalog, read: config.ReadHTTP},
		},
	}
	if err := registerAges(config); err != nil {
		return nil, err
	}
	if err := enqueueServed(pods, config.SyncContext); err != nil {
		return nil, err
	}
	for _, source := range c.sources {
		c.enqueueFrom(source, config.SyncContext)
	}
	built := factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformersQueueKeysFunc(c.everyCatalog, config.Operators.Informer(), config.Managers.Informer()).
		ToController(ControllerName, config.SyncContext.Recorder())
	return &Controller{
		Controller: built, controller: c, syncCtx: config.SyncContext,
		needed: []cache.InformerSynced{config.Operators.Informer().HasSynced, config.Managers.Informer().HasSynced},
	}, nil
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
	if syncCtx.QueueKey() == providersKey {
		return c.syncProviders(ctx, syncCtx)
	}
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
	info := c.info(d, wanted)
	defer c.lookAgainWhenAway(syncCtx, id)
	c.abandonOutdated(d)
	c.conclude(syncCtx, info)
	if d.notServing != "" {
		c.leaveOut(info, d)
		return nil
	}
	c.tell(id, c.snapshots.UpdateInfo(info))
	c.tell(id, c.snapshots.Prune(id, wanted))
	syncCtx.Queue().Add(providersKey)
	if !c.pods.HasSynced() && !c.changes.HasSynced() {
		return nil // describeAll queues every catalog once it is known what serves them
	}
	if kept, _ := c.snapshots.Get(id); kept.Disabled {
		c.tell(info.ID, c.snapshots.SetPending(info))
	}
	if c.underWay(syncCtx, info) {
		return nil
	}
	next, due := c.plan(d, wanted)
	if !due {
		return nil
	}
	if wait := next.at.Sub(c.clock.Now()); wait > 0 {
		syncCtx.Queue().AddAfter(id.String(), wait)
		return nil
	}
	return c.read(ctx, syncCtx, d, next)
}

// leaveOut records why a catalog that does not serve is not read.
func (c *controller) leaveOut(info catalogsource.Info, d description) {
	record := c.snapshots.SetError
	if d.withheld {
		record = c.snapshots.Disable
	}
	c.tell(info.ID, record(info, errors.New(d.notServing)))
}

// lookAgainWhenAway queues a catalog that cannot be read for when that is to be told to everybody.
func (c *controller) lookAgainWhenAway(syncCtx factory.SyncContext, id catalog.ID) {
	if kept, _ := c.snapshots.Get(id); kept.Err != nil && !kept.Unavailable && !kept.Disabled {
		syncCtx.Queue().AddAfter(id.String(), kept.Failing.Add(catalogsource.GracePeriod).Sub(c.clock.Now()))
	}
}

// plan says what to read of a catalog that serves, and when; false when nothing.
func (c *controller) plan(d description, wanted map[string]bool) (plan, bool) {
	if len(wanted) == 0 {
		return plan{}, false // nobody asks, so nothing is sent over the wire
	}
	c.lock.Lock()
	last, known := c.last[d.id]
	failed, hasFailed := c.failed[d.id]
	c.lock.Unlock()
	kept, _ := c.snapshots.Get(d.id)
	names, now := slices.Sorted(maps.Keys(wanted)), c.clock.Now()
	next, due := plan{at: now, names: names}, true
	if known {
		next, due = last.next(d, names, kept, now)
	} else if !hasFailed {
		c.tell(d.id, c.snapshots.SetPending(c.info(d, wanted))) // it was not serving, and does
	}
	if hasFailed {
		// Whether or not it is due for another reason: that it failed has to be cleared up.
		if !due {
			next, due = plan{at: now, names: names}, true
		}
		if at := failed.retry(d, c.backoff.Get(d.id.String())); at.After(next.at) {
			next.at = at
		}
		return next, due
	}
	if known && kept.Err != nil && (!due || next.at.After(now)) {
		// It was not serving and does again; what it serves is known, or not due yet.
		c.tell(d.id, c.snapshots.SetUnchanged(c.info(d, wanted)))
	}
	return next, due
}

func (c *controller) info(d description, wanted map[string]bool) catalogsource.Info {
	return catalogsource.Info{ID: d.id, Labels: d.labels, Priority: d.priority, Wanted: wanted, At: c.clock.Now()}
}

func (c *controller) forget(id catalog.ID, wanted map[string]bool) {
	c.abandon(id)
	c.lock.Lock()
	delete(c.last, id)
	delete(c.failed, id)
	delete(c.providers, id)
	delete(c.failedProviders, id)
	c.lock.Unlock()
	c.backoff.DeleteEntry(id.String())
	c.backoff.DeleteEntry(providersBackoff(id))
	c.tell(id, c.snapshots.Delete(id, wanted))
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
		if trusted, err := c.isTrusted(id.Namespace); !trusted {
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

// isTrusted reports whether the CatalogSources of a namespace count.
func (c *controller) isTrusted(namespace string) (bool, error) {
	trusted, err := c.trustedNamespaces()
	return err == nil && slices.Contains(trusted, namespace), err
}

func (c *controller) trustedNamespaces() ([]string, error) {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading PlatformOperatorManager: %w", err)
	}
	if err != nil || manager.Spec.CatalogNamespaces == nil { // an empty list is not the default: it trusts none
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
	case len(parts) == 3 && parts[0] == catalog.KindCatalogSource:
		return catalog.ID{Kind: parts[0], Namespace: parts[1], Name: parts[2]}, nil
	case len(parts) == 2 && parts[0] == catalog.KindClusterCatalog:
		return catalog.ID{Kind: parts[0], Name: parts[1]}, nil
	}
	return catalog.ID{}, fmt.Errorf("%q names no catalog", key)
}
