// Package operatorhealth summarizes all PlatformOperators in the Available, Progressing and Degraded conditions of the operator resource,
// which library-go copies to the ClusterOperator platform-operators-aggregated.
//
// The rules are in pkg/health, as is the rate limit for operators that alternate between healthy and unhealthy. This package only collects
// the input and writes the result. The Upgradeable condition has its own controller (upgradegate).
package operatorhealth

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/clock"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/managerstatus"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "OperatorHealthController"

// ConditionPrefix is the prefix of the condition types Available, Progressing and Degraded on the operator resource.
const ConditionPrefix = "PlatformOperators"

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient  v1helpers.OperatorClient
	Operators       platforminformers.PlatformOperatorInformer
	Deployments     coreinformers.BundleDeploymentInformer
	ClusterVersions configv1informers.ClusterVersionInformer
	// DegradedAfter is the time for which an installed operator may be unhealthy before the ClusterOperator is Degraded.
	DegradedAfter time.Duration
	Clock         clock.PassiveClock
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
}

type controller struct {
	operatorClient  v1helpers.OperatorClient
	operators       platformlisters.PlatformOperatorLister
	deployments     corelisters.BundleDeploymentLister
	clusterVersions configv1listers.ClusterVersionLister
	degradedAfter   time.Duration
	clock           clock.PassiveClock
	// limiter and writeLimiter need no lock: there is one queue key, so only one sync runs at a time.
	limiter      health.RateLimiter
	writeLimiter health.WriteLimiter
}

// New returns the controller. It has one queue key, and needs one worker.
func New(config Config) (factory.Controller, error) {
	if config.OperatorClient == nil || config.Operators == nil || config.Deployments == nil || config.ClusterVersions == nil ||
		config.DegradedAfter <= 0 || config.Clock == nil || config.SyncContext == nil {
		return nil, errors.New("building the operatorhealth controller: a field of its Config is not set")
	}
	c := &controller{
		operatorClient:  config.OperatorClient,
		operators:       config.Operators.Lister(),
		deployments:     config.Deployments.Lister(),
		clusterVersions: config.ClusterVersions.Lister(),
		degradedAfter:   config.DegradedAfter,
		clock:           config.Clock,
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.Operators.Informer(), config.Deployments.Informer(), config.ClusterVersions.Informer(), config.OperatorClient.Informer()).
		WithSyncDegradedOnError(config.OperatorClient).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing PlatformOperators: %w", err)
	}
	installed, err := clusterInstalled(c.clusterVersions)
	if err != nil {
		return err
	}
	now := c.clock.Now()
	states, contributions := make([]health.OperatorState, 0, len(operators)), make([]health.Contribution, 0, len(operators))
	for _, operator := range operators {
		deployment, err := c.deployments.Get(operator.Name)
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("reading BundleDeployment %q: %w", operator.Name, err)
		}
		state := stateOf(operator, deployment)
		states, contributions = append(states, state), append(contributions, health.Contribute(state, installed, now, c.degradedAfter))
	}
	if wait, due := health.NextChange(states, now, c.degradedAfter); due {
		// Unhealthy operators become Degraded after some time, without an event.
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
	}
	shown, wait := c.limiter.Limit(now, contributions)
	if wait > 0 {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
	}
	if wait, err = c.write(ctx, syncCtx, now, health.Aggregate(shown, c.degradedAfter)); wait > 0 {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
	}
	return err
}

// write writes the conditions to the operator resource and returns 0. If only messages changed, it may instead write nothing and return the
// time until the next attempt. It does nothing if the operator resource does not exist.
func (c *controller) write(ctx context.Context, syncCtx factory.SyncContext, now time.Time, aggregated []health.Condition) (time.Duration, error) {
	conditions := make([]operatorv1.OperatorCondition, 0, len(aggregated))
	updates := make([]v1helpers.UpdateStatusFunc, 0, len(aggregated))
	for _, each := range aggregated {
		condition := operatorv1.OperatorCondition{
			Type: ConditionPrefix + each.Type, Status: operatorv1.ConditionStatus(each.Status), Reason: each.Reason, Message: each.Message,
		}
		conditions, updates = append(conditions, condition), append(updates, managerstatus.UpdateConditionFn(condition, now))
	}
	_, stored, _, err := c.operatorClient.GetOperatorState()
	if errors.Is(err, operatorv1alpha1.ErrManagerMissing) {
		return 0, nil // its informer triggers a sync when it is created again
	}
	if err != nil {
		return 0, fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	if wait := c.writeLimiter.Wait(now, stored.Conditions, conditions); wait > 0 {
		return wait, nil
	}
	written, err := managerstatus.Update(ctx, syncCtx, c.operatorClient, updates...)
	if err != nil {
		return 0, fmt.Errorf("writing the health of all PlatformOperators: %w", err)
	}
	if written {
		c.writeLimiter.Written(now)
	}
	return 0, nil
}

// clusterInstalled reports whether the cluster's own installation has ever completed. It returns true for a cluster without a
// ClusterVersion, because no installer waits for the ClusterOperator.
func clusterInstalled(lister configv1listers.ClusterVersionLister) (bool, error) {
	all, err := lister.List(labels.Everything())
	if err != nil {
		return false, fmt.Errorf("listing ClusterVersions: %w", err)
	}
	for _, clusterVersion := range all {
		for _, update := range clusterVersion.Status.History {
			if update.State == configv1.CompletedUpdate {
				return true, nil
			}
		}
	}
	return len(all) == 0, nil
}

// stateOf returns an operator's state for pkg/health. EverInstalled is true if the operator has an installed bundle and one of its versions
// was ready: it remains true if the Secrets of the active revision are lost. deployment is nil if there is none.
func stateOf(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) health.OperatorState {
	return health.OperatorState{
		Name:          operator.Name,
		Installed:     view(operator, platformv1alpha1.ConditionInstalled),
		Progressing:   view(operator, platformv1alpha1.ConditionProgressing),
		Healthy:       view(operator, platformv1alpha1.ConditionHealthy),
		Paused:        operator.Spec.Paused,
		Removing:      operator.DeletionTimestamp != nil,
		EverInstalled: operator.Status.Installed != nil && upgradestep.CurrentOf(operator.Status, deployment).WasReady(),
	}
}

func view(operator *platformv1alpha1.PlatformOperator, conditionType string) health.ConditionView {
	condition := meta.FindStatusCondition(operator.Status.Conditions, conditionType)
	if condition == nil {
		return health.ConditionView{Status: string(metav1.ConditionUnknown)}
	}
	return health.ConditionView{
		Status:  string(condition.Status),
		Reason:  condition.Reason,
		Message: condition.Message,
		Since:   condition.LastTransitionTime.Time,
	}
}
