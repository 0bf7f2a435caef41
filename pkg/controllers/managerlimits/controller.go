// Package managerlimits keeps what PlatformOperatorManager "cluster" limits beside it, so that its deletion does not lift the limits.
//
// It writes down the limits that count, as pkg/limits decides, and tells when a new PlatformOperatorManager lacks those of its
// predecessor. It also restores what somebody else deletes or edits of that. It holds nobody itself: the platformoperator controller
// asks pkg/limits the same question.
package managerlimits

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
)

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "ManagerLimitsController"

// Store keeps the limits. A seam for tests.
type Store interface {
	// Read reads memory only.
	Read() (limits.Stored, error)
	Write(ctx context.Context, record limits.Record) error
}

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient v1helpers.OperatorClient
	Managers       operatorinformers.PlatformOperatorManagerInformer
	// Deployments is only waited for: what the store says depends on it.
	Deployments factory.Informer
	Store       Store
	// Stored tells of changes of what the store keeps.
	Stored factory.Informer
	// SyncContext has the controller's queue, and the recorder of Events about the manager itself.
	SyncContext factory.SyncContext
}

type controller struct {
	managers operatorlisters.PlatformOperatorManagerLister
	store    Store
	// missing is of which PlatformOperatorManager it was told last that it lacks limits.
	missing string
}

// New builds the controller. It has one queue key, and is for one worker.
func New(config Config) (factory.Controller, error) {
	if config.OperatorClient == nil || config.Managers == nil || config.Deployments == nil || config.Store == nil || config.Stored == nil || config.SyncContext == nil {
		return nil, errors.New("building the managerlimits controller: a field of its Config is not set")
	}
	c := &controller{managers: config.Managers.Lister(), store: config.Store}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.Managers.Informer(), config.Stored).
		WithBareInformers(config.Deployments).
		WithSyncDegradedOnError(config.OperatorClient).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	manager, err := c.managers.Get(operatorv1alpha1.PlatformOperatorManagerName)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("reading PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	exists := err == nil
	stored, err := c.store.Read()
	if err != nil {
		return err
	}
	record := stored.Record // what is kept stays; it is written where the ConfigMap says something else
	if exists {
		decision := limits.Decide(stored, manager)
		if decision.Hold != "" && c.missing != string(manager.UID) {
			c.missing = string(manager.UID)
			syncCtx.Recorder().Warning(operatorv1alpha1.EventLimitsMissing, decision.Hold)
		}
		if decision.Record != nil {
			record = decision.Record
		}
	}
	if record == nil {
		return nil
	}
	if err := c.store.Write(ctx, *record); err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) { // the cache is behind; its event comes
		return fmt.Errorf("keeping the limits of PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	return nil
}
