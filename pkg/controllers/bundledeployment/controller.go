// Package bundledeployment carries out BundleDeployments: it has the content of the source fetched, rendered and kept as a
// numbered revision, rolls the revision out, keeps what is active as it was applied, and takes everything down again.
//
// A sync decides from the spec, the stored revisions and the applied objects alone, so that it goes on after a crash at any
// point. What is slow (registries) runs beside it and wakes it up. A revision, once stored, needs its source no more. What
// a user got wrong is a condition on the BundleDeployment, never an error of the controller.
//
// It knows nothing of catalogs, versions or PlatformOperators; whoever creates a BundleDeployment reads its status.
package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	"github.com/openshift/platform-operators/pkg/apply"
	coreclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/core/v1alpha2"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
)

// Name is the controller's name; its field manager for status is "platform-operators-" and this.
const Name = "bundledeployment"

const fieldManager = "platform-operators-" + Name

// Images fetches images. *image.Fetcher is the one there is; tests bring their own.
type Images interface {
	// Resolve gives a reference by digest.
	Resolve(ctx context.Context, ref string) (string, error)
	// Unpack writes the files of an image below a directory.
	Unpack(ctx context.Context, pinned, dir string) error
}

// Config is everything the controller needs; every field is required.
type Config struct {
	Client      coreclient.BundleDeploymentInterface
	Deployments coreinformers.BundleDeploymentInformer
	// Secrets of the namespace that stored revisions are kept in.
	Secrets   corev1client.SecretInterface
	Dynamic   dynamic.Interface
	Discovery discovery.CachedDiscoveryInterface
	Content   *store.Content
	Images    Images
	// Fetches is how many images are fetched at once.
	Fetches int
	// Backoff of what failed: from the first delay, doubled each time, to the last.
	BackoffFirst, BackoffLast time.Duration
	Clock                     clock.PassiveClock
	Recorder                  events.Recorder
}

func (c Config) validate() error {
	if c.Client == nil || c.Deployments == nil || c.Secrets == nil || c.Dynamic == nil || c.Discovery == nil || c.Content == nil ||
		c.Images == nil || c.Fetches <= 0 || c.BackoffFirst <= 0 || c.BackoffLast < c.BackoffFirst || c.Clock == nil || c.Recorder == nil {
		return errors.New("building the bundledeployment controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	client      coreclient.BundleDeploymentInterface
	deployments corelisters.BundleDeploymentLister
	revisions   *store.Revisions
	engine      *apply.Engine
	fetches     *fetches
	backoff     backoff
	clock       clock.PassiveClock

	mu      sync.Mutex
	records map[string]*record
}

// New builds the controller; its queue keys are BundleDeployment names. The context ends its watches and fetches, and is
// the one that the controller runs with.
func New(ctx context.Context, config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	syncContext := factory.NewSyncContext(Name, config.Recorder)
	engine, err := apply.New(ctx, apply.Config{
		Dynamic:   config.Dynamic,
		Discovery: config.Discovery,
		Clock:     config.Clock,
		Changed:   func(owner string) { syncContext.Queue().Add(owner) },
	})
	if err != nil {
		return nil, fmt.Errorf("building the bundledeployment controller: %w", err)
	}
	waits := backoff{first: config.BackoffFirst, last: config.BackoffLast}
	c := &controller{
		client:      config.Client,
		deployments: config.Deployments.Lister(),
		revisions:   store.NewRevisions(config.Secrets),
		engine:      engine,
		backoff:     waits,
		clock:       config.Clock,
		records:     map[string]*record{},
	}
	c.fetches = newFetches(ctx, fetchConfig{
		slots:   config.Fetches,
		backoff: waits,
		clock:   config.Clock,
		fetch:   reader{images: config.Images, content: config.Content}.read,
		done:    func(name string) { syncContext.Queue().Add(name) },
	})
	return factory.New().
		WithSyncContext(syncContext).
		WithSync(c.sync).
		WithInformersQueueKeyFunc(objectName, config.Deployments.Informer()).
		ToController(Name, config.Recorder), nil
}

func objectName(object runtime.Object) string {
	if accessor, ok := object.(metav1.ObjectMetaAccessor); ok {
		return accessor.GetObjectMeta().GetName()
	}
	return ""
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	name := syncCtx.QueueKey()
	if name == "" || name == factory.DefaultQueueKey {
		return nil
	}
	found, err := c.deployments.Get(name)
	if apierrors.IsNotFound(err) {
		c.forget(name)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading BundleDeployment %q: %w", name, err)
	}
	record := c.recordOf(found)
	if record.writtenLater(found) {
		return nil // the cache is behind our own last write, and its event will come
	}
	s := &state{
		controller: c, recorder: syncCtx.Recorder(),
		before: found, deployment: found.DeepCopy(), record: record,
	}
	for _, stage := range stages {
		done, err := stage.run(ctx, s)
		if apierrors.IsConflict(err) {
			return factory.SyntheticRequeueError // somebody was faster; nothing is wrong
		}
		if err != nil {
			return fmt.Errorf("%s BundleDeployment %q: %w", stage.name, name, err)
		}
		if done {
			break
		}
	}
	if s.retryAfter > 0 {
		syncCtx.Queue().AddAfter(name, s.retryAfter)
	}
	err = s.writeStatus(ctx)
	if apierrors.IsConflict(err) {
		return factory.SyntheticRequeueError
	}
	if err != nil {
		return err
	}
	return s.fault
}

// forget drops everything that is remembered of a BundleDeployment that is gone.
func (c *controller) forget(name string) {
	c.engine.Release(name)
	c.fetches.cancel(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.records, name)
}
