// Package managerversion reports the manager's own version. When that is another than the ClusterOperator reports, the old one
// stays there, and Progressing says what is worked towards, until this process has tried each PlatformOperator and
// BundleDeployment that it found when it began, whatever came of that: the cluster's update goes on when the new manager has
// shown that it can carry what the old one left, and no user's fault holds it up.
//
// It does not know what trying is: the controllers of those kinds tell it by Trials. It writes one condition and status.rollout of the
// operator resource. The version is library-go's StatusSyncer's to write, and Reports tells what that has written.
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

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "ManagerVersionController"

const fieldManager = "platform-operators-managerversion"

// ConditionType is the condition on the operator resource; library-go unites all that end in Progressing.
const ConditionType = "ManagerProgressing"

// Operand is the name under which the ClusterOperator reports the version.
const Operand = "operator"

// Kinds whose objects are tried, as Trials.Of takes them.
const (
	KindPlatformOperator = "PlatformOperator"
	KindBundleDeployment = "BundleDeployment"
)

// maxNamed bounds the objects that are named in the log when the limit has passed.
const maxNamed = 10

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient   v1helpers.OperatorClient
	Operators        platforminformers.PlatformOperatorInformer
	Deployments      coreinformers.BundleDeploymentInformer
	ClusterOperators configv1informers.ClusterOperatorInformer
	// ClusterOperator is the name of the one that the manager reports to.
	ClusterOperator string
	// Version is the manager's own.
	Version string
	// Client and Managers are of the operator resource.
	Client   operatorclient.PlatformOperatorManagerInterface
	Managers operatorinformers.PlatformOperatorManagerInformer
	// Report makes the version known to the StatusSyncer, which writes the ClusterOperator.
	Report  func(operand, version string)
	Reports *Reports
	Trials  *Trials
	// Limit is how long after the first sync that found it unreported, of whatever process, the version is reported in any case.
	Limit time.Duration
	Clock clock.PassiveClock
	// SyncContext has the controller's queue, and the recorder of Events about the manager itself.
	SyncContext factory.SyncContext
}

func (c Config) validate() error {
	if c.OperatorClient == nil || c.Operators == nil || c.Deployments == nil || c.ClusterOperators == nil || c.ClusterOperator == "" ||
		c.Version == "" || c.Client == nil || c.Managers == nil || c.Report == nil || c.Reports == nil || c.Trials == nil || c.Limit <= 0 || c.Clock == nil || c.SyncContext == nil {
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
	trials           *Trials
	limit            time.Duration
	clock            clock.PassiveClock

	// Of the one sync that runs at a time: when the rollout started, which objects the first one found that were not tried yet, whether
	// it found any, and whether the version is reported.
	started         time.Time
	found           []trial
	empty, reported bool
}

// New builds the controller. It has one queue key, and is for one worker.
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
		trials:           config.Trials,
		limit:            config.Limit,
		clock:            config.Clock,
	}
	enqueue := func() { config.SyncContext.Queue().Add(factory.DefaultQueueKey) }
	c.trials.tell(enqueue)
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
		working, err := c.working(syncCtx)
		if err != nil {
			return err
		}
		if working {
			return c.write(ctx, operatorv1.OperatorCondition{
				Status: operatorv1.ConditionTrue, Reason: operatorv1alpha1.ReasonWorkingTowardsVersion, Message: "Working towards " + c.version,
			}, operatorv1alpha1.VersionRollout{Version: c.version, StartedTime: metav1.NewTime(c.started)})
		}
		// The version before the condition: the CVO, which waits for the version, sees it while Progressing is still True.
		c.report(Operand, c.version)
		c.reported, c.found = true, nil
		c.trials.forget()
		c.reports.onChange(nil)
	}
	return c.write(ctx, operatorv1.OperatorCondition{Status: operatorv1.ConditionFalse, Reason: platformv1alpha1.ReasonAsExpected}, operatorv1alpha1.VersionRollout{})
}

// working reports whether the version is not to be reported yet, and has it asked again in time.
func (c *controller) working(syncCtx factory.SyncContext) (bool, error) {
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
		return false, nil // a first start, with nothing to do
	}
	if err := c.dropTried(); err != nil {
		return false, err
	}
	// Also a rollout that takes a moment is reported: a version never changes without Progressing.
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

// startedTime returns when the rollout of this version started. The time of an earlier process of this version counts, so that one that
// is restarted again and again does not wait for ever, unless a manager that does not know status.rollout was active since then.
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
	if !c.isRollingOut(manager) {
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

// isRollingOut reports whether the status says that this version is rolled out.
func (c *controller) isRollingOut(manager *operatorv1alpha1.PlatformOperatorManager) bool {
	return v1helpers.IsOperatorConditionTrue(manager.Status.Conditions, ConditionType) &&
		manager.Status.Rollout.Version == c.version
}

// isRolloutReported reports whether the ClusterOperator was written from a status that says that this version is rolled out.
func (c *controller) isRolloutReported() (bool, error) {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the rollout of the manager's version: %w", err)
	}
	return c.isRollingOut(manager) && c.reports.include(manager.ResourceVersion), nil
}

// reportedVersion returns the version that the ClusterOperator reports; empty if it reports none.
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

// all lists the objects that there are, sorted.
func (c *controller) all() ([]trial, error) {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing PlatformOperators: %w", err)
	}
	deployments, err := c.deployments.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing BundleDeployments: %w", err)
	}
	var found []trial
	for _, operator := range operators {
		found = append(found, trial{KindPlatformOperator, operator.Name})
	}
	for _, deployment := range deployments {
		found = append(found, trial{KindBundleDeployment, deployment.Name})
	}
	slices.SortFunc(found, func(a, b trial) int { return strings.Compare(a.kind+"/"+a.name, b.kind+"/"+b.name) })
	return found, nil
}

// dropTried keeps, of what was found, what is still there and was not tried.
func (c *controller) dropTried() error {
	all, err := c.all()
	if err != nil {
		return err
	}
	there := sets.New(all...)
	c.found = slices.DeleteFunc(c.found, func(each trial) bool { return !there.Has(each) || c.trials.has(each) })
	return nil
}

func named(objects []trial) string {
	var names []string
	for _, each := range objects[:min(len(objects), maxNamed)] {
		names = append(names, fmt.Sprintf("%s %q", each.kind, each.name))
	}
	if more := len(objects) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// write writes the condition and the rollout at once: a crash must not leave the one without the other.
func (c *controller) write(ctx context.Context, condition operatorv1.OperatorCondition, rollout operatorv1alpha1.VersionRollout) error {
	condition.Type = ConditionType
	err := c.writer.Modify(ctx, func(status *operatorv1alpha1.PlatformOperatorManagerStatus) {
		v1helpers.SetOperatorCondition(&status.Conditions, condition)
		status.Rollout = rollout
	})
	if err != nil {
		return fmt.Errorf("writing the rollout of the manager's version: %w", err)
	}
	return nil
}
