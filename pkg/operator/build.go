package operator

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/status"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/controllers/bundle"
	"github.com/openshift/platform-operators/pkg/controllers/bundledeployment"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
	"github.com/openshift/platform-operators/pkg/controllers/deniedwrites"
	"github.com/openshift/platform-operators/pkg/controllers/managerlimits"
	"github.com/openshift/platform-operators/pkg/controllers/managerversion"
	"github.com/openshift/platform-operators/pkg/controllers/operatorconfig"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/platformoperator"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/controllers/watches"
	"github.com/openshift/platform-operators/pkg/imageconfig"
	"github.com/openshift/platform-operators/pkg/store"
)

// ClusterOperatorName is the name of the ClusterOperator that the manager writes.
const ClusterOperatorName = "platform-operators-aggregated"

// statusSyncerName is the name of library-go's own controller, which newStatusSyncer replaces.
const statusSyncerName = "StatusSyncer_" + ClusterOperatorName

// ofRunningProcess are the controllers whose input is the memory of a process that keeps running: watches and writes that the API server
// denied, and the log level. Input.AwaitTasks leaves them out.
var ofRunningProcess = []string{watches.ControllerName, deniedwrites.ControllerName, loggingSyncerName}

// reportingDegraded are the controllers with WithSyncDegradedOnError.
var reportingDegraded = []string{managerlimits.ControllerName, operatorhealth.ControllerName, managerversion.ControllerName}

// builder builds the controllers and holds the objects that they share.
type builder struct {
	ctx       context.Context // for the background tasks of syncs
	input     *Input
	inventory *clusterInventory
	// imageConfig is the cluster's image configuration; nil if Input.Images is given.
	imageConfig       *imageconfig.Cluster
	catalogs          *catalogState
	content           *store.Content
	watchErrorSetters watchErrorSetters
	tasks             *background.Tasks
	firstSyncs        *managerversion.FirstSyncs
	// permits is true if this process's upgrade gate permits cluster upgrades.
	permits *atomic.Bool
	// versions holds the versions that the ClusterOperator reports. The managerversion controller sets the manager's own version.
	versions status.VersionGetter
	// statusContext holds the queue of StatusSyncer; nil until StatusSyncer is built.
	statusContext factory.SyncContext
	reports       *managerversion.Reports
}

// catalogState holds the content of catalogs, the notifications of changes to it, and the limits on what may be installed from it.
type catalogState struct {
	snapshots          *catalogsource.Snapshots
	changes, providers *catalogsource.Changes
	limits             *store.Limits
}

// Build builds all controllers without starting them or sending requests. When Run ends, it shuts down the work queues. ctx is the context
// for background tasks that syncs start, and must be the context that is passed to Run.
func Build(ctx context.Context, input *Input) (*Operator, error) {
	b, err := newBuilder(ctx, input.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("wiring: %w", err)
	}
	built, err := b.build()
	if err != nil {
		return nil, fmt.Errorf("wiring: %w", err)
	}
	return built, nil
}

func newBuilder(ctx context.Context, input *Input) (*builder, error) {
	inventory, err := newInventory(input)
	if err != nil {
		return nil, err
	}
	content, err := store.NewContent(store.ContentConfig{Dir: input.Options.ContentDir, Budget: input.Options.ContentBudget, Clock: input.Clock})
	if err != nil {
		return nil, err
	}
	b := &builder{
		ctx: ctx, input: input, inventory: inventory, content: content,
		catalogs:          &catalogState{catalogsource.NewSnapshots(), &catalogsource.Changes{}, &catalogsource.Changes{}, newLimits(input)},
		watchErrorSetters: watchErrorSetters{},
		tasks:             &background.Tasks{Await: input.AwaitTasks},
		firstSyncs:        managerversion.NewFirstSyncs(),
		permits:           &atomic.Bool{},
		versions:          status.NewVersionGetter(),
		reports:           managerversion.NewReports(),
	}
	if input.Images == nil {
		if b.imageConfig, err = newImageConfig(input, inventory.kinds); err != nil {
			return nil, err
		}
		if input.Images, err = newImages(input, b.imageConfig); err != nil {
			return nil, err
		}
		b.imageConfig.EachWatched(b.watchErrorSetters.add)
	}
	b.watchErrorSetters.addShared(input, inventory)
	return b, nil
}

// build builds all controllers, in the order in which data passes through them, and returns the Operator that runs them.
func (b *builder) build() (*Operator, error) {
	built := &Operator{input: b.input, inventory: b.inventory, imageConfig: b.imageConfig, catalogs: b.catalogs, tasks: b.tasks}
	var catalogKeys func() [][]string
	own := b.input.PlatformInformers
	operators := names(own.Platform().V1alpha1().PlatformOperators().Informer())
	bundles := names(own.Core().V1alpha2().Bundles().Informer())
	deployments := names(own.Core().V1alpha2().BundleDeployments().Informer())
	for _, entry := range []struct {
		name    string
		stage   int
		keys    keyFunc
		workers int
		build   func(factory.SyncContext) (factory.Controller, error)
	}{
		{operatorconfig.ControllerName, 0, defaultKey, 1, b.newOperatorConfig},
		{managerlimits.ControllerName, 0, defaultKey, 1, b.newManagerLimits},
		{catalogs.ControllerName, 0, func() [][]string { return catalogKeys() }, 4, func(syncContext factory.SyncContext) (factory.Controller, error) {
			made, err := b.newCatalogs(syncContext)
			if err != nil {
				return nil, err
			}
			built.runCatalogInformers, catalogKeys = made.RunInformers, made.Keys
			return made, nil
		}},
		{platformoperator.ControllerName, 1, followedBy(operators, platformoperator.StaleDecisionsKey), 2, b.newPlatformOperator},
		{bundle.ControllerName, 1, bundles, 2, b.newBundle},
		{bundledeployment.ControllerName, 1, deployments, 4, func(syncContext factory.SyncContext) (factory.Controller, error) {
			engine, err := b.newEngine(syncContext)
			if err != nil {
				return nil, err
			}
			built.revokeStaleGrants, built.forgetKinds = engine.RevokeStaleGrants, engine.ForgetKinds
			return b.newBundleDeployment(syncContext, engine)
		}},
		{operatorhealth.ControllerName, 2, defaultKey, 1, b.newOperatorHealth},
		{upgradegate.ControllerName, 2, verdictKeys, upgradegate.Workers, b.newUpgradeGate},
		{watches.ControllerName, 2, defaultKey, 1, b.newWatches},
		{deniedwrites.ControllerName, 2, defaultKey, 1, func(syncContext factory.SyncContext) (factory.Controller, error) {
			return b.newDeniedWrites(syncContext, built.retryFailedSyncs)
		}},
		{managerversion.ControllerName, 3, defaultKey, 1, b.newManagerVersion},
		{statusSyncerName, 4, defaultKey, 1, b.newStatusSyncer},
		{loggingSyncerName, 4, defaultKey, 1, func(factory.SyncContext) (factory.Controller, error) {
			return newLoggingSyncer(b.input.Operator, b.input.Recorder), nil
		}},
	} {
		if b.input.AwaitTasks && slices.Contains(ofRunningProcess, entry.name) {
			continue
		}
		syncContext := factory.NewSyncContext(entry.name, b.input.Recorder)
		made, err := entry.build(syncContext)
		if err != nil {
			syncContext.Queue().ShutDown()
			built.ShutDown()
			return nil, err
		}
		one := controller{Controller: made, workers: entry.workers, stage: entry.stage, keys: entry.keys, syncContext: syncContext}
		if slices.Contains(reportingDegraded, entry.name) {
			one.degraded = b.input.Operator
		}
		built.controllers = append(built.controllers, one)
	}
	return built, nil
}

// newLimits builds the store of the limits, which the controllers share. The managerlimits controller writes to it.
func newLimits(input *Input) *store.Limits {
	return store.NewLimits(input.Namespace, input.Kubernetes.CoreV1(), input.LimitsInformers.Core().V1().ConfigMaps().Lister(),
		input.PlatformInformers.Core().V1alpha2().BundleDeployments().Lister())
}
