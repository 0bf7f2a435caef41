// Package platformoperator turns each PlatformOperator into one BundleDeployment and its state into status.
//
// A sync reads listers and the catalog snapshots, asks floor 1 which bundle is wanted and whether it may be moved to now,
// creates or updates the BundleDeployment of the same name, and writes the PlatformOperator's status once. It knows
// nothing of images, manifests or the ClusterOperator: the bundledeployment controller carries the bundle out, and the
// operatorhealth and upgradegate controllers sum up what this one reports. What a user got wrong is a condition on the
// user's object, never an error of the controller.
package platformoperator

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	coreclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/core/v1alpha2"
	platformclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/platform/v1alpha1"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Name is the controller's name; its field manager for status is "platform-operators-" and this.
const Name = "platformoperator"

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "PlatformOperatorController"

// Catalogs is what this controller needs of the catalog snapshots. A seam for tests.
type Catalogs interface {
	// For returns what every trusted catalog holds of a package. It is cheap and never blocks.
	For(pkg string) []resolve.Catalog
	// Unlisted is as in resolve.World.
	Unlisted() []string
	// Providers says of each trusted catalog which packages of it bring a kind. It reads memory only.
	Providers(gvk catalog.GVK) []resolve.Providers
}

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient   platformclient.PlatformOperatorInterface
	DeploymentClient coreclient.BundleDeploymentInterface
	Operators        platforminformers.PlatformOperatorInformer
	Deployments      coreinformers.BundleDeploymentInformer
	ClusterVersions  configv1informers.ClusterVersionInformer
	Managers         operatorinformers.PlatformOperatorManagerInformer
	// Limits reads what is kept of the limits of PlatformOperatorManagers, from memory; LimitsChanged tells of changes.
	Limits          func() (limits.Stored, error)
	LimitsChanged   factory.Informer
	Catalogs        Catalogs
	CatalogsChanged factory.Informer
	// ProvidersChanged tells that Catalogs.Providers may say something else of some kinds.
	ProvidersChanged factory.Informer
	Inventory        Inventory
	// KindsChanged tells of changes of the inventory's kinds, ForeignChanged of packages that others have installed now or no
	// longer; the object's name is the package.
	KindsChanged      factory.Informer
	ForeignChanged    factory.Informer
	KubernetesVersion string
	Clock             clock.PassiveClock
	// Recorder is the controller framework's; what is to be seen on a PlatformOperator goes to Events.
	Recorder events.Recorder
	Events   record.EventRecorder
	// Tried is told the name of each PlatformOperator whose sync has ended, whatever came of it.
	Tried func(name string)
	// Register and RegisterVector make metrics known: those that are collected at a scrape, and those that are counted.
	Register       func(metrics.StableCollector) error
	RegisterVector func(metrics.Registerable) error
}

func (c Config) validate() error {
	if c.OperatorClient == nil || c.DeploymentClient == nil || c.Operators == nil || c.Deployments == nil ||
		c.ClusterVersions == nil || c.Managers == nil || c.Limits == nil || c.LimitsChanged == nil || c.Catalogs == nil || c.CatalogsChanged == nil ||
		c.ProvidersChanged == nil || c.Inventory == nil ||
		c.KindsChanged == nil || c.ForeignChanged == nil || c.KubernetesVersion == "" ||
		c.Clock == nil || c.Recorder == nil || c.Events == nil || c.Tried == nil || c.Register == nil || c.RegisterVector == nil {
		return errors.New("building the platformoperator controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	operatorClient   platformclient.PlatformOperatorInterface
	deploymentClient coreclient.BundleDeploymentInterface
	operators        platformlisters.PlatformOperatorLister
	deployments      corelisters.BundleDeploymentLister
	clusterVersions  configv1listers.ClusterVersionLister
	managers         operatorlisters.PlatformOperatorManagerLister
	limits           func() (limits.Stored, error)
	catalogs         Catalogs
	inventory        Inventory
	kubeVersion      string
	clock            clock.PassiveClock
	events           record.EventRecorder
	outlooks         *outlooks
	hops             hops
	decisions        resolve.Cache
	advised          advised
	pace             pace
	tried            func(name string)
	// limit is as in resolve.World, but for Done. A seam for tests.
	limit upgrade.Limit
}

// New builds the controller. Its queue keys are PlatformOperator names.
func New(config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	c := &controller{
		operatorClient:   config.OperatorClient,
		deploymentClient: config.DeploymentClient,
		operators:        config.Operators.Lister(),
		deployments:      config.Deployments.Lister(),
		clusterVersions:  config.ClusterVersions.Lister(),
		managers:         config.Managers.Lister(),
		limits:           config.Limits,
		catalogs:         config.Catalogs,
		inventory:        config.Inventory,
		kubeVersion:      config.KubernetesVersion,
		clock:            config.Clock,
		events:           config.Events,
		tried:            config.Tried,
		hops:             newHops(),
	}
	var err error
	if c.outlooks, err = newOutlooks(config.Clock, config.Register); err != nil {
		return nil, err
	}
	if err := newStates(c.operators, config.Register); err != nil {
		return nil, err
	}
	if err := c.hops.register(config.RegisterVector); err != nil {
		return nil, err
	}
	return factory.New().
		WithSync(c.sync).
		WithInformersQueueKeysFunc(c.samePackage, config.Operators.Informer()).
		WithInformersQueueKeysFunc(c.everyOperator, config.ClusterVersions.Informer(), settingsInformer{config.Managers.Informer()}, config.LimitsChanged).
		WithInformersQueueKeyFunc(objectName, config.Deployments.Informer()).
		WithInformersQueueKeysFunc(c.ofChangedPackage, config.CatalogsChanged).
		WithInformersQueueKeysFunc(c.advisedOtherwise, config.ProvidersChanged).
		WithInformersQueueKeysFunc(c.ofChangedCluster, config.KindsChanged, config.ForeignChanged).
		ToController(ControllerName, config.Recorder), nil
}

// samePackage enqueues an operator and all others of its package: which of them has the package may have changed.
func (c *controller) samePackage(object runtime.Object) []string {
	operator, ok := object.(*platformv1alpha1.PlatformOperator)
	if !ok {
		return nil
	}
	return append(c.namesOfPackage(operator.Spec.Package.Name), operator.Name)
}

// ofChangedPackage enqueues the operators of a package whose catalog content changed; the object's name is the package.
func (c *controller) ofChangedPackage(object runtime.Object) []string {
	return c.namesOfPackage(objectName(object))
}

func (c *controller) everyOperator(runtime.Object) []string {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(operators))
	for _, operator := range operators {
		names = append(names, operator.Name)
	}
	return names
}

func (c *controller) namesOfPackage(pkg string) []string {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil
	}
	var names []string
	for _, operator := range operators {
		if operator.Spec.Package.Name == pkg {
			names = append(names, operator.Name)
		}
	}
	return names
}

func objectName(object runtime.Object) string {
	if accessor, ok := object.(metav1.ObjectMetaAccessor); ok {
		return accessor.GetObjectMeta().GetName()
	}
	if tombstone, ok := any(object).(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Key
	}
	return ""
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	name := syncCtx.QueueKey()
	switch name {
	case "", factory.DefaultQueueKey:
		return nil
	case othersKey:
		c.syncOthers(syncCtx)
		return nil
	}
	defer c.tried(name)
	found, err := c.operators.Get(name)
	if apierrors.IsNotFound(err) {
		c.outlooks.forget(name)
		c.pace.forget(name)
		c.advised.set(name, nil)
		c.enqueueOthers(syncCtx, false, nil)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading PlatformOperator %q: %w", name, err)
	}
	s := &state{controller: c, before: found, operator: found.DeepCopy()}
	defer func() { c.enqueueOthers(syncCtx, s.decided, s.others) }()
	for _, stage := range stages {
		done, err := stage.run(ctx, s)
		if err != nil {
			return fmt.Errorf("%s PlatformOperator %q: %w", stage.name, name, err)
		}
		if done {
			break
		}
	}
	if c.advised.set(name, s.providersOf(s.decision.Lacking)); len(c.advised.stale(c.catalogs.Providers, name)) > 0 {
		syncCtx.Queue().Add(name) // it changed before anybody could know that this operator has to be told
	}
	if wait, due := compat.NextExpiry(resolve.OverridesOf(found), c.clock.Now()); due {
		syncCtx.Queue().AddAfter(name, wait)
	}
	wait, err := s.writeStatus(ctx)
	if wait > 0 {
		syncCtx.Queue().AddAfter(name, wait)
	}
	return err
}
