// Package managerlimits stores the limits of PlatformOperatorManager "cluster" separately, so that deleting this object does not remove
// them.
//
// It stores the limits that apply, as pkg/limits decides, and sends an Event when a recreated PlatformOperatorManager lacks those of its
// predecessor. If another client deletes or edits the stored limits, it restores them. It does not enforce limits: the platformoperator
// controller calls pkg/limits itself.
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

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "ManagerLimitsController"

// Store stores the limits.
type Store interface {
	// Read reads memory only, and sends no request.
	Read() (limits.Stored, error)
	Write(ctx context.Context, record limits.Record) error
}

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient v1helpers.OperatorClient
	Managers       operatorinformers.PlatformOperatorManagerInformer
	// Deployments must be synced, because the result of Store.Read depends on it.
	Deployments factory.Informer
	Store       Store
	// Stored reports changes to the stored limits.
	Stored factory.Informer
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
}

type controller struct {
	managers operatorlisters.PlatformOperatorManagerLister
	store    Store
	// missing is the UID of the PlatformOperatorManager for which an Event was last sent; empty before the first.
	missing string
}

// New returns the controller. It has one queue key, and needs one worker.
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
	record := stored.Record // the record is unchanged, and is written if the ConfigMap differs
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
	if err := c.store.Write(ctx, *record); err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) { // the cache is stale; its event triggers a sync
		return fmt.Errorf("keeping the limits of PlatformOperatorManager %q: %w", operatorv1alpha1.PlatformOperatorManagerName, err)
	}
	return nil
}
