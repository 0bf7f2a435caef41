// Package managerversion reports the manager's own version in the ClusterOperator. After an update, the ClusterOperator keeps the earlier
// version, with Progressing true, until this process has reconciled each PlatformOperator and BundleDeployment that existed at its start.
// Any result of these syncs is sufficient, so that a user's error does not delay the cluster's update.
//
// The controllers of those kinds report reconciled objects to FirstSyncs. The package writes one condition and status.rollout of the
// operator resource. library-go's StatusSyncer writes the version, and Reports records the status from which it was written.
package managerversion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"
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
	"github.com/openshift/platform-operators/pkg/managerstatus"
)

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "ManagerVersionController"

const fieldManager = "platform-operators-managerversion"

// ConditionType is the type of the condition on the operator resource. library-go merges all conditions whose type ends in Progressing.
const ConditionType = "ManagerProgressing"

// Operand is the name of the operand whose version the ClusterOperator reports.
const Operand = "operator"

// Kinds of reconciled objects, for FirstSyncs.Of.
const (
	KindPlatformOperator = "PlatformOperator"
	KindBundleDeployment = "BundleDeployment"
)

// maxNamed is the maximum number of objects that the log names when Config.Limit has passed.
const maxNamed = 10

// Config configures the controller. Every field is required.
type Config struct {
	OperatorClient   v1helpers.OperatorClient
	Operators        platforminformers.PlatformOperatorInformer
	Deployments      coreinformers.BundleDeploymentInformer
	ClusterOperators configv1informers.ClusterOperatorInformer
	// ClusterOperator is the name of the manager's ClusterOperator.
	ClusterOperator string
	// Version is the manager's own version.
	Version string
	// Client and Managers access the operator resource.
	Client   operatorclient.PlatformOperatorManagerInterface
	Managers operatorinformers.PlatformOperatorManagerInformer
	// Report passes the version to StatusSyncer, which writes it to the ClusterOperator.
	Report     func(operand, version string)
	Reports    *Reports
	FirstSyncs *FirstSyncs
	// Limit is the maximum duration of a rollout, from the first sync of any process of this version. After it, the version is reported
	// even if objects are not reconciled.
	Limit time.Duration
	Clock clock.PassiveClock
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
}

func (c Config) validate() error {
	if c.OperatorClient == nil || c.Operators == nil || c.Deployments == nil || c.ClusterOperators == nil || c.ClusterOperator == "" ||
		c.Version == "" || c.Client == nil || c.Managers == nil || c.Report == nil || c.Reports == nil || c.FirstSyncs == nil || c.Limit <= 0 || c.Clock == nil || c.SyncContext == nil {
		return errors.New("building the managerversion controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	managers         operatorlisters.PlatformOperatorManagerLister
	writer           managerstatus.Writer
	operators        platformlisters.PlatformOperatorLister
	deployments      corelisters.BundleDeploymentLister
	clusterOperators configv1listers.ClusterOperatorLister
	clusterOperator  string
	version          string
	report           func(operand, version string)
	reports          *Reports
	firstSyncs       *FirstSyncs
	limit            time.Duration
	clock            clock.PassiveClock

	// The fields below keep state between syncs. They need no lock, because only one sync runs at a time. started is the start of the
	// rollout. found are the objects that existed at the first sync and are not reconciled yet. empty is true if no objects existed then.
	// reported is true once the version is reported.
	started         time.Time
	found           []syncedObject
	empty, reported bool
}

// New returns the controller. It has one queue key, and needs one worker.
func New(config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	managers := config.Managers.Lister()
	c := &controller{
		managers:         managers,
		writer:           managerstatus.Writer{Client: config.Client, Managers: managers, FieldManager: fieldManager},
		operators:        config.Operators.Lister(),
		deployments:      config.Deployments.Lister(),
		clusterOperators: config.ClusterOperators.Lister(),
		clusterOperator:  config.ClusterOperator,
		version:          config.Version,
		report:           config.Report,
		reports:          config.Reports,
		firstSyncs:       config.FirstSyncs,
		limit:            config.Limit,
		clock:            config.Clock,
	}
	enqueue := func() { config.SyncContext.Queue().Add(factory.DefaultQueueKey) }
	c.firstSyncs.onFirstSync(enqueue)
	c.reports.onChange(enqueue)
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.Managers.Informer(), config.Operators.Informer(), config.Deployments.Informer(), config.ClusterOperators.Informer()).
		WithSyncDegradedOnError(config.OperatorClient).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	if !c.reported {
		working, err := c.isRollingOut(syncCtx)
		if err != nil {
			return err
		}
		if working {
			return c.write(ctx, operatorv1.OperatorCondition{
				Status: operatorv1.ConditionTrue, Reason: operatorv1alpha1.ReasonWorkingTowardsVersion, Message: "Working towards " + c.version,
			}, operatorv1alpha1.VersionRollout{Version: c.version, StartedTime: metav1.NewTime(c.started)})
		}
		// Report the version before the condition: the CVO, which waits for the version, then sees it while Progressing is still True.
		c.report(Operand, c.version)
		c.reported, c.found = true, nil
		c.firstSyncs.stop()
		c.reports.onChange(nil)
	}
	return c.write(ctx, operatorv1.OperatorCondition{Status: operatorv1.ConditionFalse, Reason: platformv1alpha1.ReasonAsExpected}, operatorv1alpha1.VersionRollout{})
}

// isRollingOut reports whether the version must not be reported yet. If so, it queues another sync for the end of the limit.
func (c *controller) isRollingOut(syncCtx factory.SyncContext) (bool, error) {
	if c.started.IsZero() {
		found, err := c.all()
		if err != nil {
			return false, err
		}
		started, err := c.startedTime()
		if err != nil {
			return false, err
		}
		c.found, c.empty, c.started = found, len(found) == 0, started
	}
	reported, err := c.reportedVersion()
	switch {
	case err != nil:
		return false, err
	case reported == c.version:
		return false, nil // a restart is no rollout
	case reported == "" && c.empty:
		return false, nil // a first start without objects
	}
	if err := c.dropSynced(); err != nil {
		return false, err
	}
	// A short rollout is reported, too, because the version must never change without Progressing.
	if len(c.found) == 0 {
		if reported, err := c.isRolloutReported(); err != nil || reported {
			return false, err
		}
	}
	wait := c.started.Add(c.limit).Sub(c.clock.Now())
	if wait <= 0 {
		klog.Warningf("reporting version %q after %s, though %d objects were not tried yet: %s", c.version, c.limit, len(c.found), named(c.found))
		return false, nil
	}
	syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
	return true, nil
}

// startedTime returns the start of this version's rollout. A start that an earlier process of this version recorded remains valid, so that
// restarts do not extend the wait. The start is later if the condition became True later, for example because an older manager, which does
// not write status.rollout, was active in between.
func (c *controller) startedTime() (time.Time, error) {
	now := c.clock.Now()
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if apierrors.IsNotFound(err) {
		return now, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("reading when the rollout of the manager's version started: %w", err)
	}
	condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, ConditionType)
	if !c.isInRollout(manager) {
		return now, nil
	}
	started := manager.Status.Rollout.StartedTime.Time
	if since := condition.LastTransitionTime.Time; since.After(started) {
		started = since
	}
	if started.After(now) {
		return now, nil
	}
	return started, nil
}

// isInRollout reports whether the status shows a rollout of this version in progress.
func (c *controller) isInRollout(manager *operatorv1alpha1.PlatformOperatorManager) bool {
	return v1helpers.IsOperatorConditionTrue(manager.Status.Conditions, ConditionType) &&
		manager.Status.Rollout.Version == c.version
}

// isRolloutReported reports whether the ClusterOperator was written after the operator resource recorded the rollout of this version. This
// process has written it, or the ClusterOperator shows what an earlier process wrote.
func (c *controller) isRolloutReported() (bool, error) {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the rollout of the manager's version: %w", err)
	}
	if !c.isInRollout(manager) || c.reports.include(manager.ResourceVersion) {
		return c.isInRollout(manager), nil
	}
	return c.isRolloutShown(manager.Status.Rollout.StartedTime)
}

// shownReason is what a rollout adds to the reason of condition Progressing of the ClusterOperator. library-go joins the reasons of the operator
// resource's conditions with reasonSeparator. Before each reason is the type of its condition without the suffix Progressing.
const (
	shownReason     = "Manager_" + operatorv1alpha1.ReasonWorkingTowardsVersion
	reasonSeparator = "::"
)

// isRolloutShown reports whether condition Progressing of the ClusterOperator has been True, with the rollout as a reason, since the rollout
// began. If it was True before, what it shows may be an earlier rollout.
func (c *controller) isRolloutShown(started metav1.Time) (bool, error) {
	clusterOperator, err := c.clusterOperators.Get(c.clusterOperator)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading ClusterOperator %q: %w", c.clusterOperator, err)
	}
	for _, condition := range clusterOperator.Status.Conditions {
		if condition.Type == configv1.OperatorProgressing && condition.Status == configv1.ConditionTrue {
			return !condition.LastTransitionTime.Before(&started) && slices.Contains(strings.Split(condition.Reason, reasonSeparator), shownReason), nil
		}
	}
	return false, nil
}

// reportedVersion returns the version in the ClusterOperator; empty if the ClusterOperator does not exist or has none.
func (c *controller) reportedVersion() (string, error) {
	clusterOperator, err := c.clusterOperators.Get(c.clusterOperator)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading ClusterOperator %q: %w", c.clusterOperator, err)
	}
	if operand := v1helpers.FindOperandVersion(clusterOperator.Status.Versions, Operand); operand != nil {
		return operand.Version, nil
	}
	return "", nil
}

// all returns the existing PlatformOperators and BundleDeployments, sorted by kind and name.
func (c *controller) all() ([]syncedObject, error) {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing PlatformOperators: %w", err)
	}
	deployments, err := c.deployments.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing BundleDeployments: %w", err)
	}
	var found []syncedObject
	for _, operator := range operators {
		found = append(found, syncedObject{KindPlatformOperator, operator.Name})
	}
	for _, deployment := range deployments {
		found = append(found, syncedObject{KindBundleDeployment, deployment.Name})
	}
	slices.SortFunc(found, func(a, b syncedObject) int { return strings.Compare(a.kind+"/"+a.name, b.kind+"/"+b.name) })
	return found, nil
}

// dropSynced removes deleted and reconciled objects from found.
func (c *controller) dropSynced() error {
	all, err := c.all()
	if err != nil {
		return err
	}
	there := sets.New(all...)
	c.found = slices.DeleteFunc(c.found, func(each syncedObject) bool { return !there.Has(each) || c.firstSyncs.has(each) })
	return nil
}

func named(objects []syncedObject) string {
	var names []string
	for _, each := range objects[:min(len(objects), maxNamed)] {
		names = append(names, fmt.Sprintf("%s %q", each.kind, each.name))
	}
	if more := len(objects) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// write writes the condition and the rollout in one request, so that a crash cannot separate them.
func (c *controller) write(ctx context.Context, condition operatorv1.OperatorCondition, rollout operatorv1alpha1.VersionRollout) error {
	condition.Type = ConditionType
	err := c.writer.Modify(ctx, func(status *operatorv1alpha1.PlatformOperatorManagerStatus) {
		managerstatus.SetOperatorCondition(&status.Conditions, condition, c.clock.Now())
		status.Rollout = rollout
	})
	if err != nil {
		return fmt.Errorf("writing the rollout of the manager's version: %w", err)
	}
	return nil
}
