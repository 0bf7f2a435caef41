// Package managerversion reports the manager's own version. When that is another than the ClusterOperator reports, the old one
// stays there, and Progressing says what is worked towards, until this process has tried each PlatformOperator and
// BundleDeployment that it found when it began, whatever came of that: the cluster's update goes on when the new manager has
// shown that it can carry what the old one left, and no user's fault holds it up.
//
// It does not know what trying is: the controllers of those kinds tell it by Trials. It writes one condition of the operator
// resource, and the version is library-go's StatusSyncer's to write.
package managerversion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	configv1helpers "github.com/openshift/library-go/pkg/config/clusteroperator/v1helpers"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/managerstatus"
)

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "ManagerVersionController"

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
	// Report makes the version known to whoever writes the ClusterOperator.
	Report func(operand, version string)
	Trials *Trials
	// Limit is how long after the first sync that found it unreported, of whatever process, the version is reported in any case.
	Limit    time.Duration
	Clock    clock.PassiveClock
	Recorder events.Recorder
}

func (c Config) validate() error {
	if c.OperatorClient == nil || c.Operators == nil || c.Deployments == nil || c.ClusterOperators == nil || c.ClusterOperator == "" ||
		c.Version == "" || c.Report == nil || c.Trials == nil || c.Limit <= 0 || c.Clock == nil || c.Recorder == nil {
		return errors.New("building the managerversion controller: a field of its Config is not set")
	}
	return nil
}

type controller struct {
	operatorClient   v1helpers.OperatorClient
	operators        platformlisters.PlatformOperatorLister
	deployments      corelisters.BundleDeploymentLister
	clusterOperators configv1listers.ClusterOperatorLister
	clusterOperator  string
	version          string
	report           func(operand, version string)
	trials           *Trials
	limit            time.Duration
	clock            clock.PassiveClock

	// Of the one sync that runs at a time: when the first one was, which objects it found that were not tried yet, whether it
	// found any, and whether the version is reported.
	began           time.Time
	found           []trial
	empty, reported bool
}

// New builds the controller. It has one queue key, and is for one worker.
func New(config Config) (factory.Controller, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	c := &controller{
		operatorClient:   config.OperatorClient,
		operators:        config.Operators.Lister(),
		deployments:      config.Deployments.Lister(),
		clusterOperators: config.ClusterOperators.Lister(),
		clusterOperator:  config.ClusterOperator,
		version:          config.Version,
		report:           config.Report,
		trials:           config.Trials,
		limit:            config.Limit,
		clock:            config.Clock,
	}
	syncContext := factory.NewSyncContext(ControllerName, config.Recorder)
	c.trials.tell(func() { syncContext.Queue().Add(factory.DefaultQueueKey) })
	return factory.New().
		WithSyncContext(syncContext).
		WithSync(c.sync).
		WithInformers(config.OperatorClient.Informer(), config.Operators.Informer(), config.Deployments.Informer(), config.ClusterOperators.Informer()).
		WithSyncDegradedOnError(config.OperatorClient).
		ToController(ControllerName, config.Recorder), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	if !c.reported {
		working, err := c.working(syncCtx)
		if err != nil {
			return err
		}
		if working {
			return c.say(ctx, syncCtx, operatorv1.OperatorCondition{
				Status: operatorv1.ConditionTrue, Reason: operatorv1alpha1.ReasonWorkingTowardsVersion, Message: c.towards(),
			})
		}
		// The version before the condition: who waits for the version sees it while Progressing still tells of it.
		c.report(Operand, c.version)
		c.reported, c.found = true, nil
		c.trials.forget()
	}
	return c.say(ctx, syncCtx, operatorv1.OperatorCondition{Status: operatorv1.ConditionFalse, Reason: platformv1alpha1.ReasonAsExpected})
}

func (c *controller) towards() string { return "Working towards " + c.version }

// working tells whether the version is not to be reported yet, and has it asked again in time.
func (c *controller) working(syncCtx factory.SyncContext) (bool, error) {
	if c.began.IsZero() {
		found, err := c.all()
		if err != nil {
			return false, err
		}
		began, err := c.begun()
		if err != nil {
			return false, err
		}
		c.found, c.empty, c.began = found, len(found) == 0, began
	}
	recorded, told, err := c.recorded()
	switch {
	case err != nil:
		return false, err
	case recorded == c.version:
		return false, nil // a restart is no roll-out
	case recorded == "" && c.empty:
		return false, nil // a first start, with nothing to do
	}
	if err := c.dropTried(); err != nil {
		return false, err
	}
	// What takes a moment is told all the same: a version never changes without Progressing.
	if len(c.found) == 0 && told {
		return false, nil
	}
	wait := c.began.Add(c.limit).Sub(c.clock.Now())
	if wait <= 0 {
		klog.Warningf("reporting version %q after %s, though %d objects were not tried yet: %s", c.version, c.limit, len(c.found), named(c.found))
		return false, nil
	}
	syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
	return true, nil
}

// begun is when the roll-out of this version began: where a process before this one has said so, its time counts, so that one that
// is restarted again and again does not wait for ever.
func (c *controller) begun() (time.Time, error) {
	now := c.clock.Now()
	_, status, _, err := c.operatorClient.GetOperatorState()
	switch {
	case errors.Is(err, operatorv1alpha1.ErrManagerMissing):
		return now, nil
	case err != nil:
		return time.Time{}, fmt.Errorf("reading since when the manager is progressing: %w", err)
	}
	condition := v1helpers.FindOperatorCondition(status.Conditions, ConditionType)
	if condition == nil || condition.Status != operatorv1.ConditionTrue || condition.Message != c.towards() || condition.LastTransitionTime.After(now) {
		return now, nil
	}
	return condition.LastTransitionTime.Time, nil
}

// recorded is the version that the ClusterOperator reports, empty when there is none, and whether it tells of the way to ours.
func (c *controller) recorded() (version string, told bool, err error) {
	clusterOperator, err := c.clusterOperators.Get(c.clusterOperator)
	if apierrors.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading ClusterOperator %q: %w", c.clusterOperator, err)
	}
	progressing := configv1helpers.FindStatusCondition(clusterOperator.Status.Conditions, configv1.OperatorProgressing)
	told = progressing != nil && progressing.Status == configv1.ConditionTrue && slices.ContainsFunc(strings.Split(progressing.Message, "\n"), func(line string) bool {
		return strings.HasSuffix(line, ": "+c.towards()) || line == c.towards() // another version may begin like ours
	})
	if operand := v1helpers.FindOperandVersion(clusterOperator.Status.Versions, Operand); operand != nil {
		version = operand.Version
	}
	return version, told, nil
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

// anew drops the condition where it says something else than it is to say, so that its time is that of these words: begun reads it.
func anew(condition operatorv1.OperatorCondition) v1helpers.UpdateStatusFunc {
	return func(status *operatorv1.OperatorStatus) error {
		if found := v1helpers.FindOperatorCondition(status.Conditions, condition.Type); found != nil && found.Message != condition.Message {
			v1helpers.RemoveOperatorCondition(&status.Conditions, condition.Type)
		}
		return nil
	}
}

func (c *controller) say(ctx context.Context, syncCtx factory.SyncContext, condition operatorv1.OperatorCondition) error {
	condition.Type = ConditionType
	if _, err := managerstatus.Update(ctx, syncCtx, c.operatorClient, anew(condition), v1helpers.UpdateConditionFn(condition)); err != nil {
		return fmt.Errorf("writing the manager's own progress: %w", err)
	}
	return nil
}
