// Package upgradegate says on the operator resource whether the installed operators permit the cluster's next minor
// version, and if not, which of them are in the way and what would unblock each.
//
// The rules are pkg/compat's; this package gathers the installed set and the versions that each blocker could be moved to.
// Only what is installed counts, as recorded in the PlatformOperators' status, so the answer stands while catalogs are
// away.
package upgradegate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-base/metrics"
	"k8s.io/klog/v2"

	operatorv1 "github.com/openshift/api/operator/v1"
	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// Name is the controller's name.
const Name = "upgradegate"

// ConditionType is the condition on the operator resource; library-go unites all that end in Upgradeable.
const ConditionType = "InstalledOperatorsUpgradeable"

// Catalogs is what this controller needs of the catalog snapshots. A seam for tests.
type Catalogs interface {
	// For returns what every trusted catalog holds of a package. It is cheap and never blocks.
	For(pkg string) []resolve.Catalog
}

// Inventory is what this controller needs to know of the cluster beside its catalogs. A seam for tests.
type Inventory interface {
	// Kinds and Foreign are as in resolve.World. They read memory only.
	Kinds() []resolve.Kind
	Foreign() []resolve.Foreign
}

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient    v1helpers.OperatorClient
	Operators         platforminformers.PlatformOperatorInformer
	ClusterVersions   configv1informers.ClusterVersionInformer
	Managers          operatorinformers.PlatformOperatorManagerInformer
	Catalogs          Catalogs
	CatalogsChanged   factory.Informer
	Inventory         Inventory
	KubernetesVersion string
	Recorder          events.Recorder
	// Register makes metrics known.
	Register func(metrics.StableCollector) error
}

type controller struct {
	operatorClient  v1helpers.OperatorClient
	operators       platformlisters.PlatformOperatorLister
	clusterVersions configv1listers.ClusterVersionLister
	managers        operatorlisters.PlatformOperatorManagerLister
	catalogs        Catalogs
	inventory       Inventory
	kubeVersion     string
	gauge           *gauge
}

// New builds the controller. It has one queue key.
func New(config Config) (factory.Controller, error) {
	if config.OperatorClient == nil || config.Operators == nil || config.ClusterVersions == nil || config.Managers == nil || config.Catalogs == nil ||
		config.CatalogsChanged == nil || config.Inventory == nil || config.KubernetesVersion == "" || config.Recorder == nil || config.Register == nil {
		return nil, errors.New("building the upgradegate controller: a field of its Config is not set")
	}
	c := &controller{
		operatorClient:  config.OperatorClient,
		operators:       config.Operators.Lister(),
		clusterVersions: config.ClusterVersions.Lister(),
		managers:        config.Managers.Lister(),
		catalogs:        config.Catalogs,
		inventory:       config.Inventory,
		kubeVersion:     config.KubernetesVersion,
		gauge:           &gauge{},
	}
	if err := config.Register(c.gauge); err != nil {
		return nil, fmt.Errorf("registering metrics %q and %q: %w", platformv1alpha1.MetricBlockers, platformv1alpha1.MetricUndeclared, err)
	}
	return factory.New().
		WithSync(c.sync).
		WithInformers(config.Operators.Informer(), config.ClusterVersions.Informer(), config.Managers.Informer(), config.OperatorClient.Informer(), config.CatalogsChanged).
		ToController(Name, config.Recorder), nil
}

func (c *controller) sync(ctx context.Context, _ factory.SyncContext) error {
	verdict := c.evaluate()
	c.gauge.set(verdict)
	status := operatorv1.ConditionFalse
	if verdict.Upgradeable {
		status = operatorv1.ConditionTrue
	}
	_, _, err := v1helpers.UpdateStatus(ctx, c.operatorClient, v1helpers.UpdateConditionFn(operatorv1.OperatorCondition{
		Type: ConditionType, Status: status, Reason: verdict.Reason, Message: verdict.Message,
	}))
	if err != nil {
		return fmt.Errorf("writing the upgrade gate: %w", err)
	}
	return nil
}

// evaluate never fails open: what cannot be read is a verdict of its own.
func (c *controller) evaluate() compat.Verdict {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return compat.CannotTell(fmt.Errorf("listing PlatformOperators: %w", err))
	}
	clusterVersion, err := c.clusterVersions.Get("version")
	if apierrors.IsNotFound(err) {
		return compat.Verdict{Upgradeable: true, Reason: platformv1alpha1.ReasonAsExpected,
			Message: "This cluster has no ClusterVersion, so there is no cluster upgrade to gate."}
	}
	if err != nil {
		return compat.CannotTell(fmt.Errorf("reading ClusterVersion \"version\": %w", err))
	}
	on := resolve.Cluster{Version: clusterVersion.Status.Desired.Version, KubeVersion: c.kubeVersion}
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	switch {
	case err == nil:
		on.Manager = manager.Spec
	case !apierrors.IsNotFound(err): // it is created again at once, with defaults
		return compat.CannotTell(fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err))
	}
	var installed []compat.Operator
	for _, operator := range operators {
		installed = append(installed, c.bundlesOf(operator, on)...)
	}
	verdict, err := compat.Evaluate(on.Version, installed)
	if err != nil {
		klog.Warningf("judging the installed operators: %v", err) // the verdict says so too
	}
	return verdict
}

// bundlesOf lists what an operator contributes: its installed bundle and, during a hop, also the bundle that is being
// moved to, because the stricter of the two counts until the hop has ended.
func (c *controller) bundlesOf(operator *platformv1alpha1.PlatformOperator, on resolve.Cluster) []compat.Operator {
	installed := operator.Status.Installed
	if installed == nil || removed(operator) {
		return nil // what was never installed, or has been taken down, blocks nobody
	}
	bundles := []*platformv1alpha1.InstalledBundle{installed}
	if target := operator.Status.Target; target != nil && target.Hop != nil {
		bundles = append(bundles, target.Hop)
	}
	var result []compat.Operator
	for _, bundle := range bundles {
		entry := compat.Operator{Name: operator.Name, Package: operator.Spec.Package.Name, Version: bundle.Version,
			Max: compat.Recalled(bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions)}
		if len(entry.Max) > 0 {
			entry.Candidates, entry.Unread = c.moves(operator, on)
		}
		result = append(result, entry)
	}
	return result
}

// removed says whether an operator has been taken down, though its PlatformOperator is still there: others keep it.
func removed(operator *platformv1alpha1.PlatformOperator) bool {
	return operator.DeletionTimestamp != nil && !slices.Contains(operator.Finalizers, platformv1alpha1.Finalizer)
}

// moves lists the versions that the operator could be moved to, those that its own spec keeps out included: to widen the
// spec is a remedy that the admin has.
func (c *controller) moves(operator *platformv1alpha1.PlatformOperator, on resolve.Cluster) (candidates []compat.Candidate, unread string) {
	request, err := resolve.RequestFor(operator, operator.Status.Installed.Version, on)
	if err != nil {
		return nil, err.Error()
	}
	// What others have is there to stay, as far as a remedy for this one is concerned.
	world := resolve.World{Catalogs: c.catalogs.For, Kinds: c.inventory.Kinds(), Foreign: c.inventory.Foreign()}
	decision := resolve.Together([]resolve.Request{request}, world)[request.Operator]
	return decision.Moves(), decision.Unread
}
