// Package bundle unpacks Bundles: it fetches and reads the content of a Bundle's source, and reports the result in the Bundle's status. It
// does not install anything.
//
// An unpacked Bundle does not change: its spec is immutable, and its stored content is a cache, which is filled again from the resolved
// source when necessary. Content is stored by digest, so that equal content is stored only once. Fetches run in the background, and enqueue
// the Bundle when they end. User errors are conditions of the Bundle, never errors of the controller. A deleted Bundle needs no cleanup, so
// there is no finalizer.
//
// The package does not depend on BundleDeployments; their controller reads a Bundle's status.
package bundle

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/classlimits"
	coreclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/core/v1alpha2"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// Name is the controller's name. Its field manager for status is "platform-operators-" followed by this name.
const Name = "bundle"

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "BundleController"

const fieldManager = "platform-operators-" + Name

// Config is everything the controller needs; every field is required.
type Config struct {
	Client  coreclient.BundleInterface
	Bundles coreinformers.BundleInformer
	Classes coreinformers.ProvisionerClassInformer
	Content *store.Content
	// Sources opens the source of a Bundle.
	Sources source.Opener
	// OnImageConfigChange registers a function that is called when the image configuration that applies to Bundles changes, so that failed fetches
	// are retried. It may be nil.
	OnImageConfigChange func(changed func())
	// Fetches is the maximum number of concurrent fetches from one host.
	Fetches int
	// BackoffFirst and BackoffLast are the shortest and the longest delay of the exponential backoff after failures.
	BackoffFirst, BackoffLast time.Duration
	Clock                     clock.PassiveClock
	// SyncContext holds the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
	// Events records Events about Bundles.
	Events record.EventRecorder
	// Tasks runs the fetches, so that a caller can wait for them.
	Tasks *background.Tasks
}

func (c Config) validate() error {
	if c.Client == nil || c.Bundles == nil || c.Classes == nil || c.Content == nil || c.Sources == nil || c.Clock == nil || c.SyncContext == nil || c.Events == nil || c.Tasks == nil {
		return errors.New("a field of its Config is not set")
	}
	return nil
}

type controller struct {
	client  coreclient.BundleInterface
	bundles corelisters.BundleLister
	classes corelisters.ProvisionerClassLister
	sources source.Opener
	fetches *source.Jobs[request, unpack.Inspection]
	clock   clock.PassiveClock
	events  record.EventRecorder
}

// request identifies the fetch for a Bundle. The UID distinguishes a recreated Bundle, for which a tag must be resolved again.
type request struct {
	uid    types.UID
	source source.Source
	// format is the bundle format of the content, and sizes are the limits of the class for its size.
	format string
	sizes  classlimits.Sizes
}

// New returns the controller; its queue keys are Bundle names. The end of ctx ends its fetches, so ctx must be the context that the
// controller runs with. New returns an error if a required field of the Config is not set.
func New(ctx context.Context, config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("building the bundle controller: %w", err)
	}
	fetches, err := source.NewJobs(ctx, source.JobsConfig[request, unpack.Inspection]{
		Do: func(ctx context.Context, asked request) (*unpack.Inspection, error) {
			return unpack.Inspect(ctx, config.Content, asked.source, asked.format, asked.sizes)
		},
		Host:    func(asked request) string { return asked.source.Host() },
		Done:    func(name string) { config.SyncContext.Queue().Add(name) },
		PerHost: config.Fetches,
		Total:   source.SlowHosts * config.Fetches,
		Backoff: source.Backoff{First: config.BackoffFirst, Last: config.BackoffLast},
		Clock:   config.Clock,
		Tasks:   config.Tasks,
	})
	if err != nil {
		return nil, fmt.Errorf("building the bundle controller: %w", err)
	}
	if config.OnImageConfigChange != nil {
		config.OnImageConfigChange(func() { fetches.RetryFailed(func(request) bool { return true }) })
	}
	c := &controller{
		client:  config.Client,
		bundles: config.Bundles.Lister(),
		classes: config.Classes.Lister(),
		sources: config.Sources,
		fetches: fetches,
		clock:   config.Clock,
		events:  config.Events,
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformersQueueKeysFunc(c.bundlesOfClass, config.Classes.Informer()).
		WithInformersQueueKeyFunc(factory.ObjectNameToKey, config.Bundles.Informer()).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

// bundlesOfClass returns the names of the Bundles that use a class and are not unpacked yet.
func (c *controller) bundlesOfClass(class runtime.Object) []string {
	name := factory.ObjectNameToKey(class)
	bundles, err := c.bundles.List(labels.Everything())
	if err != nil || name == "" {
		return nil // a lister never returns an error here
	}
	var names []string
	for _, each := range bundles {
		if each.Spec.ProvisionerClassName == name && each.Status.Phase != corev1alpha2.BundleUnpacked {
			names = append(names, each.Name)
		}
	}
	return names
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	name := syncCtx.QueueKey()
	if name == "" || name == factory.DefaultQueueKey {
		return nil
	}
	before, err := c.bundles.Get(name)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("reading Bundle %q: %w", name, err)
	}
	if err != nil || before.DeletionTimestamp != nil || before.Status.Phase == corev1alpha2.BundleUnpacked {
		// Before that, the result of a fetch must be kept: while the cached Bundle does not have the result in its status, a sync would
		// fetch the content again.
		c.fetches.Cancel(name)
		return nil
	}
	after := before.DeepCopy()
	retry, err := c.unpack(after)
	if err != nil {
		return err
	}
	if retry > 0 {
		syncCtx.Queue().AddAfter(name, retry)
	}
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		return nil
	}
	_, err = c.client.UpdateStatus(ctx, after, metav1.UpdateOptions{FieldManager: fieldManager})
	switch {
	case apierrors.IsConflict(err):
		return factory.SyntheticRequeueError // the cache is stale; its event triggers a sync
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("writing the status of Bundle %q: %w", name, err)
	}
	c.sendEvent(before, after)
	return nil
}

// unpack requests a fetch of the Bundle's content, and sets the status from its progress. If the class is unknown or does not allow the
// source, it cancels the fetch. It returns the time until the next sync; 0 if no retry is needed.
func (c *controller) unpack(bundle *corev1alpha2.Bundle) (time.Duration, error) {
	class, err := c.classes.Get(bundle.Spec.ProvisionerClassName)
	if apierrors.IsNotFound(err) {
		class, err = nil, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading ProvisionerClass %q: %w", bundle.Spec.ProvisionerClassName, err)
	}
	now := metav1.NewTime(c.clock.Now())
	if class == nil || corev1alpha2.FormatOf(class.Spec.Provisioner) == "" {
		c.fetches.Cancel(bundle.Name)
		report(bundle, now, unknownClass(bundle, class))
		return 0, nil
	}
	opened, err := c.sources.Open(bundle.Spec.Source, source.Namespaces{})
	if err != nil {
		return 0, fmt.Errorf("reading the source of Bundle %q: %w", bundle.Name, err)
	}
	if opened.Source == nil { // the schema rejects it
		report(bundle, now, unreadable(errors.New(opened.Missing)))
		return 0, nil
	}
	limits := classlimits.Class{Name: class.Name, Spec: class.Spec}
	asked := classlimits.Request{From: classlimits.Bundle, SourceType: bundle.Spec.Source.Type, Image: opened.Image}
	if problem := classlimits.Check(limits, asked); problem != nil {
		c.fetches.Cancel(bundle.Name)
		report(bundle, now, notAllowed(problem))
		return 0, nil
	}
	progress := c.fetches.Request(bundle.Name, request{
		uid: bundle.UID, source: opened.Source, format: corev1alpha2.FormatOf(class.Spec.Provisioner), sizes: limits.Sizes(),
	})
	switch {
	case progress.Result != nil && progress.Result.Exceeded != nil:
		asked.Size = progress.Result.Exceeded
		report(bundle, now, notAllowed(classlimits.Check(limits, asked)))
	case progress.Result != nil:
		report(bundle, now, unpacked(progress.Result))
		recordResult(bundle, opened.Source, progress.Result)
	case progress.Err != nil:
		report(bundle, now, unreadable(progress.Err))
	default:
		report(bundle, now, unpacking(opened.Name))
	}
	return progress.Retry, nil
}

// sendEvent sends an Event about a Bundle if the reason of its condition Unpacked has changed.
func (c *controller) sendEvent(before, after *corev1alpha2.Bundle) {
	then := meta.FindStatusCondition(before.Status.Conditions, corev1alpha2.ConditionUnpacked)
	now := meta.FindStatusCondition(after.Status.Conditions, corev1alpha2.ConditionUnpacked)
	if now == nil || then != nil && then.Reason == now.Reason {
		return
	}
	switch now.Reason {
	case corev1alpha2.EventUnpackFailed, corev1alpha2.EventProvisionerNotFound, corev1alpha2.EventNotAllowed:
		c.events.Event(after, corev1.EventTypeWarning, now.Reason, bounded(now.Message))
	case corev1alpha2.EventUnpackSuccessful:
		c.events.Event(after, corev1.EventTypeNormal, now.Reason, bounded(now.Message))
	}
}
