// Package upgradegate reports on the operator resource whether the installed operators permit the cluster's next minor version. If not, it
// reports which operators block it and how to unblock each.
//
// The rules are in pkg/compat; this package collects the installed bundles and the candidate versions of each blocker. The installed
// bundles are in the status of PlatformOperators and BundleDeployments, so the verdict does not change while catalogs are unavailable. A
// new process keeps the verdict of the previous process until it has complete input itself (judge.go).
package upgradegate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	operatorv1 "github.com/openshift/api/operator/v1"
	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	operatorclient "github.com/openshift/platform-operators/pkg/client/clientset/versioned/typed/operator/v1alpha1"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/managerstatus"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// Name is the controller's name. Its field manager for status is "platform-operators-" followed by this name.
const Name = "upgradegate"

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "UpgradeGateController"

const fieldManager = "platform-operators-" + Name

// ConditionType is the type of the condition on the operator resource. library-go merges all conditions whose type ends in Upgradeable.
const ConditionType = "InstalledOperatorsUpgradeable"

// Catalogs is the part of the catalog snapshots that the controller uses.
type Catalogs interface {
	// For returns the content of a package in each trusted catalog, from memory.
	For(pkg string) []resolve.Catalog
	// Unlisted returns the kinds of catalogs that have not been listed, as in resolve.ClusterState.
	Unlisted() []string
}

// Inventory is the part of the cluster's inventory that the controller uses.
type Inventory interface {
	// Kinds returns the kinds that the cluster serves. ExternalPackages returns the packages that other installers manage. Both read memory
	// only.
	Kinds() []resolve.Kind
	ExternalPackages() []resolve.ExternalPackage
}

// Config configures the controller. Every field is required.
type Config struct {
	Client          operatorclient.PlatformOperatorManagerInterface
	Operators       platforminformers.PlatformOperatorInformer
	Deployments     coreinformers.BundleDeploymentInformer
	ClusterVersions configv1informers.ClusterVersionInformer
	// FeatureGates may stay unsynced: a cluster may have ClusterVersion but not FeatureGate.
	FeatureGates configv1informers.FeatureGateInformer
	Managers     operatorinformers.PlatformOperatorManagerInformer
	// Limits returns the stored limits of PlatformOperatorManagers, from memory. LimitsChanged reports changes to them.
	Limits            func() (limits.Stored, error)
	LimitsChanged     factory.Informer
	Catalogs          Catalogs
	CatalogsChanged   factory.Informer
	Inventory         Inventory
	KubernetesVersion string
	Clock             clock.PassiveClock
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
	// Watches is the type that the condition from health.WatchCondition has on the operator resource.
	Watches string
	// Permits is true while the last verdict of this process permits the cluster's next minor version. The controller sets it.
	Permits *atomic.Bool
	// Register registers metrics.
	Register func(metrics.StableCollector) error
}

type controller struct {
	client          operatorclient.PlatformOperatorManagerInterface
	operators       platformlisters.PlatformOperatorLister
	deployments     corelisters.BundleDeploymentLister
	clusterVersions configv1listers.ClusterVersionLister
	featureGates    configv1listers.FeatureGateLister
	hasFeatureGates func() bool
	managers        operatorlisters.PlatformOperatorManagerLister
	limits          func() (limits.Stored, error)
	catalogs        Catalogs
	inventory       Inventory
	kubeVersion     string
	watches         string
	permits         *atomic.Bool
	clock           clock.PassiveClock
	gauge           *gauge

	// Only the sync of verdicts uses writeLimiter and memory. One such sync runs at a time.
	writeLimiter health.WriteLimiter
	memory       memory
	search       search
}

// Workers is the number of workers: one for verdicts, one for the search for remedies.
const Workers = 2

// New returns the controller. It has two queue keys, and needs Workers workers.
func New(config Config) (factory.Controller, error) {
	if config.Client == nil || config.Clock == nil || config.Operators == nil || config.Deployments == nil || config.ClusterVersions == nil || config.FeatureGates == nil || config.Managers == nil || config.Limits == nil || config.LimitsChanged == nil || config.Catalogs == nil ||
		config.CatalogsChanged == nil || config.Inventory == nil || config.KubernetesVersion == "" || config.Watches == "" || config.Permits == nil || config.SyncContext == nil || config.Register == nil {
		return nil, errors.New("building the upgradegate controller: a field of its Config is not set")
	}
	c := &controller{
		client:          config.Client,
		clock:           config.Clock,
		operators:       config.Operators.Lister(),
		deployments:     config.Deployments.Lister(),
		clusterVersions: config.ClusterVersions.Lister(),
		featureGates:    config.FeatureGates.Lister(),
		hasFeatureGates: config.FeatureGates.Informer().HasSynced,
		managers:        config.Managers.Lister(),
		limits:          config.Limits,
		catalogs:        config.Catalogs,
		inventory:       config.Inventory,
		kubeVersion:     config.KubernetesVersion,
		watches:         config.Watches,
		permits:         config.Permits,
		gauge:           &gauge{},
	}
	if err := config.Register(c.gauge); err != nil {
		return nil, fmt.Errorf("registering metric %q and those beside it: %w", platformv1alpha1.MetricBlockers, err)
	}
	enqueue := func(any) { config.SyncContext.Queue().Add(factory.DefaultQueueKey) }
	// Not with WithInformers, which waits for the informer.
	if _, err := config.FeatureGates.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, updated any) { enqueue(updated) }, DeleteFunc: enqueue,
	}); err != nil {
		return nil, fmt.Errorf("adding a handler of FeatureGates: %w", err)
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.Operators.Informer(), config.Deployments.Informer(), config.ClusterVersions.Informer(), config.Managers.Informer(), config.LimitsChanged, config.CatalogsChanged).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	if syncCtx.QueueKey() == RemediesKey {
		changed, err := c.search.run(ctx, c)
		if changed {
			syncCtx.Queue().Add(factory.DefaultQueueKey)
		}
		return err
	}
	found := c.judge()
	if found.again > 0 {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, found.again)
	}
	if found.search {
		defer syncCtx.Queue().Add(RemediesKey) // the verdict is written first
	}
	c.permits.Store(found.permits())
	if found.verdict == nil {
		return nil
	}
	condition := conditionOf(*found.verdict)
	if wait := c.pause(condition, found.version); wait > 0 && found.verdict.OnlyCounts() {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
		return nil
	}
	return c.write(ctx, condition, found.version)
}

// pause returns the time for which the write of a verdict may be delayed. It returns 0 unless the verdict and the stored verdict are for
// the same cluster version and both permit upgrades. So a blocking verdict is never delayed.
func (c *controller) pause(condition operatorv1.OperatorCondition, clusterVersion string) time.Duration {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil || condition.Status != operatorv1.ConditionTrue || manager.Status.UpgradeGate == nil || manager.Status.UpgradeGate.ClusterVersion != clusterVersion {
		return 0
	}
	return c.writeLimiter.Wait(c.clock.Now(), manager.Status.Conditions, []operatorv1.OperatorCondition{condition})
}

func conditionOf(verdict compat.Verdict) operatorv1.OperatorCondition {
	status := operatorv1.ConditionFalse
	if verdict.Upgradeable {
		status = operatorv1.ConditionTrue
	}
	return operatorv1.OperatorCondition{Type: ConditionType, Status: status, Reason: verdict.Reason, Message: verdict.Message}
}

// Withdraw replaces the verdict of an earlier process in a status with one that blocks upgrades. after is the time that the message names.
// The caller applies Withdraw to a copy of the status if this process could not confirm the verdict in time.
func Withdraw(status *operatorv1.OperatorStatus, after time.Duration) {
	v1helpers.SetOperatorCondition(&status.Conditions, conditionOf(compat.CannotTell(fmt.Errorf(
		"the verdict in PlatformOperatorManager %q is from an earlier manager process, "+
			"and the running one could not confirm it within %s; see the manager's log",
		operatorv1alpha1.PlatformOperatorManagerName, after))))
}

// write writes the verdict and its cluster version in one request, so that a crash cannot separate them.
func (c *controller) write(ctx context.Context, condition operatorv1.OperatorCondition, clusterVersion string) error {
	writer := managerstatus.Writer{Client: c.client, Managers: c.managers, FieldManager: fieldManager}
	err := writer.Modify(ctx, func(status *operatorv1alpha1.PlatformOperatorManagerStatus) {
		managerstatus.SetOperatorCondition(&status.Conditions, condition, c.clock.Now())
		status.UpgradeGate = &operatorv1alpha1.UpgradeGate{ClusterVersion: clusterVersion}
	})
	if err == nil {
		c.writeLimiter.Written(c.clock.Now())
	}
	if err != nil {
		return fmt.Errorf("writing the upgrade gate into PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	return nil
}

// bundlesOf returns an operator's bundles as input for the verdict.
func (c *controller) bundlesOf(operator *platformv1alpha1.PlatformOperator, in input, remedies *remedies) []compat.Operator {
	var result []compat.Operator
	for _, bundle := range compat.CountedBundles(operator, in.deployments[operator.Name]) {
		entry := compat.Operator{Kind: compat.KindPlatformOperator, Name: operator.Name, Package: operator.Spec.Package.Name, Version: bundle.Version, Max: bundle.Max}
		entry.Overrides, entry.Paused = len(operator.Spec.CompatibilityOverrides), operator.Spec.Paused
		entry.AwaitedPlan = compat.AwaitedPlanOf(in.deployments[operator.Name])
		entry.Acknowledged, entry.Ignored = c.override(resolve.OverridesOf(operator), in.cluster)
		if len(entry.Max) > 0 {
			var known bool
			entry.Candidates, entry.IncompleteReason, known = remedies.of(operator, in.cluster.Version)
			entry.Unsearched = !known
		}
		result = append(result, entry)
	}
	return result
}

// override returns the effective override and the ignored ones. The effective override is nil if there is none. If the cluster version
// cannot be parsed, both results are nil.
func (c *controller) override(overrides []compat.Override, cluster resolve.Cluster) (*compat.Override, []compat.IgnoredOverride) {
	current, err := compat.ParseClusterVersion(cluster.Version)
	if err != nil || len(overrides) == 0 {
		return nil, nil // the verdict reports an unreadable version
	}
	return compat.JudgeOverrides(current.Next(), overrides, c.clock.Now())
}

// removed reports whether an operator was removed although its PlatformOperator still exists, because finalizers of other controllers hold
// it.
func removed(operator *platformv1alpha1.PlatformOperator) bool {
	return operator.DeletionTimestamp != nil && !slices.Contains(operator.Finalizers, platformv1alpha1.Finalizer)
}
