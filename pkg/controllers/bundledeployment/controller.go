// Package bundledeployment reconciles BundleDeployments. It fetches and renders the content of the source, and stores it as a numbered
// revision. It rolls the revision out, reverts drift of the active revision, and removes all objects when the BundleDeployment is deleted.
//
// A sync depends only on the spec, the stored revisions and the applied objects, so that it can continue after a crash at any point. Slow
// work, such as requests to registries, runs in the background and queues the BundleDeployment when it ends. A revision that has been
// stored no longer needs its source. A user's error is a condition of the BundleDeployment, never an error of the controller.
//
// A revision has a deadline. Its start time is written to the status before any object is written. A revision that misses the deadline is
// held or rolled back, as the spec requests. It is not tried again before the next attempt begins (attempt.Of).
//
// The package does not depend on catalogs and versions. It reads only the names and UIDs of PlatformOperators. The creator of a
// BundleDeployment learns the result from the status.
package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/certificates"
	coreclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/core/v1alpha2"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/deploymentmetrics"
	"github.com/openshift/platform-operators/pkg/lastwrite"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// Name is the controller's name. Its field manager for status is "platform-operators-" followed by this name.
const Name = "bundledeployment"

// ControllerName is the controller's name in library-go's log, in the metrics for its work queue, and in the errors of failed syncs.
const ControllerName = "BundleDeploymentController"

// firstPause is the time until the next sync after the first failed write.
const firstPause = 250 * time.Millisecond

const fieldManager = "platform-operators-" + Name

// Config is everything the controller needs; every field is required.
type Config struct {
	Client      coreclient.BundleDeploymentInterface
	Deployments coreinformers.BundleDeploymentInformer
	Bundles     coreinformers.BundleInformer
	Classes     coreinformers.ProvisionerClassInformer
	// Operators provides the PlatformOperators: a BundleDeployment must not have the name of a PlatformOperator that does not own it.
	Operators platforminformers.PlatformOperatorInformer
	// Definitions notifies of CustomResourceDefinitions whose owner may have changed.
	Definitions factory.Informer
	// Namespace is the manager's own namespace. Secrets is the client for the Secrets in it, which store the revisions.
	Namespace string
	Secrets   corev1client.SecretInterface
	Discovery discovery.CachedDiscoveryInterface
	// Plans stores the text of plans that need an approval, and Policies are the admission policies without which no approval counts.
	Plans    plans
	Policies policies
	// Identities provides the identities of ServiceAccounts, and Accounts reads the ServiceAccounts.
	Identities identities
	Accounts   corev1client.ServiceAccountsGetter
	// Engine applies, watches and removes objects. When an object changes, it adds the object's BundleDeployment to the queue of
	// SyncContext.
	Engine  *apply.Engine
	Content *store.Content
	// Sources opens the source of a BundleDeployment.
	Sources source.Opener
	// OnImageConfigChange registers a function that is called when the cluster's image configuration changes, so that failed fetches are
	// retried. Its argument is the namespace to which the change is limited; empty if it is not. OnImageConfigChange may be nil.
	OnImageConfigChange func(changed func(namespace string))
	// Fetches is the maximum number of concurrent fetches from one host.
	Fetches int
	// BackoffFirst and BackoffLast are the shortest and the longest delay of the exponential backoff after failures.
	BackoffFirst, BackoffLast time.Duration
	Clock                     clock.PassiveClock
	// SyncContext holds the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
	// Events records Events about BundleDeployments.
	Events record.EventRecorder
	// Tasks runs the fetches, so that a caller can wait for them.
	Tasks *background.Tasks
	// Synced is called with the name of a BundleDeployment each time its sync has ended, with or without an error.
	Synced func(name string)
	// Stored watches the Secrets that store revisions.
	Stored cache.SharedIndexInformer
	// Grants returns how often the manager has regained a permission to write; see revisions.Saver.
	Grants func() int
	// Register registers a metric.
	Register func(metrics.Registerable) error
}

func (c Config) validate() error {
	if c.Client == nil || c.Deployments == nil || c.Bundles == nil || c.Classes == nil || c.Operators == nil || c.Definitions == nil || c.Namespace == "" || c.Secrets == nil || c.Stored == nil ||
		c.Discovery == nil || c.Identities == nil || c.Accounts == nil || c.Plans == nil || c.Policies == nil || c.Engine == nil || c.Content == nil || c.Sources == nil || c.Fetches <= 0 || c.BackoffFirst <= 0 || c.BackoffLast < c.BackoffFirst ||
		c.Clock == nil || c.SyncContext == nil || c.Events == nil || c.Tasks == nil || c.Synced == nil || c.Grants == nil || c.Register == nil {
		return errors.New("building the bundledeployment controller: a field of its Config is not set")
	}
	return nil
}

// certificateFinder finds the component that provides certificates. The result is empty if the cluster has none. *certificates.Finder
// implements it.
type certificateFinder interface {
	// Current sends a request to the cluster. Recent may return a result that is some seconds old.
	Current() (bundle.CertificateProvider, error)
	Recent() (bundle.CertificateProvider, error)
}

type controller struct {
	client      coreclient.BundleDeploymentInterface
	deployments corelisters.BundleDeploymentLister
	sources     source.Opener
	classes     corelisters.ProvisionerClassLister
	operators   platformlisters.PlatformOperatorLister
	revisions   *store.Revisions
	applier     applier
	remover     remover
	checker     checker
	definitions definitionChecker
	dryRunner   dryRunner
	watcher     watcher
	plans       plans
	admission   policies
	identities  identities
	accounts    corev1client.ServiceAccountsGetter
	// managerNamespace is the manager's own namespace, in which nothing is installed.
	managerNamespace string
	fetches          *source.Jobs[unpack.Request, unpack.Rendering]
	certificates     certificateFinder
	// backoff is the backoff after failed fetches and refusals. pauses is the backoff after failed writes, which starts with shorter delays
	// because the next write usually succeeds.
	backoff, pauses source.Backoff
	clock           clock.PassiveClock
	events          record.EventRecorder
	metrics         *deploymentmetrics.Metrics
	synced          func(name string)
	grants          func() int
	// isOneRound is true if the process ends after one sync of each BundleDeployment.
	isOneRound bool

	// cacheVersion returns the resourceVersion up to which the informer for BundleDeployments has received events.
	cacheVersion func() string

	mu       sync.Mutex
	memories map[string]*memory
	// changedRevisions holds the numbers of the revisions for which a Secret was created, deleted or changed, keyed by BundleDeployment.
	changedRevisions map[string]sets.Set[int64]
	// refusedDefinitions holds the name of the CustomResourceDefinition that the last apply of a BundleDeployment refused to change, keyed
	// by BundleDeployment.
	refusedDefinitions map[string]string
	// newestVersion is the newest result of cacheVersion since the last restore. restores is the number of times that a backup of etcd was
	// restored.
	newestVersion string
	restores      int
}

// New returns the controller; its queue keys are BundleDeployment names. The end of ctx ends its fetches, so ctx must be the context that
// the controller runs with. New does not start anything. It returns an error if a required field of the Config is not set.
func New(ctx context.Context, config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	waits := source.Backoff{First: config.BackoffFirst, Last: config.BackoffLast}
	c := &controller{
		client:             config.Client,
		deployments:        config.Deployments.Lister(),
		sources:            config.Sources,
		classes:            config.Classes.Lister(),
		operators:          config.Operators.Lister(),
		revisions:          store.NewRevisions(config.Secrets),
		applier:            config.Engine,
		remover:            config.Engine,
		checker:            config.Engine,
		definitions:        config.Engine,
		dryRunner:          config.Engine,
		watcher:            config.Engine,
		plans:              config.Plans,
		admission:          config.Policies,
		identities:         config.Identities,
		accounts:           config.Accounts,
		managerNamespace:   config.Namespace,
		certificates:       certificates.NewFinder(config.Discovery, config.Clock),
		backoff:            waits,
		pauses:             source.Backoff{First: firstPause, Last: config.BackoffLast},
		clock:              config.Clock,
		events:             config.Events,
		synced:             config.Synced,
		grants:             config.Grants,
		isOneRound:         config.Tasks.Await,
		cacheVersion:       config.Deployments.Informer().LastSyncResourceVersion,
		memories:           map[string]*memory{},
		changedRevisions:   map[string]sets.Set[int64]{},
		refusedDefinitions: map[string]string{},
	}
	var err error
	if c.metrics, err = deploymentmetrics.New(config.Register); err != nil {
		return nil, fmt.Errorf("building the bundledeployment controller: %w", err)
	}
	c.fetches, err = source.NewJobs(ctx, source.JobsConfig[unpack.Request, unpack.Rendering]{
		Do:      newRenderer(config.Content, c.certificates).Render,
		Host:    func(request unpack.Request) string { return request.Source.Host() },
		Done:    func(job string) { config.SyncContext.Queue().Add(deploymentOf(job)) },
		PerHost: config.Fetches,
		Total:   source.SlowHosts * config.Fetches,
		Backoff: waits,
		Clock:   config.Clock,
		Tasks:   config.Tasks,
	})
	if err != nil {
		return nil, fmt.Errorf("building the bundledeployment controller: %w", err)
	}
	if config.OnImageConfigChange != nil {
		config.OnImageConfigChange(func(namespace string) {
			c.fetches.RetryFailed(func(failed unpack.Request) bool { return namespace == "" || failed.Namespace == namespace })
		})
	}
	err = c.revisions.Watch(config.Stored, config.Namespace, func(deployment string, number int64) {
		c.markChanged(deployment, number)
		config.SyncContext.Queue().Add(deployment)
	})
	if err != nil {
		return nil, fmt.Errorf("building the bundledeployment controller: %w", err)
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithBareInformers(config.Stored).
		WithInformersQueueKeysFunc(c.deploymentsOfClass, config.Classes.Informer()).
		WithInformersQueueKeysFunc(c.deploymentsOfBundle, config.Bundles.Informer()).
		WithInformersQueueKeysFunc(c.deploymentsOfDefinition, config.Definitions).
		WithFilteredEventsInformersQueueKeyFunc(factory.ObjectNameToKey, c.concernsName, config.Operators.Informer()).
		WithInformersQueueKeyFunc(factory.ObjectNameToKey, config.Deployments.Informer()).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	name := syncCtx.QueueKey()
	if name == "" || name == factory.DefaultQueueKey {
		return nil
	}
	defer c.synced(name)
	found, err := c.deployments.Get(name)
	if apierrors.IsNotFound(err) {
		c.forget(name)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading BundleDeployment %q: %w", name, err)
	}
	restores := c.countRestores()
	found, memory, err := c.current(ctx, syncCtx, found)
	if err != nil || found == nil {
		return err
	}
	memory.version, memory.behind = found.ResourceVersion, false
	if memory.restores != restores {
		memory.restores, memory.history.GarbageCollected = restores, false
	}
	memory.drift.Begin()
	s := &reconciliation{c: c, before: found, deployment: found.DeepCopy(), memory: memory}
	s.machine = revision.NewMachine(revision.Input{Deployment: found, History: &memory.history})
	for _, stage := range stages {
		done, err := stage.run(ctx, s)
		if apierrors.IsConflict(err) {
			return factory.SyntheticRequeueError // another client has changed the object; this is not a failure
		}
		if err != nil {
			return fmt.Errorf("%s BundleDeployment %q: %w", stage.name, name, err)
		}
		if done {
			break
		}
	}
	if err = s.writeStatus(ctx); err == nil {
		err = s.endMigration(ctx)
	}
	if s.retryAfter > 0 {
		syncCtx.Queue().AddAfter(name, s.retryAfter)
	}
	if apierrors.IsConflict(err) {
		return factory.SyntheticRequeueError
	}
	if err != nil {
		return err
	}
	if s.fault == nil {
		return s.verifyErr
	}
	return s.fault
}

// current returns the BundleDeployment to sync, and its memory. cached is the BundleDeployment in the informer, which may be out of date.
// current returns nil if the sync must wait. Another sync then follows after an event of the informer or a delay.
func (c *controller) current(ctx context.Context, syncCtx factory.SyncContext, cached *corev1alpha2.BundleDeployment) (*corev1alpha2.BundleDeployment, *memory, error) {
	memory := c.memoryOf(cached)
	if memory.version == "" {
		found, err := c.readFirst(ctx, memory, cached)
		return found, memory, err
	}
	if left, behind := memory.lastWrite.IsBehind(cached, c.clock.Now()); behind {
		syncCtx.Queue().AddAfter(cached.Name, left)
		return nil, nil, nil // usually the watch event of the last write arrives before that
	}
	if !memory.isNewerThan(cached) {
		return cached, memory, nil
	}
	found, err := c.readRestored(ctx, memory, cached.Name)
	if err != nil {
		return nil, nil, err
	}
	if found == nil {
		syncCtx.Queue().AddAfter(cached.Name, lastwrite.StaleCachePeriod)
		return nil, nil, nil
	}
	return found, c.newMemory(found), nil
}

// readFirst reads a BundleDeployment from the API server for its first sync in this process. The informer of a process that has just
// started may not have received the last writes of the previous process. Decisions based on an older status could apply an older revision,
// and the history in memory, which begins with this sync, would never include the later ones. readFirst returns nil if the BundleDeployment
// was deleted or recreated: a watch event will report that.
func (c *controller) readFirst(ctx context.Context, memory *memory, cached *corev1alpha2.BundleDeployment) (*corev1alpha2.BundleDeployment, error) {
	current, err := c.client.Get(ctx, cached.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading BundleDeployment %q for the first time: %w", cached.Name, err)
	}
	if err != nil || current.UID != memory.uid {
		return nil, nil
	}
	if current.ResourceVersion != cached.ResourceVersion {
		memory.lastWrite = lastwrite.Of(current, c.clock.Now())
	}
	return current, nil
}

// readRestored reads a BundleDeployment from the API server, because the cached version is older than the one in memory. If the API
// server's version is older as well, the cluster was restored from a backup, and readRestored returns that version. Otherwise the informer
// is behind, and readRestored returns nil. The memory then takes precedence over the informer for another period: a decision based on the
// cached status could prune what is in use.
func (c *controller) readRestored(ctx context.Context, memory *memory, name string) (*corev1alpha2.BundleDeployment, error) {
	current, err := c.client.Get(ctx, name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("reading BundleDeployment %q, whose cached version is out of date: %w", name, err)
	}
	if err == nil && current.UID == memory.uid && memory.isNewerThan(current) {
		return current, nil
	}
	if !memory.behind {
		klog.Warningf("The informer has an out-of-date version of BundleDeployment %q; nothing is done for it until the informer has the current one", name)
	}
	memory.behind = true
	memory.lastWrite = lastwrite.Write{ResourceVersion: memory.version, Time: c.clock.Now()}
	return nil, nil
}

// countRestores returns how often this process has noticed that a backup of etcd was restored. The number matters because a restore may
// bring back parts of revisions that were collected as garbage, without a change of the BundleDeployment. countRestores notices a restore
// if the informer's resourceVersion has decreased. Resyncs call it at least every ten minutes. If the resourceVersion has passed its
// previous value by then, this process misses the restore, and the next process collects the garbage. No revision uses the garbage until
// then.
func (c *controller) countRestores() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	version := c.cacheVersion()
	order, err := resourceversion.CompareResourceVersion(version, c.newestVersion)
	if err == nil && order < 0 {
		c.restores++
	}
	if err == nil || c.newestVersion == "" {
		c.newestVersion = version
	}
	return c.restores
}

// forget removes the cached state, fetches, watches and metrics of a BundleDeployment that was deleted.
func (c *controller) forget(name string) {
	c.watcher.Release(name)
	c.identities.Forget(name)
	c.metrics.Forget(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.memories[name]; known != nil {
		c.revisions.Forget(known.uid)
		c.cancelFetches(name, known)
	}
	delete(c.memories, name)
	delete(c.changedRevisions, name)
	delete(c.refusedDefinitions, name)
}
