// Package bundledeployment carries out BundleDeployments: it has the content of the source fetched, rendered and kept as a
// numbered revision, rolls the revision out, keeps what is active as it was applied, and takes everything down again.
//
// A sync decides from the spec, the stored revisions and the applied objects alone, so that it goes on after a crash at any
// point. What is slow (registries) runs beside it and wakes it up. A revision, once stored, needs its source no more. What
// a user got wrong is a condition on the BundleDeployment, never an error of the controller.
//
// A revision has a deadline, counted from a time that is in status before anything of it is written. What misses it is held
// or rolled back, as the spec says; a revision that was rolled back is not tried again before the spec changes.
//
// It knows nothing of catalogs and versions, and of PlatformOperators only which names they have; whoever creates a
// BundleDeployment reads its status.
package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"

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
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// Name is the controller's name; its field manager for status is "platform-operators-" and this.
const Name = "bundledeployment"

// ControllerName is the controller's name in library-go's log, in the metrics of its work queue, and in errors of failed syncs.
const ControllerName = "BundleDeploymentController"

// firstPause is the pause after the first write that failed.
const firstPause = 250 * time.Millisecond

const fieldManager = "platform-operators-" + Name

// Config is everything the controller needs; every field is required.
type Config struct {
	Client      coreclient.BundleDeploymentInterface
	Deployments coreinformers.BundleDeploymentInformer
	Bundles     coreinformers.BundleInformer
	Classes     coreinformers.ProvisionerClassInformer
	// Operators are asked for the names that they claim.
	Operators platforminformers.PlatformOperatorInformer
	// Namespace is the manager's own, Secrets those of it, where stored revisions are kept.
	Namespace string
	Secrets   corev1client.SecretInterface
	Discovery discovery.CachedDiscoveryInterface
	// Engine applies, watches and removes objects. It adds the BundleDeployments of changed objects to the queue of SyncContext.
	Engine  *apply.Engine
	Content *store.Content
	// Sources opens the source of a BundleDeployment.
	Sources source.Opener
	// Fetches is the number of sources that are fetched from one host at once.
	Fetches int
	// Backoff of what failed: from the first delay, doubled each time, to the last.
	BackoffFirst, BackoffLast time.Duration
	Clock                     clock.PassiveClock
	// SyncContext has the controller's queue, and the recorder of Events about the manager.
	SyncContext factory.SyncContext
	// Events records Events about BundleDeployments.
	Events record.EventRecorder
	// Tasks runs what the controller does beside its syncs, so that a caller can wait for it.
	Tasks *background.Tasks
	// Synced is called with the name of each BundleDeployment whose sync has ended, with or without an error.
	Synced func(name string)
	// Register makes a metric known.
	Register func(metrics.Registerable) error
}

func (c Config) validate() error {
	if c.Client == nil || c.Deployments == nil || c.Bundles == nil || c.Classes == nil || c.Operators == nil || c.Namespace == "" || c.Secrets == nil ||
		c.Discovery == nil || c.Engine == nil || c.Content == nil || c.Sources == nil || c.Fetches <= 0 || c.BackoffFirst <= 0 || c.BackoffLast < c.BackoffFirst ||
		c.Clock == nil || c.SyncContext == nil || c.Events == nil || c.Tasks == nil || c.Synced == nil || c.Register == nil {
		return errors.New("building the bundledeployment controller: a field of its Config is not set")
	}
	return nil
}

// certificateFinder finds the component that makes certificates; empty if the cluster has none. *certificates.Finder is one.
type certificateFinder interface {
	// Current asks the cluster; Recent may return what it had some seconds ago.
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
	watcher     watcher
	// managerNamespace is the manager's own, where nothing is installed.
	managerNamespace string
	fetches          *source.Jobs[unpack.Request, unpack.Rendering]
	certificates     certificateFinder
	// backoff is that of fetches and refusals, pauses the one after writes that failed: mostly the next one succeeds.
	backoff, pauses source.Backoff
	clock           clock.PassiveClock
	events          record.EventRecorder
	metrics         *deploymentmetrics.Metrics
	synced          func(name string)

	mu       sync.Mutex
	memories map[string]*memory
}

// New builds the controller; its queue keys are BundleDeployment names. The context ends its fetches, and is the one that the
// controller runs with. Nothing runs before the first sync.
func New(ctx context.Context, config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	waits := source.Backoff{First: config.BackoffFirst, Last: config.BackoffLast}
	c := &controller{
		client:           config.Client,
		deployments:      config.Deployments.Lister(),
		sources:          config.Sources,
		classes:          config.Classes.Lister(),
		operators:        config.Operators.Lister(),
		revisions:        store.NewRevisions(config.Secrets),
		applier:          config.Engine,
		remover:          config.Engine,
		checker:          config.Engine,
		watcher:          config.Engine,
		managerNamespace: config.Namespace,
		certificates:     certificates.NewFinder(config.Discovery, config.Clock),
		backoff:          waits,
		pauses:           source.Backoff{First: firstPause, Last: config.BackoffLast},
		clock:            config.Clock,
		events:           config.Events,
		synced:           config.Synced,
		memories:         map[string]*memory{},
	}
	var err error
	if c.metrics, err = deploymentmetrics.New(config.Register); err != nil {
		return nil, fmt.Errorf("building the bundledeployment controller: %w", err)
	}
	c.fetches, err = source.NewJobs(ctx, source.JobsConfig[unpack.Request, unpack.Rendering]{
		Do:      newRenderer(config.Content, c.certificates).Render,
		Host:    func(request unpack.Request) string { return request.Source.Host() },
		Done:    func(name string) { config.SyncContext.Queue().Add(name) },
		PerHost: config.Fetches,
		Total:   source.SlowHosts * config.Fetches,
		Backoff: waits,
		Clock:   config.Clock,
		Tasks:   config.Tasks,
	})
	if err != nil {
		return nil, fmt.Errorf("building the bundledeployment controller: %w", err)
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformersQueueKeysFunc(c.deploymentsOfClass, config.Classes.Informer()).
		WithInformersQueueKeysFunc(c.deploymentsOfBundle, config.Bundles.Informer()).
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
	memory := c.memoryOf(found)
	if left, behind := memory.lastWrite.IsBehind(found, c.clock.Now()); behind {
		syncCtx.Queue().AddAfter(name, left)
		return nil // the event of our own last write comes sooner
	}
	memory.drift.Begin()
	s := &reconciliation{c: c, before: found, deployment: found.DeepCopy(), memory: memory}
	s.machine = revision.NewMachine(revision.Input{Deployment: found, History: &memory.history})
	for _, stage := range stages {
		done, err := stage.run(ctx, s)
		if apierrors.IsConflict(err) {
			return factory.SyntheticRequeueError // another writer was faster; nothing is wrong
		}
		if err != nil {
			return fmt.Errorf("%s BundleDeployment %q: %w", stage.name, name, err)
		}
		if done {
			break
		}
	}
	err = s.writeStatus(ctx)
	if s.retryAfter > 0 {
		syncCtx.Queue().AddAfter(name, s.retryAfter)
	}
	if apierrors.IsConflict(err) {
		return factory.SyntheticRequeueError
	}
	if err != nil {
		return err
	}
	return s.fault
}

// forget drops everything that is kept of a BundleDeployment that is gone.
func (c *controller) forget(name string) {
	c.watcher.Release(name)
	c.fetches.Cancel(name)
	c.metrics.Forget(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.memories, name)
}
