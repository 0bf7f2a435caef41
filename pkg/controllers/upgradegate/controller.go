// Package upgradegate says on the operator resource whether the installed operators permit the cluster's next minor
// version, and if not, which of them are in the way and what would unblock each.
//
// The rules are pkg/compat's; this package gathers the installed set and the versions that each blocker could be moved to.
// Only what is installed counts, as recorded in the PlatformOperators' status, so the answer stands while catalogs are
// away. A process that has just started leaves the verdict of the one before it until it has seen everything itself (judge.go).
package upgradegate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	operatorv1 "github.com/openshift/api/operator/v1"
	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
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

// Name is the controller's name; its field manager for status is "platform-operators-" and this.
const Name = "upgradegate"

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "UpgradeGateController"

const fieldManager = "platform-operators-" + Name

// ConditionType is the condition on the operator resource; library-go unites all that end in Upgradeable.
const ConditionType = "InstalledOperatorsUpgradeable"

// Catalogs is what this controller needs of the catalog snapshots. A seam for tests.
type Catalogs interface {
	// For returns what every trusted catalog holds of a package. It is cheap and never blocks.
	For(pkg string) []resolve.Catalog
	// Unlisted is as in resolve.ClusterState.
	Unlisted() []string
}

// Inventory is what this controller needs to know of the cluster beside its catalogs. A seam for tests.
type Inventory interface {
	// Kinds and ExternalPackages are as in resolve.ClusterState. They read memory only.
	Kinds() []resolve.Kind
	ExternalPackages() []resolve.ExternalPackage
}

// Config is everything the controller needs; every field is required.
type Config struct {
	Client          operatorclient.PlatformOperatorManagerInterface
	Operators       platforminformers.PlatformOperatorInformer
	Deployments     coreinformers.BundleDeploymentInformer
	ClusterVersions configv1informers.ClusterVersionInformer
	Managers        operatorinformers.PlatformOperatorManagerInformer
	// Limits reads what is kept of the limits of PlatformOperatorManagers, from memory; LimitsChanged tells of changes.
	Limits            func() (limits.Stored, error)
	LimitsChanged     factory.Informer
	Catalogs          Catalogs
	CatalogsChanged   factory.Informer
	Inventory         Inventory
	KubernetesVersion string
	Clock             clock.PassiveClock
	// SyncContext has the controller's queue, and the recorder of Events about the manager itself.
	SyncContext factory.SyncContext
	// Watches is the type of the operator resource's condition that health.Watches reports.
	Watches string
	// Permits is set to whether the last verdict of this process permits the cluster's next minor version; false before the first one.
	Permits *atomic.Bool
	// Register makes metrics known.
	Register func(metrics.StableCollector) error
}

type controller struct {
	client          operatorclient.PlatformOperatorManagerInterface
	operators       platformlisters.PlatformOperatorLister
	deployments     corelisters.BundleDeploymentLister
	clusterVersions configv1listers.ClusterVersionLister
	managers        operatorlisters.PlatformOperatorManagerLister
	limits          func() (limits.Stored, error)
	catalogs        Catalogs
	inventory       Inventory
	kubeVersion     string
	watches         string
	permits         *atomic.Bool
	clock           clock.PassiveClock
	gauge           *gauge

	// pace and memory are touched by whoever judges, which only one worker does at a time.
	pace   health.WriteLimiter
	memory memory
	search search
}

// Workers is how many workers the controller is to be run with: one that judges, one that searches remedies.
const Workers = 2

// New builds the controller. It has two queue keys, and is to be run with as many workers.
func New(config Config) (factory.Controller, error) {
	if config.Client == nil || config.Clock == nil || config.Operators == nil || config.Deployments == nil || config.ClusterVersions == nil || config.Managers == nil || config.Limits == nil || config.LimitsChanged == nil || config.Catalogs == nil ||
		config.CatalogsChanged == nil || config.Inventory == nil || config.KubernetesVersion == "" || config.Watches == "" || config.Permits == nil || config.SyncContext == nil || config.Register == nil {
		return nil, errors.New("building the upgradegate controller: a field of its Config is not set")
	}
	c := &controller{
		client:          config.Client,
		clock:           config.Clock,
		operators:       config.Operators.Lister(),
		deployments:     config.Deployments.Lister(),
		clusterVersions: config.ClusterVersions.Lister(),
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
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.Operators.Informer(), config.Deployments.Informer(), config.ClusterVersions.Informer(), config.Managers.Informer(), config.LimitsChanged, config.CatalogsChanged).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	if syncCtx.QueueKey() == remediesKey {
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
		defer syncCtx.Queue().Add(remediesKey) // the verdict is written first
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

// pause is how long a verdict has to wait that permits upgrades as the stored one does, and only counts other operators. One that
// blocks never waits.
func (c *controller) pause(condition operatorv1.OperatorCondition, clusterVersion string) time.Duration {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil || condition.Status != operatorv1.ConditionTrue || manager.Status.UpgradeGate == nil || manager.Status.UpgradeGate.ClusterVersion != clusterVersion {
		return 0
	}
	return c.pace.Wait(c.clock.Now(), manager.Status.Conditions, []operatorv1.OperatorCondition{condition})
}

func conditionOf(verdict compat.Verdict) operatorv1.OperatorCondition {
	status := operatorv1.ConditionFalse
	if verdict.Upgradeable {
		status = operatorv1.ConditionTrue
	}
	return operatorv1.OperatorCondition{Type: ConditionType, Status: status, Reason: verdict.Reason, Message: verdict.Message}
}

// Withdraw replaces, in a copy of the operator resource's status, the verdict of an earlier process that this one could not confirm in
// time.
func Withdraw(status *operatorv1.OperatorStatus, after time.Duration) {
	v1helpers.SetOperatorCondition(&status.Conditions, conditionOf(compat.CannotTell(fmt.Errorf(
		"the verdict in PlatformOperatorManager %q is from an earlier manager process, "+
			"and the running one could not confirm it within %s; see the manager's log",
		operatorv1alpha1.PlatformOperatorManagerName, after))))
}

// write writes the verdict and what it is for at once: a crash must not leave the one with the other of before.
func (c *controller) write(ctx context.Context, condition operatorv1.OperatorCondition, clusterVersion string) error {
	writer := managerstatus.Writer{Client: c.client, Managers: c.managers, FieldManager: fieldManager}
	err := writer.Modify(ctx, func(status *operatorv1alpha1.PlatformOperatorManagerStatus) {
		v1helpers.SetOperatorCondition(&status.Conditions, condition)
		status.UpgradeGate = &operatorv1alpha1.UpgradeGate{ClusterVersion: clusterVersion}
	})
	if err == nil {
		c.pace.Written(c.clock.Now())
	}
	if err != nil {
		return fmt.Errorf("writing the upgrade gate into PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	return nil
}

// bundlesOf lists what an operator contributes.
func (c *controller) bundlesOf(operator *platformv1alpha1.PlatformOperator, seen sight, remedies *remedies) []compat.Operator {
	var result []compat.Operator
	for _, bundle := range compat.CountedBundles(operator, seen.deployments[operator.Name]) {
		entry := compat.Operator{Kind: compat.KindPlatformOperator, Name: operator.Name, Package: operator.Spec.Package.Name, Version: bundle.Version, Max: bundle.Max}
		entry.Acknowledged, _ = c.override(resolve.OverridesOf(operator), seen.on)
		if len(entry.Max) > 0 {
			var known bool
			entry.Candidates, entry.IncompleteReason, known = remedies.of(operator, seen.on.Version)
			entry.Unsearched = !known
		}
		result = append(result, entry)
	}
	return result
}

// bundlesOfDeployment lists what a BundleDeployment contributes that no PlatformOperator owns.
func (c *controller) bundlesOfDeployment(deployment *corev1alpha2.BundleDeployment, on resolve.Cluster) (result []compat.Operator) {
	effective, ignored := c.override(resolve.Overrides(deployment.Spec.CompatibilityOverrides), on)
	for _, bundle := range compat.CountedBundles(nil, deployment) {
		result = append(result, compat.Operator{
			Kind: compat.KindBundleDeployment, Name: deployment.Name, Package: bundle.Package, Version: bundle.Version, Max: bundle.Max,
			Acknowledged: effective, Ignored: ignored,
		})
	}
	return result
}

// override is the one that counts of some overrides, nil when none does, and why the others do not.
func (c *controller) override(overrides []compat.Override, on resolve.Cluster) (*compat.Override, []string) {
	cluster, err := compat.ParseClusterVersion(on.Version)
	if err != nil || len(overrides) == 0 {
		return nil, nil // what cannot be read, the verdict says
	}
	return compat.JudgeOverrides(cluster.Next(), overrides, c.clock.Now())
}

// removed says whether an operator has been taken down, though its PlatformOperator is still there: others keep it.
func removed(operator *platformv1alpha1.PlatformOperator) bool {
	return operator.DeletionTimestamp != nil && !slices.Contains(operator.Finalizers, platformv1alpha1.Finalizer)
}
