// Package catalogs keeps the catalog snapshots up to date. It watches CatalogSources in trusted namespaces and all ClusterCatalogs. It
// reads a catalog when its content may have changed or when a PlatformOperator names a package that is not stored, and notifies the other
// controllers of changed packages. A digest identifies a catalog's content if one is available: that of a ClusterCatalog's resolved image,
// or those of the images in a CatalogSource's pod. While the digest is unchanged, the catalog is not read again, even if its objects
// change.
//
// A read of a whole catalog also returns the kinds that the unwanted packages provide. Without such a read, these kinds are read
// separately, once for each content, if a bundle requires a kind that no stored package provides, or if a BundleDeployment of a
// PlatformOperator lacks such a kind (providersKey).
//
// The package does not select bundles. If a catalog cannot be read, its snapshot gets the error and keeps the last content. The read is
// retried with backoff; the controller does not fail. A worker waits for a read for as long as most reads take, which limits the number of
// reads that start at once. After that, the read continues in the background, so that catalogs that hang do not delay others.
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
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/inventory"
)

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "CatalogController"

const (
	// readTimeout is the maximum duration of one read. It follows operator-controller, which raised its own timeout to 5 minutes because
	// large catalogs on slow storage took longer than a minute. The time includes waits for shared memory.
	readTimeout = 5*time.Minute + catalogsource.MaxWait
	// workerWait is the maximum time that a worker waits for a read. Full-size catalogs are read within seconds.
	workerWait = 5 * time.Second
	// firstRetry and lastRetry are the shortest and the longest delay of the backoff after a failed read.
	firstRetry, lastRetry = 5 * time.Second, 5 * time.Minute
	// operatorWait is the maximum time for which operators wait while a catalog that may contain their package is being read. Full-size
	// catalogs are read within seconds; a slower one is ignored until its read ends.
	operatorWait = 30 * time.Second
	// listTimeout is the maximum time that the start waits for the list of catalogs if the API server does not respond.
	listTimeout = 5 * time.Second
	// listRetry is the time between two checks for that list after listTimeout.
	listRetry = time.Second
)

// Config is everything the controller needs; every field is required.
type Config struct {
	Dynamic dynamic.Interface
	// Kinds holds the kinds that the cluster serves. The caller runs it.
	Kinds     *inventory.Kinds
	Operators platforminformers.PlatformOperatorInformer
	Managers  operatorinformers.PlatformOperatorManagerInformer
	// Deployments shows which kinds the cluster does not serve.
	Deployments coreinformers.BundleDeploymentInformer
	Snapshots   *catalogsource.Snapshots
	Changes     *catalogsource.Changes
	// ProviderChanges notifies when the provided kinds may have changed. Each notification is for an object whose name is the ID of a
	// catalog.
	ProviderChanges *catalogsource.Changes
	Clock           clock.PassiveClock
	ReadGRPC        ReadFunc
	ReadHTTP        ReadFunc
	// SyncContext holds the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
	// Tasks runs the reads that outlast a sync, so that a caller can wait for them.
	Tasks *background.Tasks
	// Register registers metrics.
	Register func(metrics.StableCollector) error
	// Watched is called for every informer that the controller runs itself, before the informer starts. Its arguments are the plural
	// resource name, and a function that sets the handler for list and watch errors.
	Watched func(resource string, listen func(cache.WatchErrorHandlerWithContext) error)
}

func (c Config) validate() error {
	if c.Dynamic == nil || c.Kinds == nil || c.Operators == nil || c.Managers == nil || c.Deployments == nil || c.Snapshots == nil || c.Changes == nil ||
		c.ProviderChanges == nil || c.Clock == nil ||
		c.ReadGRPC == nil || c.ReadHTTP == nil || c.SyncContext == nil || c.Tasks == nil || c.Register == nil || c.Watched == nil {
		return errors.New("building the catalogs controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	sources   map[string]*catalogKind
	operators platformlisters.PlatformOperatorLister
	managers  operatorlisters.PlatformOperatorManagerLister
	// deployments are read to find the kinds that the cluster does not serve.
	deployments corelisters.BundleDeploymentLister
	snapshots   *catalogsource.Snapshots
	changes     *catalogsource.Changes
	// providerChanges reports each catalog whose packages or provided kinds have changed, even if only unwanted packages have changed.
	providerChanges *catalogsource.Changes
	backoff         *flowcontrol.Backoff
	clock           clock.PassiveClock
	tasks           *background.Tasks
	// pods are the pods that serve CatalogSources.
	pods cache.SharedIndexInformer
	// operatorWait and workerWait are equal to the constants of the same names, unless a test changes them.
	operatorWait, workerWait time.Duration

	lock sync.Mutex
	// attempts holds the read of each catalog that is being read, or whose read has ended and waits for a sync to process its result.
	attempts map[catalog.ID]*attempt
	// last is the last successful read of each catalog.
	last map[catalog.ID]lastRead
	// failed holds the failed read of each catalog whose last read failed.
	failed map[catalog.ID]failure
	// providers holds the content from which the provided kinds in the snapshot were read, keyed by catalog. failedProviders holds the last
	// failed attempt to read the provided kinds separately.
	providers       map[catalog.ID]content
	failedProviders map[catalog.ID]failure
}

// catalogKind is one kind of catalog with its functions to list, describe and read.
type catalogKind struct {
	informer *inventory.Optional
	describe func(*unstructured.Unstructured) description
	read     ReadFunc
}

// Controller is library-go's controller with the informers that only it uses.
type Controller struct {
	factory.Controller
	controller *controller
	// needed are the HasSynced functions of the Config's informers. Catalogs can be described only after these are synced.
	needed  []cache.InformerSynced
	syncCtx factory.SyncContext
}

// New returns the controller. Its queue keys are catalog IDs, for example "CatalogSource/ns/name". RunInformers runs the informers of the
// catalogs. Run neither runs them nor waits for them, because a cluster may have none of the kinds.
func New(config Config) (*Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	pods, err := newPodInformer(config.Dynamic)
	if err != nil {
		return nil, err
	}
	sourceInformer, sourceErr := newInformer(config.Dynamic, config.Kinds, CatalogSources)
	clusterInformer, clusterErr := newInformer(config.Dynamic, config.Kinds, ClusterCatalogs)
	if err := errors.Join(sourceErr, clusterErr); err != nil {
		return nil, err
	}
	config.Watched("pods", pods.SetWatchErrorHandlerWithContext)
	config.Watched(CatalogSources.Resource, sourceInformer.SetWatchErrorHandlerWithContext)
	config.Watched(ClusterCatalogs.Resource, clusterInformer.SetWatchErrorHandlerWithContext)
	c := &controller{
		pods:            pods,
		operatorWait:    operatorWait,
		workerWait:      workerWait,
		operators:       config.Operators.Lister(),
		managers:        config.Managers.Lister(),
		deployments:     config.Deployments.Lister(),
		snapshots:       config.Snapshots,
		changes:         config.Changes,
		providerChanges: config.ProviderChanges,
		providers:       map[catalog.ID]content{},
		failedProviders: map[catalog.ID]failure{},
		clock:           config.Clock,
		tasks:           config.Tasks,
		backoff:         flowcontrol.NewBackOff(firstRetry, lastRetry),
		attempts:        map[catalog.ID]*attempt{},
		last:            map[catalog.ID]lastRead{},
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
		WithInformersQueueKeysFunc(c.allKeys, config.Operators.Informer(), config.Managers.Informer()).
		WithFilteredEventsInformersQueueKeyFunc(func(runtime.Object) string { return providersKey }, lacksKinds, config.Deployments.Informer()).
		ToController(ControllerName, config.SyncContext.Recorder())
	return &Controller{
		Controller: built, controller: c, syncCtx: config.SyncContext,
		needed: []cache.InformerSynced{config.Operators.Informer().HasSynced, config.Managers.Informer().HasSynced},
	}, nil
}

// allKeys returns the sorted keys of all catalogs in the caches. Queueing all of them is cheap, because the sync of a catalog sends no
// requests unless a new package is wanted.
func (c *controller) allKeys(runtime.Object) []string {
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

// Keys returns the keys of all catalogs in the caches, and then the key of the kinds that the catalogs provide, which is synced after them.
func (c *Controller) Keys() [][]string {
	return [][]string{c.controller.allKeys(nil), {providersKey}}
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	if syncCtx.QueueKey() == providersKey {
		return c.syncProviders(ctx, syncCtx)
	}
	id, err := parseID(syncCtx.QueueKey())
	if err != nil {
		return nil // the factory's initial key, which is not a catalog
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
		c.remove(id, wanted)
		return nil
	}
	info := c.info(d, wanted)
	defer c.requeueAtGracePeriod(syncCtx, id)
	c.cancelOutdated(d)
	c.storeResult(syncCtx, info)
	if d.notServing != "" {
		c.recordNotServing(info, d)
		return nil
	}
	c.notify(id, c.snapshots.UpdateInfo(info))
	c.notify(id, c.snapshots.Prune(id, wanted))
	syncCtx.Queue().Add(providersKey)
	if !c.pods.HasSynced() && !c.changes.HasSynced() {
		return nil // describeAll queues every catalog when the pods are known
	}
	if kept, _ := c.snapshots.Get(id); kept.Disabled {
		c.notify(info.ID, c.snapshots.SetPending(info))
	}
	if c.inProgress(syncCtx, info) {
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

// recordNotServing stores the reason why a catalog cannot be read or is disabled.
func (c *controller) recordNotServing(info catalogsource.Info, d description) {
	record := c.snapshots.SetError
	if d.disabled {
		record = c.snapshots.Disable
	}
	c.notify(info.ID, record(info, errors.New(d.notServing)))
}

// requeueAtGracePeriod queues a failing catalog for the end of its grace period, when all operators are notified. It does nothing for a
// catalog that does not fail, is disabled, or has passed the grace period.
func (c *controller) requeueAtGracePeriod(syncCtx factory.SyncContext, id catalog.ID) {
	if kept, _ := c.snapshots.Get(id); kept.Err != nil && !kept.Unavailable && !kept.Disabled {
		syncCtx.Queue().AddAfter(id.String(), kept.Failing.Add(catalogsource.GracePeriod).Sub(c.clock.Now()))
	}
}

// plan returns what to read from a serving catalog, and when; false if nothing is to be read. It also clears the recorded error of a
// catalog that serves again.
func (c *controller) plan(d description, wanted map[string]bool) (plan, bool) {
	if len(wanted) == 0 {
		return plan{}, false // no package is wanted, so nothing is requested
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
		c.notify(d.id, c.snapshots.SetPending(c.info(d, wanted))) // it serves again
	}
	if hasFailed {
		// Clear the recorded error, even if no other read is due.
		if !due {
			next, due = plan{at: now, names: names}, true
		}
		if at := failed.retry(d, c.backoff.Get(d.id.String())); at.After(next.at) {
			next.at = at
		}
		return next, due
	}
	if known && kept.Err != nil && (!due || next.at.After(now)) {
		// The catalog serves again, and its content is known or not due yet.
		c.notify(d.id, c.snapshots.SetUnchanged(c.info(d, wanted)))
	}
	return next, due
}

func (c *controller) info(d description, wanted map[string]bool) catalogsource.Info {
	return catalogsource.Info{ID: d.id, Labels: d.labels, Priority: d.priority, Wanted: wanted, At: c.clock.Now()}
}

func (c *controller) remove(id catalog.ID, wanted map[string]bool) {
	c.cancelAttempt(id)
	c.lock.Lock()
	delete(c.last, id)
	delete(c.failed, id)
	delete(c.providers, id)
	delete(c.failedProviders, id)
	c.lock.Unlock()
	c.backoff.DeleteEntry(id.String())
	c.backoff.DeleteEntry(providersBackoff(id))
	c.notify(id, c.snapshots.Delete(id, wanted))
}

// lookUp finds a catalog's object and describes it; false if there is none. It ignores CatalogSources outside of the trusted namespaces.
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

// isTrusted reports whether the manager uses the CatalogSources of a namespace.
func (c *controller) isTrusted(namespace string) (bool, error) {
	trusted, err := c.trustedNamespaces()
	return err == nil && slices.Contains(trusted, namespace), err
}

func (c *controller) trustedNamespaces() ([]string, error) {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading PlatformOperatorManager: %w", err)
	}
	if err != nil || manager.Spec.CatalogNamespaces == nil { // an empty list is not the default: it trusts no namespace
		return []string{operatorv1alpha1.DefaultCatalogNamespace}, nil
	}
	return manager.Spec.CatalogNamespaces, nil
}

// wantedPackages returns the packages that PlatformOperators name. Only these are stored. The result is never nil, because nil would mean
// all packages.
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

// parseID parses the result of catalog.ID's String. It returns an error if the key does not identify a catalog.
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
