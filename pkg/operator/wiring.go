package operator

import (
	"time"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/bindata"
	"github.com/openshift/platform-operators/pkg/admissionpolicies"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/controllers/bundle"
	"github.com/openshift/platform-operators/pkg/controllers/bundledeployment"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
	"github.com/openshift/platform-operators/pkg/controllers/managerlimits"
	"github.com/openshift/platform-operators/pkg/controllers/managerversion"
	"github.com/openshift/platform-operators/pkg/controllers/operatorhealth"
	"github.com/openshift/platform-operators/pkg/controllers/platformoperator"
	"github.com/openshift/platform-operators/pkg/controllers/upgradegate"
	"github.com/openshift/platform-operators/pkg/controllers/watches"
	"github.com/openshift/platform-operators/pkg/source/sources"
	"github.com/openshift/platform-operators/pkg/store"
)

const (
	// fetchesPerHost is the maximum number of sources that a controller fetches from one host concurrently. It applies to bundle and to
	// bundledeployment separately.
	fetchesPerHost = 4
	// firstRetry and lastRetry are the shortest and the longest delay of the exponential backoff after a failure.
	firstRetry, lastRetry = 5 * time.Second, 5 * time.Minute
)

func (b *builder) newManagerLimits(syncContext factory.SyncContext) (factory.Controller, error) {
	return managerlimits.New(managerlimits.Config{
		OperatorClient: b.input.Operator,
		Managers:       b.input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Deployments:    b.input.PlatformInformers.Core().V1alpha2().BundleDeployments().Informer(),
		Store:          b.catalogs.limits,
		Stored:         b.input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		SyncContext:    syncContext,
	})
}

func (b *builder) newCatalogs(syncContext factory.SyncContext) (*catalogs.Controller, error) {
	return catalogs.New(catalogs.Config{
		Dynamic:         b.input.Dynamic,
		Kinds:           b.inventory.kinds,
		Operators:       b.input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Managers:        b.input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Deployments:     b.input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Snapshots:       b.catalogs.snapshots,
		Changes:         b.catalogs.changes,
		ProviderChanges: b.catalogs.providers,
		Clock:           b.input.Clock,
		ReadGRPC:        b.input.ReadGRPC,
		ReadHTTP:        b.input.ReadHTTP,
		SyncContext:     syncContext,
		Register:        b.input.RegisterCollector,
		Watched:         b.watchErrorSetters.add,
		Tasks:           b.tasks,
	})
}

func (b *builder) newPlatformOperator(syncContext factory.SyncContext) (factory.Controller, error) {
	return platformoperator.New(platformoperator.Config{
		OperatorClient:    b.input.Platform.PlatformV1alpha1().PlatformOperators(),
		DeploymentClient:  b.input.Platform.CoreV1alpha2().BundleDeployments(),
		Operators:         b.input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Deployments:       b.input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		ClusterVersions:   b.input.clusterVersions(b.inventory.kinds),
		HasVersions:       b.input.ConfigInformers.Config().V1().ClusterVersions().Informer().HasSynced,
		Managers:          b.input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Limits:            b.catalogs.limits.Read,
		LimitsChanged:     b.input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		Catalogs:          b.catalogs.snapshots,
		CatalogsChanged:   b.catalogs.changes,
		ProvidersChanged:  b.catalogs.providers,
		Inventory:         b.inventory,
		KindsChanged:      b.inventory.kinds,
		ForeignChanged:    b.inventory.installations,
		KubernetesVersion: b.input.KubernetesVersion,
		Clock:             b.input.Clock,
		SyncContext:       syncContext,
		Events:            b.input.NewEvents(b.ctx, platformoperator.Name),
		Synced:            b.firstSyncs.Of(managerversion.KindPlatformOperator),
		IsOneRound:        b.input.AwaitTasks,
		Register:          b.input.RegisterCollector,
		RegisterVector:    b.input.Register,
	})
}

// onImageConfigChange registers a function that is called when the cluster's image configuration changes, with the namespace to which the change is
// limited; empty if it is not.
func (b *builder) onImageConfigChange(changed func(namespace string)) {
	if b.imageConfig != nil {
		b.imageConfig.OnChange(changed)
	}
}

// onImageConfigChangeOfBundles is like onImageConfigChange for changes that apply to Bundles: of ImagePolicies, those in the manager's namespace.
func (b *builder) onImageConfigChangeOfBundles(changed func()) {
	b.onImageConfigChange(func(namespace string) {
		if namespace == "" || namespace == b.input.Namespace {
			changed()
		}
	})
}

func (b *builder) newBundle(syncContext factory.SyncContext) (factory.Controller, error) {
	return bundle.New(b.ctx, bundle.Config{
		Client:              b.input.Platform.CoreV1alpha2().Bundles(),
		Bundles:             b.input.PlatformInformers.Core().V1alpha2().Bundles(),
		Classes:             b.input.PlatformInformers.Core().V1alpha2().ProvisionerClasses(),
		Content:             b.content,
		Sources:             sources.OfBundles(b.input.Images),
		OnImageConfigChange: b.onImageConfigChangeOfBundles,
		Fetches:             fetchesPerHost,
		BackoffFirst:        firstRetry,
		BackoffLast:         lastRetry,
		Clock:               b.input.Clock,
		SyncContext:         syncContext,
		Events:              b.input.NewEvents(b.ctx, bundle.Name),
		Tasks:               b.tasks,
	})
}

// newEngine builds the engine that applies objects with the manager's own identity. The engine adds the owner of each changed object to the
// queue.
func (b *builder) newEngine(syncContext factory.SyncContext) (*apply.Engine, error) {
	deployments := b.input.PlatformInformers.Core().V1alpha2().BundleDeployments().Lister()
	return apply.New(b.ctx, apply.Config{
		Dynamic:   b.input.Dynamic,
		Metadata:  b.input.Metadata,
		Discovery: b.input.Discovery,
		Clock:     b.input.Clock,
		Changed:   func(owner string) { syncContext.Queue().Add(owner) },
		Deployed: func(name string) (time.Time, bool) {
			found, err := deployments.Get(name)
			if err != nil {
				return time.Time{}, false
			}
			return found.CreationTimestamp.Time, true
		},
		Tasks: b.tasks,
	})
}

func (b *builder) newBundleDeployment(syncContext factory.SyncContext, engine *apply.Engine) (factory.Controller, error) {
	policies, err := bindata.Policies()
	if err != nil {
		return nil, err
	}
	return bundledeployment.New(b.ctx, bundledeployment.Config{
		Client:              b.input.Platform.CoreV1alpha2().BundleDeployments(),
		Deployments:         b.input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Bundles:             b.input.PlatformInformers.Core().V1alpha2().Bundles(),
		Classes:             b.input.PlatformInformers.Core().V1alpha2().ProvisionerClasses(),
		Operators:           b.input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Definitions:         b.inventory.kinds,
		Namespace:           b.input.Namespace,
		Secrets:             b.input.Kubernetes.CoreV1().Secrets(b.input.Namespace),
		Stored:              b.input.RevisionSecrets,
		Discovery:           b.input.Discovery,
		Identities:          b.input.Identities,
		Accounts:            b.input.Kubernetes.CoreV1(),
		Plans:               store.NewPlans(b.input.Kubernetes.CoreV1(), b.input.Namespace, b.input.Random),
		Policies:            admissionpolicies.NewReader(b.input.Kubernetes.AdmissionregistrationV1(), policies...),
		Engine:              engine,
		Content:             b.content,
		Sources:             sources.OfBundleDeployments(b.input.Images, b.input.PlatformInformers.Core().V1alpha2().Bundles().Lister()),
		OnImageConfigChange: b.onImageConfigChange,
		Fetches:             fetchesPerHost,
		BackoffFirst:        firstRetry,
		BackoffLast:         lastRetry,
		Clock:               b.input.Clock,
		SyncContext:         syncContext,
		Events:              b.input.NewEvents(b.ctx, bundledeployment.Name),
		Synced:              b.firstSyncs.Of(managerversion.KindBundleDeployment),
		Grants:              b.input.DeniedWrites.Grants,
		Register:            b.input.Register,
		Tasks:               b.tasks,
	})
}

func (b *builder) newOperatorHealth(syncContext factory.SyncContext) (factory.Controller, error) {
	return operatorhealth.New(operatorhealth.Config{
		OperatorClient:  b.input.Operator,
		Operators:       b.input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Deployments:     b.input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		ClusterVersions: b.input.clusterVersions(b.inventory.kinds),
		DegradedAfter:   b.input.Options.DegradedAfter,
		Clock:           b.input.Clock,
		SyncContext:     syncContext,
	})
}

func (b *builder) newUpgradeGate(syncContext factory.SyncContext) (factory.Controller, error) {
	return upgradegate.New(upgradegate.Config{
		Deployments:       b.input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Client:            b.input.Platform.OperatorV1alpha1().PlatformOperatorManagers(),
		Operators:         b.input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		ClusterVersions:   b.input.clusterVersions(b.inventory.kinds),
		FeatureGates:      b.input.ConfigInformers.Config().V1().FeatureGates(),
		Managers:          b.input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		Limits:            b.catalogs.limits.Read,
		LimitsChanged:     b.input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		Catalogs:          b.catalogs.snapshots,
		CatalogsChanged:   b.catalogs.changes,
		Inventory:         b.inventory,
		KubernetesVersion: b.input.KubernetesVersion,
		Clock:             b.input.Clock,
		SyncContext:       syncContext,
		Watches:           watches.ConditionPrefix + "Degraded",
		Permits:           b.permits,
		Register:          b.input.RegisterCollector,
	})
}

func (b *builder) newManagerVersion(syncContext factory.SyncContext) (factory.Controller, error) {
	return managerversion.New(managerversion.Config{
		OperatorClient:   b.input.Operator,
		Operators:        b.input.PlatformInformers.Platform().V1alpha1().PlatformOperators(),
		Deployments:      b.input.PlatformInformers.Core().V1alpha2().BundleDeployments(),
		Client:           b.input.Platform.OperatorV1alpha1().PlatformOperatorManagers(),
		Managers:         b.input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers(),
		ClusterOperators: b.input.clusterOperators(b.inventory.kinds),
		ClusterOperator:  ClusterOperatorName,
		Version:          b.input.Options.OperatorVersion,
		Report:           b.setVersion,
		Reports:          b.reports,
		FirstSyncs:       b.firstSyncs,
		Limit:            b.input.Options.VersionWithin,
		Clock:            b.input.Clock,
		SyncContext:      syncContext,
	})
}
