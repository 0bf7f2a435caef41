package operator

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/loglevel"
	"github.com/openshift/library-go/pkg/operator/status"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/scheme"
	"github.com/openshift/platform-operators/pkg/controllers/bundle"
	"github.com/openshift/platform-operators/pkg/controllers/bundledeployment"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
	"github.com/openshift/platform-operators/pkg/controllers/managerlimits"
	"github.com/openshift/platform-operators/pkg/controllers/managerversion"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/platformoperator"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/controllers/watches"
	"github.com/openshift/platform-operators/pkg/leaderelection"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/source/sources"
	"github.com/openshift/platform-operators/pkg/store"
)

// ClusterOperatorName is the ClusterOperator that the manager reports to.
const ClusterOperatorName = "platform-operators-aggregated"

// controller is one entry of the list of everything that runs.
type controller struct {
	factory.Controller
	workers int
}

// Run is what controllercmd calls once the lease is held. It returns when the context ends, or at once with an error. An error
// ends the process.
func (o *Options) Run(ctx context.Context, controllerContext *controllercmd.ControllerContext) error {
	if o.StallLimit == 0 {
		return o.run(ctx, controllerContext)
	}
	detector := leaderelection.NewStallDetector(o.StallLimit, controllerContext.Clock)
	ended := make(chan error, 2)
	go func() { ended <- o.run(ctx, refusingAfterStall(controllerContext, detector)) }()
	go func() {
		if err := detector.Run(ctx); err != nil {
			ended <- err
		}
	}()
	return <-ended
}

// refusingAfterStall returns a copy of the context of which the clients write nothing after a stall. Events are still sent.
func refusingAfterStall(original *controllercmd.ControllerContext, detector *leaderelection.StallDetector) *controllercmd.ControllerContext {
	wrapped := *original
	wrapped.KubeConfig, wrapped.ProtoKubeConfig = rest.CopyConfig(original.KubeConfig), rest.CopyConfig(original.ProtoKubeConfig)
	wrapped.KubeConfig.Wrap(detector.Wrap)
	wrapped.ProtoKubeConfig.Wrap(detector.Wrap)
	return &wrapped
}

func (o *Options) run(ctx context.Context, controllerContext *controllercmd.ControllerContext) error {
	input, err := LiveInput(controllerContext, *o)
	if err != nil {
		return err
	}
	if o.TakenOverBy != "" {
		fence(ctx, input, o.TakenOverBy)
	}
	return Start(ctx, input)
}

// Start builds every controller from the input, starts the informers and runs until the context ends.
func Start(ctx context.Context, input *Input) error { return start(ctx, input, listeners{}) }

// start is Start, and says in heard whose troubles with the API server are told.
func start(ctx context.Context, input *Input, heard listeners) error {
	around, err := newInventory(input)
	if err != nil {
		return fmt.Errorf("wiring: %w", err)
	}
	heard.addShared(input, around)
	controllers, err := build(ctx, input, around, heard)
	if err != nil {
		return err
	}
	input.OperatorInformers.Start(ctx.Done())
	input.ConfigInformers.Start(ctx.Done())
	input.PlatformInformers.Start(ctx.Done())
	input.LimitsInformers.Start(ctx.Done())

	var running sync.WaitGroup
	running.Go(func() { around.kinds.Run(ctx) })
	running.Go(func() { around.installations.Run(ctx) })
	for _, controller := range controllers {
		running.Go(func() { controller.Run(ctx, controller.workers) })
	}
	klog.Infof("started %d controllers against Kubernetes %s", len(controllers), input.KubernetesVersion)
	running.Wait()
	return nil
}

// offers are what the catalogs have, and who tells that this, or who brings which kinds, has changed. The limits are of what is
// installed from them.
type offers struct {
	snapshots          *catalogsource.Snapshots
	changes, providers *catalogsource.Changes
	limits             *store.Limits
}

// build makes the list of everything that runs, in the order in which data passes through it.
func build(ctx context.Context, input *Input, around *surroundings, heard listeners) ([]controller, error) {
	trials := managerversion.NewTrials()
	permits := &atomic.Bool{}             // whether this process's upgrade gate permits cluster upgrades
	versions := status.NewVersionGetter() // the manager's own, once managerversion has it reported
	reports := managerversion.NewReports()
	known := &offers{catalogsource.NewSnapshots(), &catalogsource.Changes{}, &catalogsource.Changes{}, newLimits(input)}
	content, err := store.NewContent(store.ContentConfig{Dir: input.Options.ContentDir, Budget: input.Options.ContentBudget, Clock: input.Clock})
	if err != nil {
		return nil, fmt.Errorf("wiring: %w", err)
	}
	var controllers []controller
	for _, entry := range []struct {
		workers int
		build   func() (factory.Controller, error)
	}{
		{1, func() (factory.Controller, error) { return newOperatorConfig(input) }},
		{1, func() (factory.Controller, error) { return newManagerLimits(input, known) }},
		{4, func() (factory.Controller, error) { return newCatalogs(input, known, around, heard) }},
		{2, func() (factory.Controller, error) { return newPlatformOperator(ctx, input, known, around, trials) }},
		{2, func() (factory.Controller, error) { return newBundle(ctx, input, content) }},
		{4, func() (factory.Controller, error) { return newBundleDeployment(ctx, input, content, trials) }},
		{1, func() (factory.Controller, error) { return newOperatorHealth(input) }},
		{upgradegate.Workers, func() (factory.Controller, error) { return newUpgradeGate(input, known, around, permits) }},
		{1, func() (factory.Controller, error) { return newWatches(input, heard) }},
		{1, func() (factory.Controller, error) { return newManagerVersion(input, versions, reports, trials) }},
		{1, func() (factory.Controller, error) { return newStatusSyncer(input, versions, reports, permits), nil }},
		{1, func() (factory.Controller, error) {
			return loglevel.NewClusterOperatorLoggingController(input.Operator, input.Recorder), nil
		}},
	} {
		built, err := entry.build()
		if err != nil {
			return nil, fmt.Errorf("wiring: %w", err)
		}
		controllers = append(controllers, controller{built, entry.workers})
	}
	return controllers, nil
}

func newManagerLimits(input *Input, known *offers) (factory.Controller, error) {
	return managerlimits.New(managerlimits.Config{
		OperatorClient: input.Operator,
		Managers:       input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Deployments:    input.PlatformInformers.Core().V1alpha2().BundleDeployments().Informer(),
		Store:          known.limits,
		Stored:         input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		Recorder:       input.Recorder,
	})
}

// newLimits makes what reads, and for managerlimits writes, the limits that are kept. The controllers share one.
func newLimits(input *Input) *store.Limits {
	return store.NewLimits(input.Namespace, input.Kubernetes.CoreV1(), input.LimitsInformers.Core().V1().ConfigMaps().Lister(),
		input.PlatformInformers.Core().V1alpha2().BundleDeployments().Lister())
}

func newCatalogs(input *Input, known *offers, around *surroundings, heard listeners) (factory.Controller, error) {
	budget := catalogsource.NewBudget() // for both protocols
	return catalogs.New(catalogs.Config{
		Dynamic:         input.Dynamic,
		Kinds:           around.kinds,
		Operators:       input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Managers:        input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Snapshots:       known.snapshots,
		Changes:         known.changes,
		ProviderChanges: known.providers,
		Clock:           input.Clock,
		ReadGRPC:        newGRPCReader(input, budget),
		ReadHTTP:        newHTTPReader(input, budget),
		Recorder:        input.Recorder,
		Register:        input.RegisterCollector,
		Watched:         heard.add,
	})
}

func newPlatformOperator(ctx context.Context, input *Input, known *offers, around *surroundings, trials *managerversion.Trials) (factory.Controller, error) {
	return platformoperator.New(platformoperator.Config{
		OperatorClient:    input.Platform.PlatformV1alpha1().PlatformOperators(),
		DeploymentClient:  input.Platform.CoreV1alpha2().BundleDeployments(),
		Operators:         input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Deployments:       input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		ClusterVersions:   input.ConfigInformers.Config().V1().ClusterVersions(),
		Managers:          input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Limits:            known.limits.Read,
		LimitsChanged:     input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		Catalogs:          known.snapshots,
		CatalogsChanged:   known.changes,
		ProvidersChanged:  known.providers,
		Inventory:         around,
		KindsChanged:      around.kinds,
		ForeignChanged:    around.installations,
		KubernetesVersion: input.KubernetesVersion,
		Clock:             input.Clock,
		Recorder:          input.Recorder,
		Events:            newEvents(ctx, input, platformoperator.Name),
		Tried:             trials.Of(managerversion.KindPlatformOperator),
		Register:          input.RegisterCollector,
		RegisterVector:    input.Register,
	})
}

// newImages makes the fetcher of images, which reads pull secrets of our own namespace and the cluster's global one.
func newImages(input *Input) *image.Fetcher {
	return image.New(image.Config{Dial: input.Dial, PullSecrets: &image.PullSecrets{
		Client:    input.Kubernetes.CoreV1(),
		Namespace: input.Namespace,
		Global:    types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"},
	}})
}

func newBundle(ctx context.Context, input *Input, content *store.Content) (factory.Controller, error) {
	return bundle.New(ctx, bundle.Config{
		Client:       input.Platform.CoreV1alpha2().Bundles(),
		Bundles:      input.PlatformInformers.Core().V1alpha2().Bundles(),
		Classes:      input.PlatformInformers.Core().V1alpha2().ProvisionerClasses(),
		Content:      content,
		Sources:      sources.OfBundles(newImages(input)),
		Fetches:      4,
		BackoffFirst: 5 * time.Second,
		BackoffLast:  5 * time.Minute,
		Clock:        input.Clock,
		Recorder:     input.Recorder,
		Events:       newEvents(ctx, input, bundle.Name),
	})
}

func newBundleDeployment(ctx context.Context, input *Input, content *store.Content, trials *managerversion.Trials) (factory.Controller, error) {
	return bundledeployment.New(ctx, bundledeployment.Config{
		Client:       input.Platform.CoreV1alpha2().BundleDeployments(),
		Deployments:  input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Bundles:      input.PlatformInformers.Core().V1alpha2().Bundles(),
		Classes:      input.PlatformInformers.Core().V1alpha2().ProvisionerClasses(),
		Operators:    input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Namespace:    input.Namespace,
		Secrets:      input.Kubernetes.CoreV1().Secrets(input.Namespace),
		Dynamic:      input.Dynamic,
		Metadata:     input.Metadata,
		Discovery:    input.Discovery,
		Content:      content,
		Sources:      sources.OfBundleDeployments(newImages(input), input.PlatformInformers.Core().V1alpha2().Bundles().Lister()),
		Fetches:      4,
		BackoffFirst: 5 * time.Second,
		BackoffLast:  5 * time.Minute,
		Clock:        input.Clock,
		Recorder:     input.Recorder,
		Events:       newEvents(ctx, input, bundledeployment.Name),
		Tried:        trials.Of(managerversion.KindBundleDeployment),
		Register:     input.Register,
	})
}

// newEvents makes a recorder of Events on our own cluster-scoped objects; the API server keeps those in namespace "default".
func newEvents(ctx context.Context, input *Input, component string) record.EventRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx), record.WithCorrelatorOptions(events.RecommendedClusterSingletonCorrelatorOptions()))
	broadcaster.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: input.Kubernetes.CoreV1().Events("")})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "platform-operators-" + component})
}

func newOperatorHealth(input *Input) (factory.Controller, error) {
	return operatorhealth.New(operatorhealth.Config{
		OperatorClient:  input.Operator,
		Operators:       input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Deployments:     input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		ClusterVersions: input.ConfigInformers.Config().V1().ClusterVersions(),
		DegradedAfter:   input.Options.DegradedAfter,
		Clock:           input.Clock,
		Recorder:        input.Recorder,
	})
}

func newUpgradeGate(input *Input, known *offers, around *surroundings, permits *atomic.Bool) (factory.Controller, error) {
	return upgradegate.New(upgradegate.Config{
		Deployments:       input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Client:            input.Platform.OperatorV1alpha1().PlatformOperatorManagers(),
		Operators:         input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		ClusterVersions:   input.ConfigInformers.Config().V1().ClusterVersions(),
		Managers:          input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Limits:            known.limits.Read,
		LimitsChanged:     input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		Catalogs:          known.snapshots,
		CatalogsChanged:   known.changes,
		Inventory:         around,
		KubernetesVersion: input.KubernetesVersion,
		Clock:             input.Clock,
		Recorder:          input.Recorder,
		Watches:           watches.ConditionPrefix + "Degraded",
		Permits:           permits,
		Register:          input.RegisterCollector,
	})
}

func newManagerVersion(input *Input, versions status.VersionGetter, reports *managerversion.Reports, trials *managerversion.Trials) (factory.Controller, error) {
	return managerversion.New(managerversion.Config{
		OperatorClient:   input.Operator,
		Operators:        input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Deployments:      input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Client:           input.Platform.OperatorV1alpha1().PlatformOperatorManagers(),
		Managers:         input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		ClusterOperators: input.ConfigInformers.Config().V1().ClusterOperators(),
		ClusterOperator:  ClusterOperatorName,
		Version:          input.Options.OperatorVersion,
		Report:           versions.SetVersion,
		Reports:          reports,
		Trials:           trials,
		Limit:            input.Options.VersionWithin,
		Clock:            input.Clock,
		Recorder:         input.Recorder,
	})
}
