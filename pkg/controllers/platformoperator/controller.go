// Package platformoperator runs the controller that creates one BundleDeployment of the same name for each PlatformOperator, and reports
// the state of the BundleDeployment in the status of the PlatformOperator.
//
// A sync reads listers and catalog snapshots. pkg/resolve chooses the wanted bundle, and pkg/upgradestep decides whether the step to it
// starts now. The controller writes the BundleDeployment that pkg/deploymentspec builds. At the end, it writes the status that
// pkg/operatorstatus computes.
//
// The controller does not know images, manifests or the ClusterOperator. The bundledeployment controller installs the bundle, and the
// operatorhealth and upgradegate controllers summarize the status of PlatformOperators. A user's error is a condition of the user's object,
// never an error of the controller.
package platformoperator

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"

	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"

	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/resolve/joint"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// Name is the controller's name. Its field manager is "platform-operators-" followed by this name.
const Name = "platformoperator"

// ControllerName is the controller's name in library-go's log, in the metrics of its work queue, and in messages about failed syncs.
const ControllerName = "PlatformOperatorController"

// fieldManager is the field manager of BundleDeployments and of the status of PlatformOperators.
const fieldManager = "platform-operators-" + Name

type controller struct {
	operatorClient   OperatorClient
	deploymentClient DeploymentClient
	operators        platformlisters.PlatformOperatorLister
	deployments      corelisters.BundleDeploymentLister
	clusterVersions  configv1listers.ClusterVersionLister
	hasVersions      func() bool
	managers         operatorlisters.PlatformOperatorManagerLister
	limits           func() (limits.Stored, error)
	catalogs         Catalogs
	inventory        Inventory
	kubeVersion      string
	clock            clock.PassiveClock
	events           record.EventRecorder
	updateMetrics    *updateMetrics
	stepMetrics      stepMetrics
	decisions        joint.Cache
	// isOneRound is true if the process ends after one sync of each PlatformOperator.
	isOneRound    bool
	round         roundDecisions
	requestCache  requestCache
	providerHints providerHints
	statusWrites  statusWrites
	synced        func(name string)
	// limit is the search limit of resolve.ClusterState, without Done. It is zero in production; tests set it.
	limit upgrade.Limit
}

// New builds the controller. Its queue keys are names of PlatformOperators.
func New(config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	c, err := newController(config)
	if err != nil {
		return nil, err
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformersQueueKeysFunc(c.operatorsOfSamePackage, config.Operators.Informer()).
		WithInformersQueueKeysFunc(c.allOperators, config.ClusterVersions.Informer(), settingsInformer{config.Managers.Informer()}, config.LimitsChanged).
		WithInformersQueueKeyFunc(factory.ObjectNameToKey, config.Deployments.Informer()).
		WithInformersQueueKeysFunc(c.operatorsOfChangedPackage, config.CatalogsChanged).
		WithInformersQueueKeysFunc(c.operatorsWithStaleHints, config.ProvidersChanged).
		WithInformersQueueKeysFunc(clusterChanged, config.KindsChanged, config.ForeignChanged).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func newController(config Config) (*controller, error) {
	c := &controller{
		operatorClient:   config.OperatorClient,
		deploymentClient: config.DeploymentClient,
		operators:        config.Operators.Lister(),
		deployments:      config.Deployments.Lister(),
		clusterVersions:  config.ClusterVersions.Lister(),
		hasVersions:      config.HasVersions,
		managers:         config.Managers.Lister(),
		limits:           config.Limits,
		catalogs:         config.Catalogs,
		inventory:        config.Inventory,
		kubeVersion:      config.KubernetesVersion,
		clock:            config.Clock,
		events:           config.Events,
		synced:           config.Synced,
		isOneRound:       config.IsOneRound,
		updateMetrics:    newUpdateMetrics(config.Clock),
		stepMetrics:      newStepMetrics(),
	}
	if err := c.updateMetrics.register(config.Register); err != nil {
		return nil, err
	}
	if err := registerConditionMetrics(c.operators, config.Register); err != nil {
		return nil, err
	}
	return c, c.stepMetrics.register(config.RegisterVector)
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	name := syncCtx.QueueKey()
	switch name {
	case "", factory.DefaultQueueKey:
		return nil
	case StaleDecisionsKey, clusterChangedKey:
		c.enqueueStaleDecisions(syncCtx, name)
		return nil
	}
	defer c.synced(name)
	operator, err := c.operators.Get(name)
	if apierrors.IsNotFound(err) {
		c.forget(name)
		enqueueOthers(syncCtx, false, nil)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading PlatformOperator %q: %w", name, err)
	}
	r := &reconciliation{operator: operator}
	defer func() { enqueueOthers(syncCtx, r.isResolved, r.others) }()
	for _, stage := range stages {
		done, err := stage.run(c, ctx, r)
		if err != nil {
			return fmt.Errorf("%s PlatformOperator %q: %w", stage.name, name, err)
		}
		if done {
			break
		}
	}
	c.providerHints.set(name, r.hints())
	if len(c.providerHints.stale(c.catalogs.Providers, name)) > 0 {
		syncCtx.Queue().Add(name) // the providers changed before the hints of this operator were stored
	}
	if wait, due := compat.NextExpiry(resolve.OverridesOf(operator), c.clock.Now()); due {
		syncCtx.Queue().AddAfter(name, wait)
	}
	if r.lacksVersions {
		syncCtx.Queue().AddAfter(name, versionsInterval)
	}
	wait, err := c.writeStatus(ctx, r)
	if wait > 0 {
		syncCtx.Queue().AddAfter(name, wait)
	}
	return err
}

// forget removes the cached state and metrics of a PlatformOperator that was deleted.
func (c *controller) forget(name string) {
	c.updateMetrics.forget(name)
	c.statusWrites.forget(name)
	c.providerHints.set(name, nil)
}
